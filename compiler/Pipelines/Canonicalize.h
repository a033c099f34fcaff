// Canonicalization, as often as pipelines like.

#pragma once

#include <memory>

namespace mlir {
class DialectRegistry;
class Pass;
} // namespace mlir

namespace tilewright {

/// MLIR's canonicalizer, but for the patterns of all dialects, which each
/// instance of it collects anew: here a context collects them once.
std::unique_ptr<mlir::Pass> createCanonicalizer();

/// Lets contexts keep the patterns.
void registerCanonicalizer(mlir::DialectRegistry &registry);

} // namespace tilewright
