// Finds the slice of a function that a producer warp needs to issue its loads:
// the control flow around them and the scalars that their coordinates depend
// on.
//
// A producer cannot compute the result of an atomic operation, such as the
// number of the next tile. The consumers perform all effects in order and
// forward the result. So the producer waits for them, and its loads come after
// the writes that the operation acquires, as in the source.

#ifndef TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_PRODUCERSLICE_H
#define TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_PRODUCERSLICE_H

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

class ProducerSlice {
public:
  /// `loads` are the descriptor loads of `func` that the producer issues.
  ProducerSlice(tile::FuncOp func,
                llvm::ArrayRef<tile::DescriptorLoadOp> loads);

  /// Why there can be no producer, and the op that is the reason. Empty and
  /// null if there can be one.
  llvm::StringRef getObstacle() const { return obstacle; }
  mlir::Operation *getObstacleOp() const { return obstacleOp; }

  /// Whether the producer executes `op`, or loads inside of it.
  bool keeps(mlir::Operation *op) const { return ops.contains(op); }
  /// The ops of the slice whose results the consumers forward.
  llvm::ArrayRef<mlir::Operation *> getRingScalars() const {
    return forwarded.getArrayRef();
  }
  bool isForwarded(mlir::Operation *op) const { return forwarded.contains(op); }
  /// Whether the producer uses a value that a loop carries.
  bool uses(mlir::Value value) const { return values.contains(value); }

private:
  void keep(mlir::Operation *op);
  void visit(mlir::Value value);
  void visitArgument(mlir::BlockArgument argument);
  void visitResult(mlir::OpResult result);
  void checkOrder(llvm::ArrayRef<tile::DescriptorLoadOp> loads);
  bool forward(mlir::Operation *op);
  void refuse(mlir::Operation *op, llvm::StringRef reason);

  tile::FuncOp func;
  llvm::SmallVector<tile::DescriptorLoadOp> loads;
  llvm::DenseSet<mlir::Operation *> ops;
  llvm::SetVector<mlir::Operation *> forwarded;
  llvm::DenseSet<mlir::Value> values;
  llvm::SmallVector<mlir::Value> open;
  llvm::StringRef obstacle;
  mlir::Operation *obstacleOp = nullptr;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_PRODUCERSLICE_H
