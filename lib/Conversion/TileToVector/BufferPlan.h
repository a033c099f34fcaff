// Decides which tiles of a kernel get a buffer.
//
// A tile without a buffer is *virtual*: each use computes its elements again
// from their operands, inside the loop of the user. So elementwise chains,
// broadcasts and addresses never touch memory. A tile with a buffer is computed
// once, at its definition.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_BUFFERPLAN_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_BUFFERPLAN_H

#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace tilewright::cpu {

class BufferPlan {
public:
  explicit BufferPlan(mlir::Operation *function);

  /// Whether `value`, a tile, is computed into a buffer at its definition.
  bool isBuffered(mlir::Value value) const { return buffered.contains(value); }

  /// Whether the tile must lie in row-major order: another tile is a view of
  /// its buffer, or it is carried by a loop.
  bool isRowMajor(mlir::Value value) const { return rowMajor.contains(value); }

  /// The region argument whose buffer `value` may overwrite, or null. `value`
  /// is the yielded value of that argument.
  mlir::Value getReusedArgument(mlir::Value value) const {
    return reused.lookup(value);
  }

  /// Whether computing one element of a virtual tile takes a few instructions
  /// only.
  bool isCheap(mlir::Value value) { return costOf(value) < kExpensiveOp; }

private:
  /// The cost of a function or a division, in simple vector instructions.
  static constexpr unsigned kExpensiveOp = 12;

  static unsigned getOpCost(mlir::Operation *op);
  void require(mlir::Value value);
  void planOp(mlir::Operation *op);
  void planLoop(mlir::scf::ForOp loop);
  unsigned costOf(mlir::Value value);
  bool isWorthABuffer(mlir::Value value);
  bool canFuseLoad(tile::LoadOp load) const;
  bool canReuse(mlir::scf::ForOp loop, unsigned argument) const;

  llvm::DenseSet<mlir::Value> buffered;
  llvm::DenseSet<mlir::Value> rowMajor;
  llvm::DenseMap<mlir::Value, mlir::Value> reused;
  /// The cost of computing one element of a virtual tile again.
  llvm::DenseMap<mlir::Value, unsigned> costs;
};

inline bool isTile(mlir::Value value) {
  return mlir::isa<mlir::RankedTensorType>(value.getType());
}

/// Whether `op` computes element i of its results from elements i of its
/// operands alone, in the loop of a user if need be.
bool isComputedByElement(mlir::Operation *op);

/// The dimension along which `pointers` (a tile of pointers) step by one
/// element, if that is known. Otherwise the innermost one of more than one
/// element.
unsigned getContiguousDim(mlir::Value pointers);

/// The innermost dimension of more than one element.
unsigned getInnermostDim(llvm::ArrayRef<int64_t> shape);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_BUFFERPLAN_H
