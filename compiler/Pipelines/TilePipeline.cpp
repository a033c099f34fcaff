#include "compiler/Pipelines/TilePipeline.h"

#include "compiler/Pipelines/Canonicalize.h"

#include "lib/Transforms/Tile/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilewright;

void tilewright::buildTilePipeline(OpPassManager &manager, bool inlines) {
  manager.addPass(tile::createTileInternalize());
  manager.addPass(tile::createTileAttachPointerHints());
  if (inlines) {
    // Does not simplify callees first: inlined code is simplified with its
    // surroundings.
    manager.addPass(createInlinerPass({}, [](OpPassManager &) {}));
    manager.addPass(createSymbolDCEPass());
  }
  manager.addPass(createCanonicalizer());
  manager.addPass(tile::createTileCombine());
  manager.addPass(tile::createTileRecomputeCarried());
  manager.addPass(tile::createTileUnifyCounters());
  manager.addPass(tile::createTileUnrollLoops());
  manager.addPass(createCSEPass());
  manager.addPass(tile::createTileHoistInvariants());
  // The loop passes may hoist an op that exists a second time after the loop.
  manager.addPass(createCSEPass());
  manager.addPass(createCanonicalizer());
}

void tilewright::registerTilePipeline() {
  PassPipelineRegistration<>(
      "tile-pipeline", "inline, simplify and hoist at the tile level",
      [](OpPassManager &manager) { buildTilePipeline(manager); });
}
