// `nvidia-pipeline`: from optimised `tile` to the LLVM dialect for one GPU.

#pragma once

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tilewright {

struct NvidiaOptions {
  /// 10 * major + minor of the compute capability.
  unsigned computeCapability = 80;
  /// Use architecture-specific features, as sm_90a has.
  bool archSpecific = false;
  /// Warps per program, a power of two.
  unsigned numWarps = 4;
  /// Iterations of a loop with loads in flight at the same time.
  unsigned numStages = 3;
  /// CTAs of a cluster at most, a power of two; 1: no clusters.
  unsigned clusterSize = 1;
  /// Two warpgroups alternate in computing the tiles of a program.
  bool pingPong = false;
  /// No multiprocessor runs two CTAs of a launch.
  bool singleWave = false;
  /// Order programs by tickets if their order affects the result.
  bool deterministic = false;
  /// Run the passes that verify the output of others.
  bool check = false;
  /// Kernels may create tensor maps: the assembler reads PTX 8.6.
  bool makesMaps = true;
  /// Registers of a thread at most; 0: the GPU's limit.
  int maxRegisters = 0;
  /// Fail if registers are known at the warp level to be too few.
  bool fitRegisters = false;
  /// Tensor cores truncate float32 operands to tf32; they are not rounded
  /// first.
  bool cutTf32 = false;
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

void registerNvidiaPipelines();

} // namespace tilewright
