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
    loop. `args` holds 8 bytes an argument, `grid` three i32. The body is `scf`,
    `arith`, `math`, `vector` (rank 1, at most a few registers wide) and `llvm`
    memory access. No tile and no tensor is left.

    A tile is computed once into a buffer where that is cheaper than to compute
    it again at each use, see `BufferPlan.h`. Everything else is fused into the
    loops of its users. Buffers are allocated once a call: on the stack, or from
    `tw_host_scratch` when they are large.

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

    Offsets of pointers are assumed not to wrap around, in the 32 bits or more
    of their integer type, by steps that are small constants.
    Float sums are formed in the order that the vectors give.

    Refuses: calls, unstructured control flow, other rounding than to nearest,
    memory access in a combine region; each with an error at the op.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256",
           "bits of the processor's widest vector register">,
    Option<"maxDimensions", "max-dimensions", "unsigned", "4096",
           "from this many dimensions on, of all tiles of more than three, "
           "a tile takes one loop, not a nest that takes long to compile">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_PASSES
