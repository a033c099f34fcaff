// Passes from `tile` to `tile` that prepare kernels for NVIDIA GPUs.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_PASSES
#define TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_PASSES

include "mlir/Pass/PassBase.td"

def CheckExplicit : Pass<"tile-gpu-check-explicit", "::mlir::ModuleOp"> {
  let summary = "refuse what is wrong with roles, rings and products that a "
                "kernel's source says";
  let description = [{
    A kernel that holds ops of `warp` before it has layouts was written so by its
    user. Everything that its roles, rings, copies and products promise, and that
    the passes that make such keep by construction, is checked here. What roles
    need of blocks that are computed in front of them, which costs nothing, is
    moved into the roles. Rings of clusters make the kernel one of clusters, whose
    blocks wait for each other before the roles and behind them.

    Input: kernels of `tile`, `arith`, `math`, `scf` and `warp`, whose tiles have
    no layouts. Output: the same; those with ops of `warp` carry `warp.explicit`,
    and no tile is computed outside of roles where there are any.

    ```mlir
    tile.func @kernel(...) {                                   // before
      %ring = warp.ring : !ring
      warp.specialize warps [4, 1] {...}, {...}
    }

    tile.func @kernel(...) attributes {warp.explicit} {...}    // after
    ```

    Refused: targets without `wgmma`; more than one `warp.specialize`, or one in
    a loop; rings of clusters of different sizes; roles that compute on tiles and are of different sizes, roles with
    products that are no whole warpgroups, more than 1024 threads or 64K
    registers; tiles that are computed outside of roles; rings that several roles
    fill, or none, or that nobody reads; slots that are not committed or released
    in the block that has them; tiles of slots that are not filled by one copy;
    copies that the tensor memory accelerator can not make; tiles in shared
    memory that several roles use; uses of sums that may still be running.
  }];
  let options = [
    Option<"computeCapability", "compute-capability", "unsigned", "80",
           "10 * major + minor of the GPU's compute capability">,
    Option<"archSpecific", "arch-specific", "bool", "false",
           "Use what only this very GPU has, as sm_90a does">];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def FormDescriptors : Pass<"tile-gpu-form-descriptors", "::mlir::ModuleOp"> {
  let summary = "see blocks of arrays behind pointers and masks";
  let description = [{
    A load of an operand of `wgmma` whose addresses are affine in the indices, and
    whose mask is a conjunction of upper bounds of indices, reads a block of an
    array: address, strides and sizes become a `tile.make_descriptor`. A
    dimension along which all elements are one block apart, like that of a batch,
    becomes one of the array in which the block has size 1.

    Input: kernels of `tile`, `arith`, `math` and `scf`, with invariant code moved
    out of loops. Output: the same; the pointers are left for dead code
    elimination.

    ```mlir
    %x = tile.load %pointers, %mask, %zero : tensor<128x64x!tile.ptr<f16>>  // before

    %d = tile.make_descriptor %base, [%m, %k], [%stride] : ...              // after
    %x = tile.descriptor_load %d[%i, %j] : ...
    ```

    Left alone, with a remark: loads of kernels whose threads make operands of
    narrower numbers, where another program shares a multiprocessor if no warp
    produces (lib/Analysis/Mma/UpcastOperands.h); loads with other addresses
    and masks; with masked-off elements that are not zero; and such as might
    start in front of the array, where pointers lead to what is there and a
    descriptor to nothing. Arguments that bound masks or loops are taken to be
    sizes, divisors of places to be positive, and numbers from memory, and what
    loops carry and move by such, to lead into the array.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", "4",
           "Warps of 32 threads that run one program">,
    Option<"computeCapability", "compute-capability", "unsigned", "80",
           "10 * major + minor of the GPU's compute capability">,
    Option<"archSpecific", "arch-specific", "bool", "false",
           "Use what only this very GPU has, as sm_90a does">,
    Option<"numStages", "num-stages", "int64_t", "3",
           "Iterations whose loads are in flight">];
  let dependentDialects = [
    "::tilewright::tile::TileDialect", "::tilewright::warp::WarpDialect",
    "::mlir::arith::ArithDialect"];
}

def SelectTma : Pass<"tile-gpu-select-tma", "::mlir::ModuleOp"> {
  let summary = "keep the loads from descriptors that the tensor memory "
                "accelerator serves";
  let description = [{
    Loads of operands of `wgmma`, from arrays whose tensor maps the host can make,
    or, with `makes-maps`, the device, that a producer warp can issue on its own (lib/Analysis/Memory/TmaAccess.h), stay. All
    other ops on descriptors become pointers and masks, as by
    `tile-expand-descriptors`. The accelerator writes whole pieces of 16 bytes, so a
    store to rows whose length comes from memory stays in a branch for lengths that
    are whole, and threads store otherwise.

    Input: kernels of `tile`, `arith`, `math` and `scf`. Output: the same, where
    each `tile.descriptor_load` is one for the producer.

    ```mlir
    %a = tile.descriptor_load %d[%i] : ...     // before
    %p = tile.addptr %bases, %index            // after, unless it is served
    %a = tile.load %p, %inside, %padding
    ```

    Refused: a descriptor that is not made in the function. Remarks say why
    loads are not served.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", "4",
           "Warps of 32 threads that run one program">,
    Option<"computeCapability", "compute-capability", "unsigned", "80",
           "10 * major + minor of the GPU's compute capability">,
    Option<"archSpecific", "arch-specific", "bool", "false",
           "Use what only this very GPU has, as sm_90a does">,
    Option<"makesMaps", "makes-maps", "bool", "true",
           "Let the device make tensor maps">];
  let dependentDialects = [
    "::tilewright::tile::TileDialect", "::tilewright::warp::WarpDialect",
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SplitBlocks : Pass<"tile-gpu-split-blocks", "::mlir::ModuleOp"> {
  let summary = "cut blocks of any size into pieces whose sides are powers of two";
  let description = [{
    Each side that is no power of two is cut into segments that are (how stands in
    lib/Analysis/Layout/BlockDecomposition.h), each block into the pieces that these make, and
    each op on blocks into ops on pieces. The last segment of a side may be longer
    than what is left of it. No result depends on that padding: loads, stores,
    atomics, histograms, assertions and prints leave it out; reductions see the
    function's neutral element, or flags that say which elements there are;
    products see zeros along the contracted side; functions and assembly the last
    element once more. Reshapes that change a side that is cut gather elements
    through shared memory.

    Input: kernels of `tile`, `arith` and `scf` that call nothing. Output: the
    same on tiles whose sides are powers of two.

    ```mlir
    %x = tile.load %p : tensor<192x!tile.ptr<f32>>                     // before
    %s = math.exp %x : tensor<192xf32>

    %x0 = tile.load %p0 : tensor<128x!tile.ptr<f32>>                   // after
    %x1 = tile.load %p1 : tensor<64x!tile.ptr<f32>>
    %s0 = math.exp %x0 : tensor<128xf32>
    %s1 = math.exp %x1 : tensor<64xf32>
    ```

    Refused: blocks whose pieces have more than 2048 elements a thread (1024 of
    what is loaded or computed in floats), calls that were not inlined,
    descriptors that are not made in the function, and ops of other dialects. Remarks name the sides that are padded.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", "4",
           "Warps of 32 threads that run one program">,
    Option<"computeCapability", "compute-capability", "unsigned", "80",
           "10 * major + minor of the GPU's compute capability">,
    Option<"archSpecific", "arch-specific", "bool", "false",
           "Use what only this very GPU has, as sm_90a does">];
  let dependentDialects = [
    "::tilewright::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect"];
}

def SliceStores : Pass<"tile-gpu-slice-stores", "::mlir::ModuleOp"> {
  let summary = "loop over slices of blocks that threads have no registers for";
  let description = [{
    A store of more than 128 elements a thread becomes a loop that computes and
    stores 32 elements a thread at a time, cut along the longest side, with the
    loads that its values, addresses and mask come from. Stores that share loads
    share the loop, which stands where the last of them did.

    Input: kernels of `tile`, `arith`, `math` and `scf`. Output: the same. It
    stands in front of `tile-gpu-split-blocks`, as sides of any size are sliced.

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

    Left alone: what depends on ops that combine elements or on what loops
    carry; loads that others need, too; accesses that a slice would move past
    others of the same array, unless their pointers are the same.
  }];
  let options = [
    Option<"numWarps", "num-warps", "unsigned", "4",
           "Warps of 32 threads that run one program">];
  let dependentDialects = [
    "::tilewright::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect"];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_PASSES
