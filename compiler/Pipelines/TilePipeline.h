// `tile-pipeline`: what every back end wants done first.

#ifndef TILEWRIGHT_COMPILER_PIPELINES_TILEPIPELINE_H
#define TILEWRIGHT_COMPILER_PIPELINES_TILEPIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tilewright {

/// From what a front end wrote to kernels that call nothing, without common or
/// dead subexpressions, invariant work hoisted out of loops. `inlines`: there
/// may be functions that are called; front ends may have inlined all
/// themselves.
void buildTilePipeline(mlir::OpPassManager &manager, bool inlines = true);

void registerTilePipeline();

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_PIPELINES_TILEPIPELINE_H
