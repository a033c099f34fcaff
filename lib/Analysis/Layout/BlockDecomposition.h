// Blocks of any size in pieces whose sides are powers of two.
//
// # The cut
//
// Layouts cover tiles whose sides are powers of two. Any other side is cut into
// *segments* that are: 192 into 128 + 64, 176 into 128 + 32 + 16. A block is
// then a grid of *pieces*, in row-major order, one for each choice of a segment
// along each side. The pieces are tiles of their own, with registers, layouts
// and instructions of their own, so a block costs what its pieces hold.
//
// The last segment of a side may reach past the side's end: 100 is held as 128,
// since 64 + 32 + 16 would be more instructions for hardly fewer registers.
// What stands there is *padding*; it has any value and must not be seen.
//
// How a side is cut depends on its size alone, all over a function. So the
// pieces of two blocks of one shape match, and those of a row and of the matrix
// that it is repeated into do along the side that they have in common.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright {

/// `size` places, a power of two, of a side from `start` on, of which the first
/// `held` have an element.
struct Segment {
  int64_t start, size, held;
  bool isPadded() const { return held < size; }
};

/// One segment of each side of a block.
struct Piece {
  llvm::SmallVector<Segment> sides;
  /// Which segment of each side it is.
  llvm::SmallVector<size_t> place;

  llvm::SmallVector<int64_t> getShape() const;
  bool isPadded() const;
};

/// Whether `type` is a tile with a side that is no power of two.
bool needsCut(mlir::Type type);

class BlockCut {
public:
  /// Segments are as small as 16; those of sides that products contract as long
  /// as an instruction is deep, and those of their rows as long as a warpgroup
  /// is high where it computes them. Columns that warpgroups compute are cut
  /// more readily than other sides.
  BlockCut(tile::FuncOp func, const NvidiaTarget &target);

  /// A power of two is one segment.
  llvm::SmallVector<Segment> getSegments(int64_t side) const;
  /// The pieces of a tile of `shape`, in row-major order. A tile whose sides
  /// are powers of two is one piece.
  llvm::SmallVector<Piece> getPieces(llvm::ArrayRef<int64_t> shape) const;
  /// The number of the piece at `place` among those of a tile of `shape`.
  size_t getNumber(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<size_t> place) const;
  /// The elements and the padding of all pieces.
  int64_t countPlaces(mlir::Type tile) const;

private:
  void requireOfDot(tile::DotOp dot, const NvidiaTarget &target);
  void require(int64_t side, int64_t size);

  /// The least size of a segment of sides for which it is not the default.
  llvm::DenseMap<int64_t, int64_t> least;
  /// The columns of products of warpgroups, whose pieces one instruction takes.
  llvm::DenseSet<int64_t> joined;
};

} // namespace tilewright
