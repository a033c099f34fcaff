// The list of back ends. A new one is added here and in a file of its own.

#include "compiler/Targets/Targets.h"
#include "compiler/PassTimes.h"
#include "compiler/Pipelines/TilePipeline.h"
#include "compiler/SourceLines.h"
#include "dialect/Tile/TileOps.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

llvm::ArrayRef<const tilewright::Target *> tilewright::getTargets() {
  static const Target *const targets[] = {&getCpuTarget(), &getNvidiaTarget()};
  return targets;
}

LogicalResult
tilewright::runPipeline(ModuleOp module, llvm::StringRef stage,
                        const CompileOptions &options, Artifact &artifact,
                        llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  // Verification after each pass is slow: benchmarks/notes/compile-time.md.
  manager.enableVerifier(options.debug);
  manager.addInstrumentation(createPassTimes(stage, artifact.times));
  build(manager);
  if (failed(manager.run(module)))
    return failure();
  // LLVM verifies the output of the last stage.
  if (options.debug || stage == "llvm")
    return success();
  PhaseTimer timer(&artifact.times, stage, "verify");
  return verify(module);
}

void tilewright::keepStage(ModuleOp module, llvm::StringRef stage,
                           const CompileOptions &options, Artifact &artifact) {
  if (!options.keeps(stage))
    return;
  PhaseTimer timer(&artifact.times, stage, "print");
  llvm::raw_string_ostream os(artifact.stages[stage.str()]);
  const OpPrintingFlags flags = OpPrintingFlags().assumeVerified();
  if (!options.report) {
    module.print(os, flags);
    return;
  }
  AsmState::LocationMap locations;
  AsmState state(module, flags, &locations);
  module.print(os, state);
  artifact.lines[stage] = getSourceLines(locations);
}

LogicalResult tilewright::runTilePipeline(ModuleOp module,
                                          const CompileOptions &options,
                                          Artifact &artifact) {
  // The Python front end inlines calls itself.
  const bool inlines = !llvm::hasSingleElement(module.getOps<tile::FuncOp>());
  if (failed(runPipeline(
          module, "tile", options, artifact,
          [&](OpPassManager &pm) { buildTilePipeline(pm, inlines); })))
    return failure();
  keepStage(module, "tile", options, artifact);
  return success();
}
