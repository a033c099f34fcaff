// Passes from `tile` to `tile` that prepare kernels for NVIDIA GPUs.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_PASSES
#define TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_PASSES

include "lib/Analysis/Target/TargetOptions.td"

include "mlir/Pass/PassBase.td"

def CheckExplicit : Pass<"tile-gpu-check-explicit", "::mlir::ModuleOp"> {
  let summary = "check the roles, rings and wgmma that a kernel's source "
                "spells out";
  let description = [{
    A kernel that has ops of `warp` before it has layouts is explicit: its user
    wrote them. This pass checks the rules of roles, rings, copies and wgmma,
    which the compiler's own passes keep by construction. Pure tile ops and
    assertions before the roles move into the roles that use them. Rings of
    clusters make the kernel one of clusters: its CTAs wait for each other before
    and after the roles.

    Input: kernels of `tile`, `arith`, `math`, `scf` and `warp`, whose tiles have
    no layouts. Output: the same. Kernels with ops of `warp` carry
    `warp.explicit`. A kernel with roles computes no tile outside of them.

    ```mlir
    tile.func @kernel(...) {                                   // before
      %ring = warp.ring : !ring
      warp.specialize warps [4, 1] {...}, {...}
    }

    tile.func @kernel(...) attributes {warp.explicit} {...}    // after
    ```

    Refused:
    - targets without `wgmma`;
    - more than one `warp.specialize`, or one in a loop;
    - rings of clusters of different sizes;
    - roles that compute on tiles and differ in size; roles with wgmma that are
      not whole warpgroups; more than 1024 threads or 64K registers;
    - tiles computed outside of roles;
    - rings with several producer roles, with none, or without a consumer;
    - slots that are not committed or released in the block that holds them;
    - tiles of slots that are not filled by one copy;
    - copies that the tensor memory accelerator can not make;
    - tiles in shared memory that several roles use;
    - uses of accumulators whose wgmma may still be in flight.
  }];
  let options = architectureOptions;
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def FormDescriptors : Pass<"tile-gpu-form-descriptors", "::mlir::ModuleOp"> {
  let summary = "turn pointers and masks into descriptors of arrays";
  let description = [{
    A load of an operand of `wgmma` reads a block of an array if
    1. its addresses are affine in the indices, and
    2. its mask is a conjunction of upper bounds of indices.
    Address, strides and sizes become a `tile.make_descriptor`. An offset by whole
    blocks, such as that of a batch, becomes a dimension of the array in which the
    block has size 1.

    Input: kernels of `tile`, `arith`, `math` and `scf`, with invariant code
    hoisted out of loops. Output: the same. Dead code elimination removes the
    pointers later.

    ```mlir
    %x = tile.load %pointers, %mask, %zero : tensor<128x64x!tile.ptr<f16>>  // before

    %d = tile.make_descriptor %base, [%m, %k], [%stride] : ...              // after
    %x = tile.descriptor_load %d[%i, %j] : ...
    ```

    Left alone, with a remark:
    - loads of kernels that upcast operands, if without a producer warp one more
      CTA fits per SM (lib/Analysis/Mma/UpcastOperands.h);
    - loads with other addresses or masks;
    - loads whose masked-off elements are not zero;
    - loads that might start before the array: pointers read the memory there, a
      descriptor does not.

    Assumed: arguments that bound masks or loops are sizes; divisors of
    coordinates are positive; offsets from memory, and carried values that advance
    by them, lead into the array.
  }];
  let options = targetOptions # [
    Option<"numStages", "num-stages", "int64_t", "3",
           "Iterations whose loads are in flight">];
  let dependentDialects = [
    "::tilewright::tile::TileDialect", "::tilewright::warp::WarpDialect",
    "::mlir::arith::ArithDialect"];
}

