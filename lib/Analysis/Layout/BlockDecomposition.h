// Splits blocks of any shape into pieces whose dimensions are powers of two.
//
// # The cut
//
// Layouts cover tiles whose dimensions are powers of two. Any other dimension
// is cut into *segments* that are powers of two: 192 into 128 + 64, 176 into
// 128 + 32 + 16. A block becomes a grid of *pieces* in row-major order, one for
// each combination of segments. Each piece is a tile with its own registers,
// layout and instructions, so a block costs as much as its pieces.
//
// The last segment may extend past the end of its dimension: 100 is held as
// 128, since 64 + 32 + 16 would take more instructions for hardly fewer
// registers. The elements past the end are *padding*. They have any value and
// must not be observed.
//
// How a dimension is cut depends on its size alone, throughout a function. So
// the pieces of two blocks of one shape match. The pieces of a row and of the
// matrix that it is broadcast to match along their common dimension.

#ifndef TILEWRIGHT_LIB_ANALYSIS_LAYOUT_BLOCKDECOMPOSITION_H
#define TILEWRIGHT_LIB_ANALYSIS_LAYOUT_BLOCKDECOMPOSITION_H

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright {

/// `size` indices of a dimension, a power of two, from `start` on. The first
/// `held` of them are elements, the others are padding.
struct Segment {
  int64_t start, size, held;
  bool isPadded() const { return held < size; }
};

/// One segment along each dimension of a block.
struct Piece {
  llvm::SmallVector<Segment> segments;
  /// The number of the segment along each dimension.
  llvm::SmallVector<size_t> indices;

  llvm::SmallVector<int64_t> getShape() const;
  bool isPadded() const;
};

/// Whether `type` is a tile with a dimension that is not a power of two.
bool needsCut(mlir::Type type);

class BlockCut {
public:
  /// Sets the minimum size of segments:
  /// 1. 16 by default.
  /// 2. The depth of an instruction for dimensions that a dot contracts.
  /// 3. The rows of a warpgroup for the rows of a dot that warpgroups compute.
  /// The columns of such a dot are cut more readily than other dimensions.
  BlockCut(tile::FuncOp func, const NvidiaTarget &target);

  /// A power of two is one segment.
  llvm::SmallVector<Segment> getSegments(int64_t extent) const;
  /// The pieces of a tile of `shape`, in row-major order. A tile whose
  /// dimensions are powers of two is one piece.
  llvm::SmallVector<Piece> getPieces(llvm::ArrayRef<int64_t> shape) const;
  /// The number of the piece at `indices` among those of a tile of `shape`.
  size_t getNumber(llvm::ArrayRef<int64_t> shape,
                   llvm::ArrayRef<size_t> indices) const;
  /// The number of elements of all pieces, padding included.
  int64_t countPaddedElements(mlir::Type tile) const;

private:
  void requireOfDot(tile::DotOp dot, const NvidiaTarget &target);
  void require(int64_t extent, int64_t size);

  /// Minimum segment size by extent, where it is not the default.
  llvm::DenseMap<int64_t, int64_t> least;
  /// Extents of the columns of dots that warpgroups compute. One instruction
  /// computes the columns of adjacent pieces.
  llvm::DenseSet<int64_t> wgmmaColumns;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_LAYOUT_BLOCKDECOMPOSITION_H
