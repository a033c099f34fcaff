// Which values of two roles are the same, though each role computes its own.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SAMEVALUES_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SAMEVALUES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <set>

namespace tilewright::warp {

/// Compares how values are computed, by the same ops from the same values. What
/// loops carry is the same if it starts so, and follows so from what is the
/// same. Counters of loops are the same in iterations of one number. Loads of
/// both roles are taken to find the same.
class SameValues {
public:
  bool areSame(mlir::Value a, mlir::Value b);

  /// Whether two loops run equally often.
  bool areSame(mlir::Operation *a, mlir::Operation *b);

  /// Whether `rest` does the iterations of `all` but the first one.
  bool isRestOf(mlir::scf::ForOp rest, mlir::scf::ForOp all);

  /// Whether `compare` holds where `loop` runs at all (true), or where it does
  /// not (false).
  std::optional<bool> isGuard(mlir::arith::CmpIOp compare,
                              mlir::scf::ForOp loop);

private:
  using Pair = std::pair<const void *, const void *>;

  bool prove(llvm::function_ref<bool()> check);
  bool check(mlir::Value a, mlir::Value b);
  bool checkRange(mlir::ValueRange a, mlir::ValueRange b);
  bool checkOps(mlir::Operation *a, mlir::Operation *b, unsigned result);
  bool checkCarried(mlir::Operation *a, mlir::Operation *b, unsigned indexOfA,
                    unsigned indexOfB);
  bool checkArguments(mlir::BlockArgument a, mlir::BlockArgument b);
  bool checkLoops(mlir::Operation *a, mlir::Operation *b);

  std::set<Pair> proved, assumed;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SAMEVALUES_H