def SelectTma : Pass<"tile-gpu-select-tma", "::mlir::ModuleOp"> {
  let summary = "keep the descriptor loads that the tensor memory accelerator "
                "can do";
  let description = [{
    A load stays (lib/Analysis/Memory/TmaAccess.h) if
    1. it loads an operand of `wgmma`,
    2. the host, or with `makes-maps` the device, can encode the tensor map, and
    3. a producer warp can issue it on its own.
    All other ops on descriptors become pointers and masks, as by
    `tile-expand-descriptors`. TMA writes whole pieces of 16 bytes. So a store to
    rows whose length comes from memory is guarded by a test for whole pieces;
    otherwise threads store.

    Input: kernels of `tile`, `arith`, `math` and `scf`. Output: the same, where
    each `tile.descriptor_load` is one for the producer.

    ```mlir
    %a = tile.descriptor_load %d[%i] : ...     // before
    %p = tile.addptr %bases, %index            // after, unless TMA can do it
    %a = tile.load %p, %inside, %padding
    ```

    Refused: a descriptor that is not made in the function. Remarks say why
    TMA does not do a load.
  }];
  let options = targetOptions # [
    Option<"makesMaps", "makes-maps", "bool", "true",
           "Let the device make tensor maps">];
  let dependentDialects = [
    "::tilewright::tile::TileDialect", "::tilewright::warp::WarpDialect",
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SplitBlocks : Pass<"tile-gpu-split-blocks", "::mlir::ModuleOp"> {
  let summary = "cut blocks of any size into pieces whose dimensions are powers of two";
  let description = [{
    Each dimension that is not a power of two is cut into segments that are; see
    lib/Analysis/Layout/BlockDecomposition.h. The segments cut each block into
    pieces, and each op on blocks becomes ops on pieces. The last segment of a
    dimension may have padding, on which no result depends:
    - Loads, stores, atomics, histograms, assertions and prints leave it out.
    - Reductions see the neutral element of their function, or flags that tell
      elements from padding.
    - Dots see zeros along the contracted dimension.
    - Functions and assembly see the last element once more.
    Reshapes that change a cut dimension gather elements through shared memory.

    Input: kernels of `tile`, `arith` and `scf` that call nothing. Output: the
    same on tiles whose dimensions are powers of two.

    ```mlir
    %x = tile.load %p : tensor<192x!tile.ptr<f32>>                     // before
    %s = math.exp %x : tensor<192xf32>

    %x0 = tile.load %p0 : tensor<128x!tile.ptr<f32>>                   // after
    %x1 = tile.load %p1 : tensor<64x!tile.ptr<f32>>
    %s0 = math.exp %x0 : tensor<128xf32>
    %s1 = math.exp %x1 : tensor<64xf32>
    ```

    Refused: blocks whose pieces have more than 2048 elements per thread (1024 if
    they are loaded or computed in floats); calls that were not inlined;
    descriptors that are not made in the function; ops of other dialects. Remarks
    name the dimensions that are padded.
  }];
  let options = targetOptions;
  let dependentDialects = [
    "::tilewright::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect"];
}

def SliceStores : Pass<"tile-gpu-slice-stores", "::mlir::ModuleOp"> {
  let summary = "loop over slices of blocks that exceed the registers";
  let description = [{
    A store of more than 128 elements per thread becomes a loop that computes and
    stores 32 elements per thread at a time. The block is cut along its longest
    dimension, together with the loads that its values, addresses and mask depend
    on. Stores that share loads share the loop, which is where the last of them
    was.

    Input: kernels of `tile`, `arith`, `math` and `scf`. Output: the same. It
    runs before `tile-gpu-split-blocks`, as it slices dimensions of any size.

    ```mlir
    %x = tile.load %p : tensor<131072x!tile.ptr<f32>>                  // before
    %e = math.exp %x : tensor<131072xf32>
    tile.store %q, %e : tensor<131072x!tile.ptr<f32>>

    scf.for %i = %c0 to %c131072 step %c4096 : i32 {                   // after
      %x = tile.load %pi : tensor<4096x!tile.ptr<f32>>
      %e = math.exp %x : tensor<4096xf32>
      tile.store %qi, %e : tensor<4096x!tile.ptr<f32>>
    }
    ```

    Left alone: values that depend on ops that combine elements or on loop-carried
    values; loads with other users; accesses that a slice would move past others
    of the same array, unless their pointers are the same.
  }];
  let options = numWarpsOption;
  let dependentDialects = [
    "::tilewright::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect"];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_PASSES
