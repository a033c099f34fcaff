// Inline PTX for instructions that LLVM does not have: predicated and hinted
// memory accesses, scoped atomics, conversions.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_INLINEPTX_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_INLINEPTX_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Collects the operands of one piece of inline PTX. Outputs come first, since
/// their numbers do.
///
///     InlinePtx ptx(b);
///     std::string result = ptx.out(i32, /*initial=*/zero);
///     std::string address = ptx.in(pointer);
///     Value loaded = ptx.emit("ld.global.b32 " + result + ", [" + address +
///     "];")[0];
class InlinePtx {
public:
  explicit InlinePtx(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  /// Declares an output register of `type`. With `initial` it is tied to that
  /// value, so a predicated instruction may leave it unchanged.
  std::string out(mlir::Type type, mlir::Value initial = {});
  /// Declares an input register: an integer of 1, 16, 32 or 64 bits, an f32, an
  /// f64 or a pointer.
  std::string in(mlir::Value value);
  /// Returns `@reg `, or an empty string without a condition.
  std::string predicate(mlir::Value condition);

  /// Emits `text` and returns the outputs. Code with side effects is neither
  /// removed nor moved across memory accesses.
  llvm::SmallVector<mlir::Value> emit(llvm::StringRef text, bool sideEffects);

private:
  mlir::ImplicitLocOpBuilder &b;
  llvm::SmallVector<mlir::Type> outTypes;
  llvm::SmallVector<std::string> outConstraints, inConstraints, tied;
  llvm::SmallVector<mlir::Value> ins, tiedIns;
};

/// Emits a scheduling barrier: ptxas hoists no later code above it. The
/// operands of `known` (i32) are computed before it.
///
/// ptxas moves nothing across the end of a basic block. This block ends in an
/// exit for a grid of zero CTAs, which never happens, as ptxas does not know.
/// The branch depends on `known`, so ptxas must compute that first.
void emitOrderPoint(mlir::ImplicitLocOpBuilder &b, mlir::Value known = {});

/// Returns `{a, b, c}`, or `a` for a single register.
std::string formatPtxVector(llvm::ArrayRef<std::string> registers);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_INLINEPTX_H
