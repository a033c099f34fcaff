// Conditions that tell whether a tile belongs to a ping-pong group.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PINGPONGPARITY_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PINGPONGPARITY_H

#include "dialect/Warp/WarpOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright::warp {

/// Evaluates i1 values that depend only on the ping-pong group and on the
/// parity of loop iterations.
class PingPongParity {
public:
  /// Whether `value` is one of three forms of a parity:
  ///   1. `warp.pingpong_leads`;
  ///   2. the negation of a parity;
  ///   3. a loop-carried value whose initial and yielded values are parities.
  bool isParity(mlir::Value value);

  /// Starts the evaluation for `group`.
  void begin(unsigned group);
  /// Passes loop-carried parities on.
  void pass(mlir::ValueRange from, mlir::ValueRange to);
  /// Returns the current value of a parity in the group.
  bool evaluate(mlir::Value value) const;

private:
  unsigned group = 0;
  llvm::DenseMap<mlir::Value, bool> carried;
  /// Parities, including those assumed during a proof.
  llvm::DenseSet<mlir::Value> known;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PINGPONGPARITY_H
