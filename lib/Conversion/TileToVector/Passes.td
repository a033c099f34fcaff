#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_PASSES
#define TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTileToVector : Pass<"convert-tile-to-vector", "::mlir::ModuleOp"> {
  let summary = "makes a host function of each kernel, with vectors as wide as registers";
  let description = [{
    Purpose: the CPU back end's one step from tiles to machine-sized vectors.

    Input: `tile.func` kernels whose calls are inlined; structured control flow.
    Functions that are not kernels are dropped.

    Output: for a kernel `k` a function

    ```mlir
    llvm.func @k(%args: !llvm.ptr, %grid: !llvm.ptr, %begin: i64, %end: i64)
    ```

    that runs the programs with linear numbers [begin, end), x fastest, in a
    loop. `args` holds 8 bytes per argument, `grid` three i32. The body is `scf`,
    `arith`, `math`, `vector` (rank 1, at most a few registers wide) and `llvm`
    memory access. No tile and no tensor is left.

    A tile is computed once into a buffer if that is cheaper than to recompute it
    at each use; see `BufferPlan.h`. All other tiles are fused into the loops of
    their users. Buffers are allocated once per call: on the stack, or from
    `tw_host_scratch` if they are large.

    ```mlir
    // before
    %x = tile.load %p, %m : tensor<1024x!tile.ptr<f32>>
    %y = arith.addf %x, %x : tensor<1024xf32>
    tile.store %q, %y, %m : tensor<1024x!tile.ptr<f32>>
    // after
    scf.for %i = %c0 to %c1024 step %c32 {
      %mask = arith.cmpi slt, %lanes, %n : vector<32xi32>
      %x = llvm.intr.masked.load %address, %mask, %zero
      llvm.store %x, %buffer
    }
    scf.for %i = %c0 to %c1024 step %c32 {
      %x = llvm.load %buffer
      %y = arith.addf %x, %x : vector<32xf32>
      llvm.intr.masked.store %y, %address, %mask
    }
    ```

    Pointer offsets of 32 bits or more are assumed not to wrap around if their
    steps are small constants. Floats are added in the order of the vectors.

    Refuses: calls, unstructured control flow, other rounding than to nearest,
    memory access in a combine region; each with an error at the op.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256",
           "bits of the processor's widest vector register">,
    Option<"maxDimensions", "max-dimensions", "unsigned", "4096",
           "if all tiles of rank above three have more dimensions in total, "
           "such a tile takes one loop, not a nest that takes long to compile">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_PASSES
