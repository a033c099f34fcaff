// Which team's turn it is, in a role of teams.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PINGPONGTURNS_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PINGPONGTURNS_H

#include "dialect/Warp/WarpOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright::warp {

/// Knows the values that follow from which team has the first turn, and from
/// how often loops have gone round, alone.
class PingPongTurns {
public:
  /// Whether `value` is such a turn: whether the team leads, the opposite of a
  /// turn, or what a loop carries that starts as one and follows from one.
  bool isTurn(mlir::Value value);

  /// Begins with the steps of `team`.
  void begin(unsigned team);
  /// Hands on what a loop carries.
  void pass(mlir::ValueRange from, mlir::ValueRange to);
  /// What a value that is a turn is for the team, here.
  bool evaluate(mlir::Value value) const;

private:
  unsigned team = 0;
  llvm::DenseMap<mlir::Value, bool> carried;
  /// Values that are turns, or are taken to be while that is being proved.
  llvm::DenseSet<mlir::Value> known;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PINGPONGTURNS_H
