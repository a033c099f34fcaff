// Asynchronous tensor cores of Hopper.

include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

def Warp_WgmmaOp : Warp_Op<"wgmma", [
    AllTypesMatch<["acc", "result"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "asynchronous matrix multiplication by the tensor cores of warpgroups";
  let description = [{
    Starts `result = acc + a . b` by `wgmma` instructions (sm_90a), as one
    group, and does not wait for it. Until the result has passed a
    `warp.wgmma_wait` that completes the group:

    - the result may only be the accumulator of another `warp.wgmma`, the
      operand of a `warp.wgmma_wait`, or be carried to one by a loop;
    - the shared memory of `a` and `b` must not change.

    So the result is the token of the operation: a live result that was not
    waited for also keeps the operands' memory live. Groups complete in the
    order in which they were started.

    A `warp.proxy_fence` of the writer and a barrier must precede the op if
    ordinary stores wrote the shared memory of an operand.

    | a, b | acc | instruction |
    |---|---|---|
    | f16 | f32 or f16 | m64nNk16 |
    | bf16 | f32 | m64nNk16 |
    | f32, read as tf32 | f32 | m64nNk8 |
    | i8, signed | i32 | m64nNk32 |
    | f8E4M3FN, f8E5M2, mixed or not | f32 or f16 | m64nNk32 |

    f32 operands must already be rounded to tf32: lower mantissa bits are
    ignored. Accumulation of 8-bit floats keeps about 14 bits of mantissa.

    C1: `a` is MxK, `b` KxN and `acc` MxN.
    C2: the element types are in one row of the table.
    C3: each four warps of `acc` hold 64 rows of it, in the accumulator layout
        of the instruction. If `a` is in registers, they hold the same rows of
        `a` in the operand layout of the instruction.
    C4: a matrix descriptor can express the layout of each operand in shared
        memory. That is a swizzle over 32, 64 or 128 bytes with the contracted
        dimension contiguous, or the other one for 16-bit elements. See
        lib/Layout/WgmmaTiling.h. C3 and C4 apply if the tiles of the function
        have layouts.

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

def Warp_WgmmaMergedOp : Warp_Op<"wgmma_merged", [
    AttrSizedOperandSegments,
    RangedTypesMatchWith<"results are the accumulators", "acc", "results", "$_self">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "several wgmmas with the same A, merged into one";
  let description = [{
    Starts `results[i] = acc[i] + a . b[i]` for all `i`, as `warp.wgmma` does.
    Each instruction computes columns of all results. The rows of `a` are read
    once for all of them. They form one group.

    Each `b` starts in shared memory at the end of the previous one, and one
    matrix descriptor expresses all of them.

    C1: there are at least two dots, each one that `warp.wgmma` supports.
    C2: together they have at most 256 columns.

    ```mlir
    %s, %t = warp.wgmma_merged %a, [%b, %c], [%u, %v]
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
  let summary = "waits for wgmma groups";
  let description = [{
    Waits until at most `pendings` of the groups that this warp started last are
    still running. Each result is the operand of the same index, after the wait.
    Other ops use the results, so they cannot touch the accumulators before the
    wait.

    C1: `pendings` is not negative.
    C2: there is at least one accumulator.

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
  let summary = "makes this thread's stores visible to asynchronous readers";
  let description = [{
    Stores to shared memory and the reads of `warp.wgmma` use different proxies.
    Earlier stores of this thread are visible to asynchronous reads that any
    thread starts after the next barrier.

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
  let summary = "declares pinned registers for accumulators";
  let description = [{
    Declares the banks of pinned registers of a function, with the number of
    32-bit registers of each. See `#warp.pinned`.

    ```mlir
    warp.acc_decl [128, 64]
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$words);
  let assemblyFormat = "$words attr-dict";
}

def Warp_AccStoreOp : Warp_PinnedAccOp<"acc_store"> {
  let summary = "writes a tile to pinned registers";
  let description = [{
    Overwrites their previous content.

    C1: the types differ only in the registers: those of the result are pinned.

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
  let summary = "reads a tile from pinned registers";
  let description = [{
    Their content stays.

    C1: the types differ only in the registers: those of the source are pinned.

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
  let summary = "multiplies a tile in pinned registers";
  let description = [{
    In place: it overwrites the registers. Rounds as `arith.mulf` does, and is
    never contracted with an addition.

    C1: the types of source and factor differ only in the registers: those of
        the source are pinned.
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
