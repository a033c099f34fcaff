// Canonicalization, as often as pipelines like.

#pragma once

#include <memory>

namespace mlir {
class DialectRegistry;
class Pass;
} // namespace mlir

namespace tilewright {

/// MLIR's canonicalizer, whose every instance collects the patterns of all
/// dialects anew: here a context collects them once, which is most of the time
/// that it takes for a small kernel.
std::unique_ptr<mlir::Pass> createCanonicalizer();

/// Lets contexts keep the patterns.
void registerCanonicalizer(mlir::DialectRegistry &registry);

} // namespace tilewright
