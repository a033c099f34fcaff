#include "compiler/Pipelines/NvidiaPipeline.h"

#include "compiler/Pipelines/Canonicalize.h"

#include "lib/Analysis/Target/NvidiaTarget.h"
#include "lib/Conversion/TileToWarp/Passes.h"
#include "lib/Conversion/WarpToLLVM/Passes.h"
#include "lib/Transforms/Tile/Passes.h"
#include "lib/Transforms/TileGpu/Passes.h"
#include "lib/Transforms/Warp/Passes.h"

#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tilewright;

/// The target, as the analyses see it.
static NvidiaTarget getTarget(const NvidiaOptions &options) {
  return {options.computeCapability, options.archSpecific, options.makesMaps};
}

template <typename PassOptions>
using NumWarpsField = decltype(PassOptions::numWarps);

template <typename PassOptions>
using ArchitectureField = decltype(PassOptions::computeCapability);

/// Returns a pass's options, with those of TargetOptions.td set that it has.
template <typename PassOptions>
static PassOptions getTargetOptions(const NvidiaOptions &options) {
  PassOptions result;
  if constexpr (llvm::is_detected<NumWarpsField, PassOptions>::value)
    result.numWarps = options.numWarps;
  if constexpr (llvm::is_detected<ArchitectureField, PassOptions>::value) {
    result.computeCapability = options.computeCapability;
    result.archSpecific = options.archSpecific;
  }
  return result;
}

static void addCleanup(OpPassManager &manager) {
  manager.addPass(createCanonicalizer());
  manager.addPass(createCSEPass());
  manager.addPass(tile::createTileHoistInvariants());
}

/// Simplifies loads, splits blocks into powers of two and selects TMA accesses.
static void prepareTiles(OpPassManager &manager, const NvidiaOptions &options) {
  const bool hasWgmma = getTarget(options).hasWgmma();
  manager.addPass(tile_gpu::createCheckExplicit(
      getTargetOptions<tile_gpu::CheckExplicitOptions>(options)));
  if (hasWgmma)
    manager.addPass(tile::createTileDropWraparound());
  manager.addPass(tile::createTileNarrowLoads());
  manager.addPass(tile::createTileSpeculateLoads());
  manager.addPass(tile_gpu::createSliceStores(
      getTargetOptions<tile_gpu::SliceStoresOptions>(options)));
  manager.addPass(tile_gpu::createSplitBlocks(
      getTargetOptions<tile_gpu::SplitBlocksOptions>(options)));
  if (options.deterministic)
    manager.addPass(warp::createOrderPrograms());
  if (hasWgmma) {
    auto form = getTargetOptions<tile_gpu::FormDescriptorsOptions>(options);
    form.numStages = options.numStages;
    manager.addPass(tile_gpu::createFormDescriptors(form));
  }
  auto select = getTargetOptions<tile_gpu::SelectTmaOptions>(options);
  select.makesMaps = options.makesMaps;
  manager.addPass(tile_gpu::createSelectTma(select));
  addCleanup(manager);
}

/// Gives each tile a layout and each dot its instruction.
static void chooseLayouts(OpPassManager &manager,
                          const NvidiaOptions &options) {
  auto convert = getTargetOptions<warp::ConvertTileToWarpOptions>(options);
  convert.cutTf32 = options.cutTf32;
  convert.numStages = options.numStages;
  manager.addPass(warp::createConvertTileToWarp(convert));
  addCleanup(manager);
}

/// Forms persistent CTAs, producer and consumer roles, and clusters.
static void specializeRoles(OpPassManager &manager,
                            const NvidiaOptions &options) {
  const NvidiaTarget target = getTarget(options);
  if (!target.hasWgmma())
    return;
  manager.addPass(warp::createMakePersistent({options.singleWave}));
  manager.addPass(warp::createStageStores());
  manager.addPass(warp::createSpecialize(
      {options.numStages, target.getSharedMemoryLimit(), options.pingPong}));
  manager.addPass(warp::createDropCarried());
  if (options.clusterSize > 1)
    manager.addPass(warp::createFormClusters({options.clusterSize}));
}

/// Overlaps copies and dots of different iterations of a loop.
static void pipelineLoops(OpPassManager &manager,
                          const NvidiaOptions &options) {
  const NvidiaTarget target = getTarget(options);
  if (target.hasWgmma()) {
    manager.addPass(warp::createPipelineChainedDots());
    manager.addPass(warp::createInterleaveDots());
    manager.addPass(warp::createBindTensorMaps({options.check}));
  }
  manager.addPass(warp::createPipelineLoops(
      {options.numStages, target.getSharedMemoryLimit()}));
}

