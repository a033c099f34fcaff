// Finds the last use of the slots of a ring.

#ifndef TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_RINGUSES_H
#define TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_RINGUSES_H

#include "dialect/Warp/WarpOps.h"

#include "llvm/ADT/SmallVector.h"

namespace tilewright {

/// The uses of a ring that one role fills by copies and another one reads.
class RingUses {
public:
  explicit RingUses(warp::RingOp ring);

  /// Whether the slots are unused from `op` on: it is in the consumer role,
  /// after all of its uses of the ring. All copies have been waited for then.
  /// The barriers of the ring may still be in use.
  bool areDoneBefore(mlir::Operation *op) const;

private:
  /// The roles, and the number of the consumer. Null if there is no such role.
  warp::SpecializeOp roles;
  unsigned consumer = 0;
  /// The uses of the ring and its slots by the consumer.
  llvm::SmallVector<mlir::Operation *> reads;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_RINGUSES_H
