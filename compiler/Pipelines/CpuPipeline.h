// The CPU back end's pipeline, from the `tile` level to the LLVM dialect.

#ifndef TILEWRIGHT_COMPILER_PIPELINES_CPUPIPELINE_H
#define TILEWRIGHT_COMPILER_PIPELINES_CPUPIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace tilewright {

struct CpuOptions : mlir::PassPipelineOptions<CpuOptions> {
  Option<unsigned> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("bits of the processor's widest vector register"),
      llvm::cl::init(256)};
};

/// Adds the passes that lower a module of inlined `tile` kernels to the LLVM
/// dialect. Each kernel becomes one function of the host's calling convention:
/// NAME(args, grid, begin, end).
void buildCpuPipeline(mlir::OpPassManager &pm, const CpuOptions &options);

/// Registers the pipeline as `cpu-pipeline`.
void registerCpuPipeline();

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_PIPELINES_CPUPIPELINE_H
