// Plans the store of a tile from registers through shared memory to an array.
//
// Each warpgroup stores its part of the tile on its own if the parts are
// disjoint in shared memory: the warpgroup number alone decides some bits of
// the offset, and nothing else. These bits are moved to the top, so that the
// parts are consecutive. The boxes of the copies are cut to fit inside a part.
// Otherwise all warps store the tile together.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMASTOREPLAN_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMASTOREPLAN_H

#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/TmaTiling.h"

namespace tilewright {

/// A part is stored in rounds: round i has the offsets in the part, counted in
/// elements, whose bits from `offsetBits` on are i. Shared memory holds one or
/// two rounds of each part. With two, threads write one while the other is
/// copied.
struct TmaStorePlan {
  /// The layout of the tile in shared memory.
  LinearLayout memory;
  /// The copies of the first part.
  TmaPlan copies;
  /// The distance in the tile that each bit of a part's number adds to the
  /// start of the part.
  llvm::SmallVector<llvm::SmallVector<int64_t>> partStarts;
  unsigned offsetBits = 0, numRounds = 0;
  int64_t roundBytes = 0;

  unsigned getNumParts() const { return 1u << partStarts.size(); }
  /// The minimum and maximum size of the staging memory.
  int64_t getLeastBytes() const { return getNumParts() * roundBytes; }
  int64_t getStagingBytes() const {
    return std::min(numRounds, 2u) * getLeastBytes();
  }

  /// The plan for a tile with a layout.
  static TmaStorePlan get(mlir::RankedTensorType type);
};

/// The type of the staging memory of stores: a row of bytes.
warp::SharedType getStagingType(mlir::MLIRContext *context, int64_t bytes);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMASTOREPLAN_H
