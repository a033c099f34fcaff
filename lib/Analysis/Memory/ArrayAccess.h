// Accesses through tiles of pointers that read or write a block of an array.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_ARRAYACCESS_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_ARRAYACCESS_H

#include "lib/Analysis/Facts/AffineTiles.h"

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

/// One dimension of an array, and where a block stands along it.
struct ArrayDimension {
  /// Elements of the block.
  int64_t side;
  /// Of the array, in elements.
  Polynomial stride;
  /// The place of the block's first element.
  Polynomial offset;
  /// The size of the array; nothing where no mask limits it.
  std::optional<Polynomial> size;
  /// Whether 64 bits are compared with that, so that the place may need them.
  bool isWide = false;
};

/// A block of an array: what pointers and a mask amount to. The block's
/// dimensions come last, in order of the array's: `order[i]` is the dimension
/// of the tile that is the i-th of the block. Leading dimensions have side 1.
struct ArrayBlock {
  mlir::Value base;
  /// Elements between `base` and the array's first one.
  Polynomial shift;
  llvm::SmallVector<ArrayDimension> dims;
  llvm::SmallVector<int32_t> order;
  /// Arguments of the kernel that are taken not to be negative.
  llvm::SmallVector<mlir::Value> sizes;
};

class ArrayAccessAnalysis {
public:
  explicit ArrayAccessAnalysis(tile::FuncOp func);

  /// The block that `pointers` point to where `mask` (may be null) holds, or
  /// nothing with the reason why they are none.
  std::optional<ArrayBlock> get(mlir::Value pointers, mlir::Value mask,
                                llvm::StringRef &reason);

private:
  /// `isStack`: the array is one of several that lie behind each other, as far
  /// apart as a product of arguments says: `batch * rows * columns` leads to
  /// the batch's own array, whose rows end with it. Otherwise that leads to a
  /// row further on.
  std::optional<ArrayBlock> getBlock(const AffineTile &address,
                                     llvm::ArrayRef<int64_t> shape,
                                     mlir::Value mask, bool isStack,
                                     llvm::StringRef &reason);
  llvm::StringRef splitAddress(const AffineTile &address,
                               llvm::ArrayRef<int64_t> shape, mlir::Value mask,
                               bool isStack, ArrayBlock &block);
  Polynomial placeByMask(mlir::Value mask, Polynomial start, ArrayBlock &block);
  llvm::StringRef addMask(mlir::Value mask, ArrayBlock &block);
  llvm::StringRef addBound(const IndexComparison &bound, ArrayBlock &block);
  bool isSize(mlir::Value value);
  bool isNeverNegative(const Polynomial &polynomial);
  bool isNeverNegative(const AffineTile &index);
  bool isPlace(const Polynomial &offset);
  bool isKnownToHost(const Polynomial &polynomial) const;

  tile::FuncOp func;
  AffineTileAnalysis tiles;
  /// Arguments that count something.
  llvm::DenseSet<mlir::Value> sizes;
  /// Those of them that the current block's form relies on.
  llvm::SetVector<mlir::Value> assumed;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_ARRAYACCESS_H
