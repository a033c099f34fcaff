// Makes dialects, passes and pipelines known.

#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilewright {

/// All dialects that a kernel passes through, with the interfaces that
/// conversions, bufferisation, inlining and translation to LLVM IR need.
void registerDialects(mlir::DialectRegistry &registry);

/// All passes and named pipelines, for tilewright-opt. Call it once.
void registerPasses();

} // namespace tilewright
