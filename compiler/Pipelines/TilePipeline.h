// `tile-pipeline`: the first passes of every back end.

#ifndef TILEWRIGHT_COMPILER_PIPELINES_TILEPIPELINE_H
#define TILEWRIGHT_COMPILER_PIPELINES_TILEPIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tilewright {

/// Lowers a front end's module to kernels without calls, common subexpressions
/// and dead code, with loop invariants hoisted. `inlines`: the module may have
/// functions to inline; front ends may have inlined all calls themselves.
void buildTilePipeline(mlir::OpPassManager &manager, bool inlines = true);

void registerTilePipeline();

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_PIPELINES_TILEPIPELINE_H
