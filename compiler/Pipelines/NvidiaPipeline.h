// `nvidia-pipeline`: from optimised `tile` to the LLVM dialect for one GPU.

#pragma once

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tilewright {

struct NvidiaOptions {
  /// 10 * major + minor of the compute capability.
  unsigned computeCapability = 80;
  /// Use what only this very GPU has, as sm_90a does.
  bool archSpecific = false;
  /// Warps that run one program, a power of two.
  unsigned numWarps = 4;
  /// Iterations of a loop whose loads are in flight at once.
  unsigned numStages = 3;
  /// Thread blocks of a cluster at most, a power of two; 1: no clusters.
  unsigned clusterSize = 1;
  /// Two warpgroups take the tiles of a program in turn.
  bool pingPong = false;
  /// No multiprocessor runs two programs of a launch.
  bool singleWave = false;
  /// Programs take turns where their order makes a difference.
  bool deterministic = false;
  /// Run the passes that check the compiler's own work.
  bool check = false;
  /// Kernels may make tensor maps: the assembler takes PTX 8.6.
  bool makesMaps = true;
  /// Registers of a thread at most; 0: what the GPU has.
  int maxRegisters = 0;
  /// Fail where it is known at the warp level that they are too few.
  bool fitRegisters = false;
  /// Tensor cores cut off float32 operands in tf32, which are not rounded
  /// first.
  bool cutTf32 = false;
};

/// Input: kernels as `tile-pipeline` leaves them. Output: one `llvm.func` for
/// each, that PTX can be written from.
void buildNvidiaPipeline(mlir::OpPassManager &manager,
                         const NvidiaOptions &options);

/// The part above the `warp` level: chooses layouts, then places
/// shared memory and the barriers around it.
void buildTileToWarpPipeline(mlir::OpPassManager &manager,
                             const NvidiaOptions &options);

/// The part below the `warp` level: layouts chosen, shared memory allocated.
void buildWarpToLlvmPipeline(mlir::OpPassManager &manager,
                             const NvidiaOptions &options);

void registerNvidiaPipelines();

} // namespace tilewright