/// Orders `wgmma`, its waits, loads and layout conversions.
static void scheduleOps(OpPassManager &manager, const NvidiaOptions &options) {
  const NvidiaTarget target = getTarget(options);
  if (target.hasWgmma()) {
    manager.addPass(
        warp::createDeferWgmmaWaits({target.getSharedMemoryLimit()}));
    manager.addPass(warp::createMergeWgmmaWaits());
    manager.addPass(warp::createHoistEpilogueScalars());
  }
  manager.addPass(warp::createRelaxSpins());
  manager.addPass(warp::createPrefetchLoads({options.maxRegisters}));
  manager.addPass(createCanonicalizer());
  manager.addPass(createCSEPass());
  manager.addPass(warp::createHoistLoads());
  manager.addPass(warp::createSinkConversions());
  if (target.hasWgmma()) {
    manager.addPass(warp::createPrefetchTileCoords());
    manager.addPass(warp::createFillWgmmaWaits());
  }
}

/// Assigns shared memory offsets and inserts barriers and fences around uses.
static void allocateSharedMemory(OpPassManager &manager,
                                 const NvidiaOptions &options) {
  const NvidiaTarget target = getTarget(options);
  manager.addPass(warp::createAllocateShared(
      {target.getSharedMemoryLimit(),
       "sm_" + std::to_string(target.computeCapability)}));
  if (target.hasWgmma())
    manager.addPass(warp::createThrottleProducer());
  manager.addPass(
      warp::createCheckRegisters({options.maxRegisters, options.fitRegisters}));
  manager.addPass(warp::createInsertBarriers());
  if (target.hasWgmma())
    manager.addPass(warp::createInsertProxyFences());
}

/// Verifies barriers and rings, which earlier passes made.
static void checkSynchronization(OpPassManager &manager,
                                 const NvidiaOptions &options) {
  if (!options.check)
    return;
  manager.addPass(warp::createCheckBarriers());
  manager.addPass(warp::createCheckRings());
}

/// Merges `wgmma` and reduces divisions, after the checks, which analyse each
/// `wgmma` separately.
static void finishWarps(OpPassManager &manager, const NvidiaOptions &options) {
  if (!getTarget(options).hasWgmma())
    return;
  manager.addPass(warp::createMergeWgmma());
  manager.addPass(warp::createStrengthReduceDiv());
}

void tilewright::buildTileToWarpPipeline(OpPassManager &manager,
                                         const NvidiaOptions &options) {
  prepareTiles(manager, options);
  chooseLayouts(manager, options);
  specializeRoles(manager, options);
  // Before later passes move parts of an iteration out of the loop.
  manager.addPass(warp::createReportTraffic());
  pipelineLoops(manager, options);
  scheduleOps(manager, options);
  allocateSharedMemory(manager, options);
  checkSynchronization(manager, options);
  finishWarps(manager, options);
}

void tilewright::buildWarpToLlvmPipeline(OpPassManager &manager,
                                         const NvidiaOptions &options) {
  manager.addPass(tile::createTileGuardDivisions());
  if (getTarget(options).hasWgmma())
    manager.addPass(warp::createPinAccumulators());
  manager.addPass(createConvertWarpToLLVM(
      getTargetOptions<ConvertWarpToLLVMOptions>(options)));
  manager.addPass(createReconcileUnrealizedCastsPass());
  manager.addPass(createCheckNvidiaLegality());
  manager.addPass(createAttachLines());
}

void tilewright::buildNvidiaPipeline(OpPassManager &manager,
                                     const NvidiaOptions &options) {
  buildTileToWarpPipeline(manager, options);
  buildWarpToLlvmPipeline(manager, options);
}

void tilewright::registerNvidiaPipelines() {
  PassPipelineRegistration<NvidiaOptions>(
      "nvidia-pipeline", "tile kernels to the LLVM dialect for NVIDIA GPUs",
      buildNvidiaPipeline);
  PassPipelineRegistration<NvidiaOptions>(
      "tile-to-warp-pipeline", "tile kernels to kernels with layouts",
      buildTileToWarpPipeline);
  PassPipelineRegistration<NvidiaOptions>(
      "warp-to-llvm-pipeline",
      "kernels with layouts and shared memory to the LLVM dialect",
      buildWarpToLlvmPipeline);
}
