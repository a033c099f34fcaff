// Who uses the slots of a ring, and until when.

#pragma once

#include "dialect/Warp/WarpOps.h"

#include "llvm/ADT/SmallVector.h"

namespace tilewright {

/// The uses of a ring that one role fills by copies and another one reads.
class RingUses {
public:
  explicit RingUses(warp::RingOp ring);

  /// Whether nobody touches the slots any more where `op` is reached: it stands
  /// in the role that reads the ring, behind all that it does with it. What is
  /// filled has all been waited for then. The barriers of the ring may still be
  /// in use.
  bool areDoneBefore(mlir::Operation *op) const;

private:
  /// The role that reads, of `roles`; null if the slots are used otherwise.
  warp::SpecializeOp roles;
  unsigned reader = 0;
  /// What it does with the ring and its slots.
  llvm::SmallVector<mlir::Operation *> reads;
};

} // namespace tilewright
