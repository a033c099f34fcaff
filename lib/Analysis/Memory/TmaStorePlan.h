// How a tile goes from registers through shared memory to an array.
//
// Each warpgroup stores its part of the tile on its own where the parts are
// apart in shared memory: where the number of the warpgroup alone decides some
// bits of the offset, and nothing else does. Those bits are put on top, so that
// the parts lie one behind the other, and the boxes of the copies are made
// small enough to stay inside a part. Otherwise all warps store the tile
// together.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMASTOREPLAN_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMASTOREPLAN_H

#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/TmaTiling.h"

namespace tilewright {

/// A part is stored in rounds: round i holds the offsets in the part, counted
/// in elements, whose bits from `offsetBits` on are i. One or two rounds of
/// each part have memory at once: with two, threads write one while the other
/// is copied.
struct TmaStorePlan {
  /// Where the elements of the tile lie.
  LinearLayout memory;
  /// The copies of the first part.
  TmaPlan copies;
  /// For each bit of the number of a part, how much further on in the tile a
  /// part starts if the bit is set.
  llvm::SmallVector<llvm::SmallVector<int64_t>> partStarts;
  unsigned offsetBits = 0, numRounds = 0;
  int64_t roundBytes = 0;

  unsigned getNumParts() const { return 1u << partStarts.size(); }
  /// The memory that is needed, and the most that is used.
  int64_t getLeastBytes() const { return getNumParts() * roundBytes; }
  int64_t getStagingBytes() const {
    return std::min(numRounds, 2u) * getLeastBytes();
  }

  /// Of a tile with a layout.
  static TmaStorePlan get(mlir::RankedTensorType type);
};

/// The type of the memory that tiles are stored through: a row of bytes.
warp::SharedType getStagingType(mlir::MLIRContext *context, int64_t bytes);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMASTOREPLAN_H
