include "lib/Analysis/Target/TargetOptions.td"

include "mlir/Pass/PassBase.td"

def ConvertWarpToLLVM : Pass<"convert-warp-to-llvm", "::mlir::ModuleOp"> {
  let summary = "kernels on tiles in registers to one thread's LLVM dialect";
  let description = [{
    Every tile becomes one scalar per register of its layout, and each op
    becomes the work of one thread. Control flow becomes branches.

    Input: functions are kernels with `warp.num_warps`; every tile has a
    `#warp.linear` layout of power-of-two shape; ops that use shared memory
    carry `warp.shared_offset`; barriers are in place.

    Output: `llvm.func` with `nvvm.kernel` and `nvvm.reqntid`, holding ops of the
    LLVM and NVVM dialects only.

    Refuses constants that are not splats, calls, and functions that are not
    kernels.
  }];
  let options = architectureOptions;
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
}

def CheckNvidiaLegality : Pass<"nvidia-check-legality", "::mlir::ModuleOp"> {
  let summary = "refuse ops that LLVM cannot select for NVIDIA GPUs";
  let description = [{
    The code generator aborts at an op that it cannot select. This pass reports
    an error at the location of the op instead.

    Input: the end of lowering. Output: the same IR, which holds only ops of the
    LLVM and NVVM dialects, intrinsics that are known to be selectable, and
    calls of functions that are defined or provided.

    ```mlir
    %1 = llvm.intr.sin(%0) : (f32) -> f32
    // error: 'sin' of 'f32' has no code on NVIDIA GPUs
    ```
  }];
}

def AttachLines : Pass<"nvidia-attach-lines", "::mlir::ModuleOp"> {
  let summary = "scopes for the lines of the source, for profilers";
  let description = [{
    LLVM writes the line of an instruction only if the line has a scope: the
    function, or a file within it.

    Input: the end of lowering, ops with locations in files. Output: the same
    ops. Each function is a subprogram of one compile unit that emits directives
    only. Locations of calls, and those in other files than the function's, name
    their file.

    ```mlir
    llvm.func @kernel() {
      llvm.return loc(callsite("b.py":3:1 at "a.py":7:5))
    } loc("a.py":1:1)
    // becomes, with block_file the file "b.py" in the subprogram of @kernel,
    llvm.func @kernel() {
      llvm.return loc(callsite(fused<#block_file>["b.py":3:1] at "a.py":7:5))
    } loc(fused<#subprogram>["a.py":1:1])
    ```

    Refuses nothing: an op without a line stays without one.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}
