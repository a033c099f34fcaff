// Registers dialects, passes and pipelines.

#ifndef TILEWRIGHT_COMPILER_REGISTRATION_H
#define TILEWRIGHT_COMPILER_REGISTRATION_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tilewright {

/// Registers all dialects that a kernel passes through, with the interfaces
/// that conversions, bufferisation, inlining and translation to LLVM IR need.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers all passes and named pipelines, for tilewright-opt. Call it once.
void registerPasses();

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_REGISTRATION_H
