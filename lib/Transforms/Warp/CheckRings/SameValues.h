// Proves that values of two roles are the same, though each role computes its
// own.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SAMEVALUES_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_SAMEVALUES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <set>

namespace tilewright::warp {

/// Compares the computations of values: the same ops on the same values.
///   1. Loop-carried values are the same by induction over initial and yielded
///      values.
///   2. Induction variables are the same in the same iteration.
///   3. Loads of both roles from the same address are assumed to be the same.
class SameValues {
public:
  bool areSame(mlir::Value a, mlir::Value b);

  /// Whether two loops have the same trip count.
  bool areSame(mlir::Operation *a, mlir::Operation *b);

  /// Whether `rest` runs the iterations of `all` except the first one.
  bool isRestOf(mlir::scf::ForOp rest, mlir::scf::ForOp all);

  /// Returns true if `compare` holds exactly if `loop` runs at all, false if it
  /// is the negation, and nothing otherwise.
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
