// PTX that LLVM has no instruction for: predicated and hinted memory accesses,
// atomics with their scopes, conversions.

#pragma once

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

  /// A register of `type` that is written; with `initial` it holds that value
  /// before, so a predicated instruction may leave it alone.
  std::string out(mlir::Type type, mlir::Value initial = {});
  /// A register that is read: an integer of 1, 16, 32 or 64 bits, an f32, an
  /// f64 or a pointer.
  std::string in(mlir::Value value);
  /// `@reg `, or nothing without a predicate.
  std::string predicate(mlir::Value condition);

  /// The values of the outputs. Code with side effects is neither removed nor
  /// moved across memory accesses.
  llvm::SmallVector<mlir::Value> emit(llvm::StringRef text, bool sideEffects);

private:
  mlir::ImplicitLocOpBuilder &b;
  llvm::SmallVector<mlir::Type> outTypes;
  llvm::SmallVector<std::string> outConstraints, inConstraints, tied;
  llvm::SmallVector<mlir::Value> ins, tiedIns;
};

/// Lets nothing of what follows be computed ahead of what comes before, and
/// what `known`, of i32, is computed from not behind it.
///
/// ptxas moves nothing across the end of a block, and does not know that this
/// one, of a program of no grid, never comes. What a branch depends on has to
/// be there by then.
void emitOrderPoint(mlir::ImplicitLocOpBuilder &b, mlir::Value known = {});

/// `{a, b, c}`, or `a` alone.
std::string formatPtxVector(llvm::ArrayRef<std::string> registers);

} // namespace tilewright
