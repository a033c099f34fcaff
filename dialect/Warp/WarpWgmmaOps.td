// Asynchronous tensor cores of Hopper.

include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

def Warp_WgmmaOp : Warp_Op<"wgmma", [
    AllTypesMatch<["acc", "result"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "asynchronous matrix product by the tensor cores of warpgroups";
  let description = [{
    Starts `result = acc + a . b` by `wgmma` instructions (sm_90a), as one group,
    and does not wait for it. Until the result has passed a `warp.wgmma_wait` that
    completes the group,

    - the result may only be the accumulator of another `warp.wgmma`, the operand
      of a `warp.wgmma_wait`, or be carried to one by a loop;
    - the shared memory of `a` and `b` must stay as it is.

    So the result is the token of the operation: who holds it unwaited holds the
    operands' memory too. Groups complete in the order in which they were started.

    What ordinary stores wrote to the shared memory of an operand must be made
    visible by a `warp.proxy_fence` of the writer and a barrier before.

    | a, b | acc | instruction |
    |---|---|---|
    | f16 | f32 or f16 | m64nNk16 |
    | bf16 | f32 | m64nNk16 |
    | f32, read as tf32 | f32 | m64nNk8 |
    | i8, signed | i32 | m64nNk32 |
    | f8E4M3FN, f8E5M2, mixed or not | f32 or f16 | m64nNk32 |

    f32 operands must already be rounded to tf32: lower bits of the mantissa are
    ignored. Sums of 8-bit floats keep about 14 bits of mantissa.

    C1: `a` is MxK, `b` KxN and `acc` MxN.
    C2: the element types stand together in one row of the table.
    C3: each four warps of `acc` hold 64 rows of it, as the instruction writes
        them, and where `a` is in registers, they hold the same rows of `a` as the
        instruction reads them.
        C3 and C4 hold where the tiles of the function have layouts.
    C4: a matrix descriptor expresses the layout of each operand in shared
        memory: a swizzle over 32, 64 or 128 bytes, the contracted dimension
        contiguous, or the other one for elements of 16 bits. See
        lib/Layout/WgmmaTiling.h.

    ```mlir
    %s = warp.wgmma %a, %b, %c
      : !warp.shared<64x64xf16, #a>, !warp.shared<64x128xf16, #b>, tensor<64x128xf32, #c>
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x128xf32, #c>
    ```
  }];
  let arguments = (ins AnyTypeOf<[Warp_Shared, Warp_Tile]>:$a, Warp_Shared:$b,
                       Warp_Tile:$acc);
  let results = (outs Warp_Tile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc attr-dict `:` qualified(type($a)) `,`
    qualified(type($b)) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def Warp_WgmmaBesideOp : Warp_Op<"wgmma_beside", [
    AttrSizedOperandSegments,
    RangedTypesMatchWith<"results are the sums", "acc", "results", "$_self">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "products of the same rows, their columns in one instruction";
  let description = [{
    Starts `results[i] = acc[i] + a . b[i]` for all `i`, as `warp.wgmma` does, by
    instructions that each compute columns of all results. The rows of `a` are
    read once for all of them, which are one group.

    Each `b` lies in shared memory where the one before ends, and one matrix
    descriptor expresses them all.

    C1: there are two products or more, each one that `warp.wgmma` computes.
    C2: together they have 256 columns at most.

    ```mlir
    %s, %t = warp.wgmma_beside %a, [%b, %c], [%u, %v]
      : !warp.shared<64x64xf16, #a>, [!warp.shared<64x128xf16, #b>, !warp.shared<64x64xf16, #c>],
        [tensor<64x128xf32, #u>, tensor<64x64xf32, #v>]
    ```
  }];
  let arguments = (ins AnyTypeOf<[Warp_Shared, Warp_Tile]>:$a,
                       Variadic<Warp_Shared>:$b, Variadic<Warp_Tile>:$acc);
  let results = (outs Variadic<Warp_Tile>:$results);
  let assemblyFormat = [{
    $a `,` `[` $b `]` `,` `[` $acc `]` attr-dict `:` qualified(type($a)) `,`
    `[` qualified(type($b)) `]` `,` `[` type($acc) `]`
  }];
  let hasVerifier = 1;
}

def Warp_WgmmaWaitOp : Warp_Op<"wgmma_wait", [
    RangedTypesMatchWith<"results are the accumulators", "accumulators", "results", "$_self">,
    MemoryEffects<[MemRead<Warp_SharedResource>, MemWrite<Warp_SharedResource>]>]> {
  let summary = "waits for products of warpgroups";
  let description = [{
    Waits until at most `pendings` of the groups that this warp has started last
    are still running. Each result is the operand at its place, after the wait:
    passing the accumulators through is what keeps everything else from touching
    them before.

    C1: `pendings` is not negative.
    C2: there is a sum to wait for.

    ```mlir
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x128xf32, #c>
    ```
  }];
  let arguments = (ins Variadic<Warp_Tile>:$accumulators,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$pendings);
  let results = (outs Variadic<Warp_Tile>:$results);
  let assemblyFormat = "$accumulators attr-dict `:` type($accumulators)";
  let hasVerifier = 1;
}

def Warp_ProxyFenceOp : Warp_Op<"proxy_fence", [
    MemoryEffects<[MemRead<Warp_SharedResource>, MemWrite<Warp_SharedResource>]>]> {
  let summary = "shows this thread's stores to asynchronous readers";
  let description = [{
    Stores to shared memory and the reads of `warp.wgmma` go different ways. What
    this thread stored before is seen by asynchronous reads that any thread starts
    behind the next barrier.

    ```mlir
    warp.local_store %t, %m : tensor<64x64xf16, #rows> -> !warp.shared<64x64xf16, #a>
    warp.proxy_fence
    warp.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

class Warp_PinnedAccOp<string mnemonic, list<Trait> traits = []> : Warp_Op<mnemonic, [
    MemoryEffects<[MemRead<Warp_SharedResource>, MemWrite<Warp_SharedResource>]>]
    # traits>;

def Warp_AccDeclOp : Warp_PinnedAccOp<"acc_decl"> {
  let summary = "registers that are kept for sums";
  let description = [{
    Declares the banks of kept registers of a function, with the number of 32-bit
    registers of each. See `#warp.pinned`.

    ```mlir
    warp.acc_decl [128, 64]
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$words);
  let assemblyFormat = "$words attr-dict";
}

def Warp_AccStoreOp : Warp_PinnedAccOp<"acc_store"> {
  let summary = "puts a tile into kept registers";
  let description = [{
    What was in them before is gone.

    C1: the types are the same but for the registers: the result's are kept.

    ```mlir
    %k = warp.acc_store %t : tensor<64x128xf32, #l> -> tensor<64x128xf32, #warp.pinned<0, #l>>
    ```
  }];
  let arguments = (ins Warp_Tile:$source);
  let results = (outs Warp_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Warp_AccLoadOp : Warp_PinnedAccOp<"acc_load"> {
  let summary = "reads a tile out of kept registers";
  let description = [{
    They keep holding it.

    C1: the types are the same but for the registers: the source's are kept.

    ```mlir
    %t = warp.acc_load %k : tensor<64x128xf32, #warp.pinned<0, #l>> -> tensor<64x128xf32, #l>
    ```
  }];
  let arguments = (ins Warp_Tile:$source);
  let results = (outs Warp_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Warp_ScaleOp : Warp_PinnedAccOp<"scale", [AllTypesMatch<["source", "result"]>]> {
  let summary = "multiplies a tile in kept registers";
  let description = [{
    In place: what was in the registers before is gone. Rounds as `arith.mulf`
    does, and is never part of an addition.

    C1: the types of source and factor are the same but for the registers: the
        source's are kept.
    C2: elements are f32.

    ```mlir
    %d = warp.scale %k, %f : tensor<64x128xf32, #warp.pinned<0, #l>>, tensor<64x128xf32, #l>
    ```
  }];
  let arguments = (ins Warp_Tile:$source, Warp_Tile:$factor);
  let results = (outs Warp_Tile:$result);
  let assemblyFormat = "$source `,` $factor attr-dict `:` type($source) `,` type($factor)";
  let hasVerifier = 1;
}
