// `nvidia-pipeline`: from optimised `tile` to the LLVM dialect for one GPU.

#ifndef TILEWRIGHT_COMPILER_PIPELINES_NVIDIAPIPELINE_H
#define TILEWRIGHT_COMPILER_PIPELINES_NVIDIAPIPELINE_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace tilewright {

/// The options of the three pipelines. The driver and `tilewright-opt` set the
/// same fields.
struct NvidiaOptions : mlir::PassPipelineOptions<NvidiaOptions> {
  Option<unsigned> computeCapability{
      *this, "compute-capability",
      llvm::cl::desc("10 * major + minor of the GPU's compute capability"),
      llvm::cl::init(80)};
  Option<bool> archSpecific{
      *this, "arch-specific",
      llvm::cl::desc("use architecture-specific features, as sm_90a has"),
      llvm::cl::init(false)};
  Option<unsigned> numWarps{*this, "num-warps",
                            llvm::cl::desc("warps per program, a power of two"),
                            llvm::cl::init(4)};
  Option<unsigned> numStages{
      *this, "num-stages",
      llvm::cl::desc(
          "iterations of a loop with loads in flight at the same time"),
      llvm::cl::init(3)};
  Option<unsigned> clusterSize{
      *this, "cluster-size",
      llvm::cl::desc(
          "CTAs of a cluster at most, a power of two; 1: no clusters"),
      llvm::cl::init(1)};
  Option<bool> pingPong{
      *this, "ping-pong",
      llvm::cl::desc(
          "two warpgroups alternate in computing the tiles of a program"),
      llvm::cl::init(false)};
  Option<bool> singleWave{
      *this, "single-wave",
      llvm::cl::desc("no multiprocessor runs two CTAs of a launch"),
      llvm::cl::init(false)};
  Option<bool> deterministic{
      *this, "deterministic",
      llvm::cl::desc(
          "order programs by tickets if their order affects the result"),
      llvm::cl::init(false)};
  Option<bool> check{
      *this, "check",
      llvm::cl::desc("run the passes that verify the output of others"),
      llvm::cl::init(false)};
  Option<bool> makesMaps{*this, "makes-maps",
                         llvm::cl::desc("kernels may create tensor maps: the "
                                        "assembler reads PTX 8.6"),
                         llvm::cl::init(true)};
  Option<int> maxRegisters{
      *this, "max-registers",
      llvm::cl::desc("registers of a thread at most; 0: the GPU's limit"),
      llvm::cl::init(0)};
  Option<bool> fitRegisters{
      *this, "fit-registers",
      llvm::cl::desc(
          "fail if registers are known at the warp level to be too few"),
      llvm::cl::init(false)};
  Option<bool> cutTf32{
      *this, "cut-tf32",
      llvm::cl::desc("tensor cores truncate float32 operands to tf32; they are "
                     "not rounded first"),
      llvm::cl::init(false)};
};

/// Input: the output of `tile-pipeline`. Output: one `llvm.func` per kernel,
/// ready for translation to PTX.
void buildNvidiaPipeline(mlir::OpPassManager &manager,
                         const NvidiaOptions &options);

/// The part above the `warp` level: chooses layouts, then allocates shared
/// memory and inserts the barriers around it.
void buildTileToWarpPipeline(mlir::OpPassManager &manager,
                             const NvidiaOptions &options);

/// The part below the `warp` level. Input: layouts chosen, shared memory
/// allocated.
void buildWarpToLlvmPipeline(mlir::OpPassManager &manager,
                             const NvidiaOptions &options);

/// Registers `nvidia-pipeline`, `tile-to-warp-pipeline` and
/// `warp-to-llvm-pipeline`.
void registerNvidiaPipelines();

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_PIPELINES_NVIDIAPIPELINE_H
