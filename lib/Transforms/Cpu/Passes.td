#ifndef TILEWRIGHT_LIB_TRANSFORMS_CPU_PASSES
#define TILEWRIGHT_LIB_TRANSFORMS_CPU_PASSES

include "mlir/Pass/PassBase.td"

def ScalarizeLoopOffsets : Pass<"cpu-scalarize-loop-offsets"> {
  let summary = "carries the distance that a tile has moved instead of the tile";
  let description = [{
    Purpose: a kernel that steps its pointers through memory carries a tile of
    pointers in its loop. On the CPU that would be a buffer of addresses, copied
    in each iteration, whose structure is lost to later passes.

    Input: `scf.for` loops at the `tile` level.

    Output: if a loop only adds the same scalar to all elements of a carried tile
    of pointers or integers, it carries the sum of these scalars (i64 for
    pointers) instead. The tile is built from its initial value.

    ```mlir
    // before
    %r = scf.for %k = %lo to %hi step %s iter_args(%p = %p0) -> tensor<64x!tile.ptr<f32>> {
      %x = tile.load %p
      %step = tile.splat %stride : i32 -> tensor<64xi32>
      %n = tile.addptr %p, %step
      scf.yield %n
    }
    // after
    %d = scf.for %k = %lo to %hi step %s iter_args(%d = %c0) -> i64 {
      %o = tile.splat %d : i64 -> tensor<64xi64>
      %p = tile.addptr %p0, %o
      %x = tile.load %p
      %w = arith.extsi %stride : i32 to i64
      %n = arith.addi %d, %w : i64
      scf.yield %n
    }
    ```

    Leaves alone: tiles that change otherwise, and `scf.while`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ExpandVectorMath : Pass<"cpu-expand-vector-math"> {
  let summary = "writes f32 functions as polynomials";
  let description = [{
    Purpose: a function call per element would undo vectorisation.

    Input: `math` ops on scalars and vectors of f32 and f64.

    Output: f32 functions as arithmetic on whole vectors. Those of f64 are split
    into vectors of one register, for which the vector mathematics library has
    functions.

    ```mlir
    // before
    %y = math.exp2 %x : vector<32xf32>
    // after: a polynomial for the fraction, the integer part in the exponent
    ```
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", "256",
           "bits of the processor's widest vector register">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerControlFlow : Pass<"cpu-lower-control-flow"> {
  let summary = "turns loops and branches of blocks into branches";
  let description = [{
    Purpose: counted loops also end correctly at the limits of the counter's type,
    where the count after the last one wraps around.

    Input: ops of `scf`.

    Output: ops of `cf`, none of `scf`. A loop with steps of 1, or whose end is
    known to be far enough from the limit of the type, tests whether the next count
    is below its end. Other loops test whether the current count is below the end
    minus a step.

    ```mlir
    // before
    scf.for %i = %lo to %hi step %s : i32 { ... }
    // after
    %before = ... // %hi - %s, or the least i32 where that is less
    cf.cond_br %any, ^body(%lo), ^end
    ^body(%i: i32):
      ...
      %on = arith.cmpi slt, %i, %before : i32
      %n = arith.addi %i, %s : i32
      cf.cond_br %on, ^body(%n), ^end
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect"];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_CPU_PASSES
