// Asynchronous tensor cores of Hopper.

include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

def Warp_WgmmaOp : Warp_Op<"wgmma", [
    AttrSizedOperandSegments,
    RangedTypesMatchWith<"results are the accumulators", "acc", "results", "$_self">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "asynchronous matrix multiplication by the tensor cores of warpgroups";
  let description = [{
    Starts `results[i] = acc[i] + a . b[i]` for all `i` by `wgmma` instructions
    (sm_90a), as one group, and does not wait for it. Until a result has passed
    a `warp.wgmma_wait` that completes the group:

    - the result may only be the accumulator of another `warp.wgmma`, the
      operand of a `warp.wgmma_wait`, or be carried to one by a loop;
    - the shared memory of `a` and `b` must not change.

    So the results are the token of the operation: a live result that was not
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

    With several dots, each instruction computes columns of all results, and
    reads the rows of `a` once for all of them. Each `b` starts in shared memory
    at the end of the previous one, and one matrix descriptor expresses all of
    them. `warp-merge-wgmma` forms such ops; earlier passes form one dot per op.

    C1: there is at least one dot, and as many `b` as `acc`.
    C2: `a` is MxK, each `b` KxN and its `acc` MxN.
    C3: the element types are in one row of the table. All `b` have the same
        element type, and all `acc`.
    C4: each four warps of `acc` hold 64 rows of it, in the accumulator layout
        of the instruction. If `a` is in registers, they hold the same rows of
        `a` in the operand layout of the instruction.
    C5: a matrix descriptor can express the layout of each operand in shared
        memory. That is a swizzle over 32, 64 or 128 bytes with the contracted
        dimension contiguous, or the other one for 16-bit elements. See
        lib/Layout/WgmmaTiling.h. C4 and C5 apply if the tiles of the function
        have layouts.
    C6: several dots together have at most 256 columns.

    ```mlir
    %s = warp.wgmma %a, %b, %c
      : !warp.shared<64x64xf16, #a>, !warp.shared<64x128xf16, #b>, tensor<64x128xf32, #c>
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x128xf32, #c>

    %t:2 = warp.wgmma %a, [%b, %e], [%c, %f]
      : !warp.shared<64x64xf16, #a>, [!warp.shared<64x128xf16, #b>, !warp.shared<64x64xf16, #e>],
        [tensor<64x128xf32, #c>, tensor<64x64xf32, #f>]
    ```
  }];
  let arguments = (ins AnyTypeOf<[Warp_Shared, Warp_Tile]>:$a,
                       Variadic<Warp_Shared>:$b, Variadic<Warp_Tile>:$acc);
  let results = (outs Variadic<Warp_Tile>:$results);
  let assemblyFormat = [{
    $a `,` custom<DotOperands>($b) `,` custom<DotOperands>($acc) attr-dict `:`
    qualified(type($a)) `,` custom<DotTypes>(type($b)) `,`
    custom<DotTypes>(type($acc))
  }];
  let extraClassDeclaration = [{
    /// The number of dots.
    size_t getNumDots() { return getAcc().size(); }

    /// B, the accumulator or the result of the only dot; null if there are
    /// several.
    mlir::Value getSingleB();
    mlir::Value getSingleAcc();
    mlir::Value getSingleResult();

    /// A and all B.
    mlir::OperandRange getMultiplicands() {
      return getOperands().drop_back(getNumDots());
    }

    /// The result that continues `acc`; null if that is no accumulator of the
    /// op.
    mlir::Value getTiedResult(mlir::OpOperand &acc);

    /// The columns of all results together.
    int64_t getNumColumns();
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
