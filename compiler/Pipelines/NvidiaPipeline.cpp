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

using namespace mlir;
using namespace tilewright;

static void addCleanup(OpPassManager &manager) {
  manager.addPass(createCanonicalizer());
  manager.addPass(createCSEPass());
  manager.addPass(tile::createTileHoistInvariants());
}

void tilewright::buildTileToWarpPipeline(OpPassManager &manager,
                                         const NvidiaOptions &options) {
  manager.addPass(tile_gpu::createCheckExplicit(
      {options.computeCapability, options.archSpecific}));
  const bool hasWgmma =
      NvidiaTarget{options.computeCapability, options.archSpecific}.hasWgmma();
  if (hasWgmma)
    manager.addPass(tile::createTileDropWraparound());
  manager.addPass(tile::createTileNarrowLoads());
  manager.addPass(tile::createTileSpeculateLoads());
  manager.addPass(tile_gpu::createSliceStores({options.numWarps}));
  manager.addPass(tile_gpu::createSplitBlocks(
      {options.numWarps, options.computeCapability, options.archSpecific}));
  if (options.deterministic)
    manager.addPass(warp::createOrderPrograms());
  if (hasWgmma)
    manager.addPass(tile_gpu::createFormDescriptors(
        {options.numWarps, options.computeCapability, options.archSpecific,
         options.numStages}));
  manager.addPass(
      tile_gpu::createSelectTma({options.numWarps, options.computeCapability,
                                 options.archSpecific, options.makesMaps}));
  addCleanup(manager);
  manager.addPass(warp::createConvertTileToWarp(
      {options.numWarps, options.computeCapability, options.archSpecific,
       options.cutTf32, options.numStages}));
  addCleanup(manager);
  NvidiaTarget target{options.computeCapability, options.archSpecific};
  int64_t numStages = options.numStages, limit = target.getSharedMemoryLimit();
  if (target.hasWgmma()) {
    manager.addPass(warp::createMakePersistent({options.singleWave}));
    manager.addPass(warp::createStageStores());
    manager.addPass(
        warp::createSpecialize({numStages, limit, options.pingPong}));
    manager.addPass(warp::createDropCarried());
    if (options.clusterSize > 1)
      manager.addPass(warp::createFormClusters({options.clusterSize}));
  }
  // Before later passes move parts of an iteration out of the loop.
  manager.addPass(warp::createReportTraffic());
  if (target.hasWgmma()) {
    manager.addPass(warp::createPipelineChainedDots());
    manager.addPass(warp::createInterleaveDots());
    manager.addPass(warp::createBindTensorMaps({options.check}));
  }
  manager.addPass(warp::createPipelineLoops({numStages, limit}));
  if (target.hasWgmma()) {
    manager.addPass(warp::createDeferWgmmaWaits({limit}));
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
  if (options.check) {
    manager.addPass(warp::createCheckBarriers());
    manager.addPass(warp::createCheckRings());
  }
  // After the checks, which analyse each wgmma separately.
  if (target.hasWgmma()) {
    manager.addPass(warp::createMergeWgmma());
    manager.addPass(warp::createStrengthReduceDiv());
  }
}

void tilewright::buildWarpToLlvmPipeline(OpPassManager &manager,
                                         const NvidiaOptions &options) {
  manager.addPass(tile::createTileGuardDivisions());
  if (NvidiaTarget{options.computeCapability, options.archSpecific}.hasWgmma())
    manager.addPass(warp::createPinAccumulators());
  manager.addPass(createConvertWarpToLLVM(
      {options.computeCapability, options.archSpecific}));
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
