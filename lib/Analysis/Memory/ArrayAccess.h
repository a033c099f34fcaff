// Recognises accesses through tiles of pointers to a block of an array.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_ARRAYACCESS_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_ARRAYACCESS_H

#include "lib/Analysis/Facts/AffineTiles.h"

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

/// One dimension of an array, and the range of a block along it.
struct ArrayDimension {
  /// Elements of the block.
  int64_t extent;
  /// Stride of the array in elements.
  Polynomial stride;
  /// Coordinate of the block's first element.
  Polynomial offset;
  /// Size of the array; nothing if no mask limits it.
  std::optional<Polynomial> size;
  /// Whether the mask compares 64-bit indices, so that the coordinate may need
  /// 64 bits.
  bool isWide = false;
};

/// The block of an array that pointers and a mask describe. The dimensions of
/// the tile come last, in the order of the array's dimensions: `order[i]` is
/// the dimension of the tile that is the i-th of the block. Leading dimensions
/// have extent 1.
struct ArrayBlock {
  mlir::Value base;
  /// Elements between `base` and the first element of the array.
  Polynomial shift;
  llvm::SmallVector<ArrayDimension> dims;
  llvm::SmallVector<int32_t> order;
  /// Kernel arguments that are assumed to be non-negative.
  llvm::SmallVector<mlir::Value> sizes;
};

class ArrayAccessAnalysis {
public:
  explicit ArrayAccessAnalysis(tile::FuncOp func);

  /// The block that `pointers` point to where `mask` (may be null) holds.
  /// Nothing with the `reason` if they do not describe a block.
  std::optional<ArrayBlock> get(mlir::Value pointers, mlir::Value mask,
                                llvm::StringRef &reason);

private:
  /// If `isStack` is set, a term like `batch * rows * columns` selects one of
  /// several consecutive arrays, whose rows end with it. Otherwise the term is
  /// an offset along the rows of a single array.
  std::optional<ArrayBlock> getBlock(const AffineTile &address,
                                     llvm::ArrayRef<int64_t> shape,
                                     mlir::Value mask, bool isStack,
                                     llvm::StringRef &reason);
  llvm::StringRef splitAddress(const AffineTile &address,
                               llvm::ArrayRef<int64_t> shape, mlir::Value mask,
                               bool isStack, ArrayBlock &block);
  Polynomial alignWithMask(mlir::Value mask, Polynomial start,
                           ArrayBlock &block);
  llvm::StringRef addMask(mlir::Value mask, ArrayBlock &block);
  llvm::StringRef addBound(const IndexComparison &bound, ArrayBlock &block);
  bool isSize(mlir::Value value);
  bool isNeverNegative(const Polynomial &polynomial);
  bool isNeverNegative(const AffineTile &index);
  bool isInsideArray(const Polynomial &offset);
  bool isKnownToHost(const Polynomial &polynomial) const;

  tile::FuncOp func;
  AffineTileAnalysis tiles;
  /// Arguments that are sizes.
  llvm::DenseSet<mlir::Value> sizes;
  /// The sizes that the current block assumes to be non-negative.
  llvm::SetVector<mlir::Value> assumed;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_ARRAYACCESS_H
