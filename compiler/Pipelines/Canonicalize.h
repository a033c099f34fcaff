// A canonicalizer that is cheap to create.

#ifndef TILEWRIGHT_COMPILER_PIPELINES_CANONICALIZE_H
#define TILEWRIGHT_COMPILER_PIPELINES_CANONICALIZE_H

#include <memory>

namespace mlir {
class DialectRegistry;
class Pass;
} // namespace mlir

namespace tilewright {

/// MLIR's canonicalizer, except that a context collects the patterns of all
/// dialects once. MLIR's collects them in every instance.
std::unique_ptr<mlir::Pass> createCanonicalizer();

/// Lets contexts store the patterns.
void registerCanonicalizer(mlir::DialectRegistry &registry);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_PIPELINES_CANONICALIZE_H
