#include "lib/Analysis/Layout/TileSize.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Layout/LayoutAssignment.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;

/// Elements of a block that a warp may hold. The limit on values, 1024 a
/// thread, is four times the registers of a thread and bounds the time of the
/// assembler (benchmarks/notes/assembler-time.md). Other elements repeat or
/// count, and are computed where they are used.
static constexpr int64_t kMaxElementsOfWarp = 2048 * 32,
                         kMaxValuesOfWarp = 1024 * 32;

/// Whether nearly every element of the result has to be in a register.
static bool isHeld(Operation *op, RankedTensorType tile) {
  if (isa<tile::LoadOp>(op))
    return true;
  return isa<FloatType>(tile.getElementType()) &&
         (isElementwise(op) || isa<LoopLikeOpInterface>(op)) &&
         !op->hasTrait<OpTrait::ConstantLike>();
}

LogicalResult warp::checkTileSize(Operation *op, RankedTensorType tile,
                                  int64_t numElements, int64_t numWarps) {
  const int64_t maxElements =
      numWarps * (isHeld(op, tile) ? kMaxValuesOfWarp : kMaxElementsOfWarp);
  if (numElements > maxElements)
    return op->emitError("a block that ")
           << numWarps << " warps hold has at most " << maxElements
           << " elements, got " << tile
           << ": loop over smaller blocks, or use more warps";
  if (tile.getRank() > kMaxLayoutRank)
    return op->emitError("a block has at most ")
           << kMaxLayoutRank << " dimensions, got " << tile;
  return success();
}
