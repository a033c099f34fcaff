// How a tile goes from registers through shared memory to an array.

#ifndef TILEWRIGHT_LIB_ANALYSIS_TMASTOREPLAN_H
#define TILEWRIGHT_LIB_ANALYSIS_TMASTOREPLAN_H

#include "dialect/Warp/WarpOps.h"
#include "lib/Support/TmaTiling.h"

namespace tilewright {

/// The tile lies in shared memory as `memory`; the copies are those of
/// `copies`. It is stored in rounds: round i holds the offsets, counted in
/// elements, whose bits from `offsetBits` on are i. Two rounds have memory at
/// once.
struct TmaStorePlan {
  LinearLayout memory;
  TmaPlan copies;
  unsigned offsetBits;
  unsigned numRounds;
  int64_t roundBytes;

  int64_t getScratchBytes() const {
    return std::min(numRounds, 2u) * roundBytes;
  }
  static TmaStorePlan get(warp::TmaStoreOp store);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_TMASTOREPLAN_H
