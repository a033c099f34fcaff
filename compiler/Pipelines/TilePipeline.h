// `tile-pipeline`: what every back end wants done first.

#ifndef TILEWRIGHT_COMPILER_PIPELINES_TILEPIPELINE_H
#define TILEWRIGHT_COMPILER_PIPELINES_TILEPIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace tilewright {

/// From what a front end wrote to kernels that call nothing, without common or
/// dead subexpressions, invariant work hoisted out of loops.
void buildTilePipeline(mlir::OpPassManager &manager);

void registerTilePipeline();

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_PIPELINES_TILEPIPELINE_H
