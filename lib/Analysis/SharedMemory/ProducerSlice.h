// What a producer warp must compute to issue a function's loads on its own: the
// control flow around them and the scalars that their places depend on.
//
// What an atomic operation gives, such as the number of the next tile, it can
// not compute: the consumers, who keep all effects in their order, hand it
// over. So it can go on when they get there, and its loads come after what the
// operation has acquired, as they do in the source.

#ifndef TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_PRODUCERSLICE_H
#define TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_PRODUCERSLICE_H

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

class ProducerSlice {
public:
  /// `loads` are the loads from descriptors of `func` that a producer is to
  /// issue.
  ProducerSlice(tile::FuncOp func,
                llvm::ArrayRef<tile::DescriptorLoadOp> loads);

  /// Why a producer can not run by itself, or nothing; and the op that is in
  /// the way.
  llvm::StringRef getObstacle() const { return obstacle; }
  mlir::Operation *getObstacleOp() const { return obstacleOp; }

  /// Whether the producer runs `op`, or runs loads inside of it.
  bool keeps(mlir::Operation *op) const { return ops.contains(op); }
  /// The ops among those whose results the consumers hand over.
  llvm::ArrayRef<mlir::Operation *> getRingScalars() const {
    return handed.getArrayRef();
  }
  bool isHanded(mlir::Operation *op) const { return handed.contains(op); }
  /// Whether the producer uses a value that a loop carries.
  bool uses(mlir::Value value) const { return values.contains(value); }

private:
  void keep(mlir::Operation *op);
  void visit(mlir::Value value);
  void visitArgument(mlir::BlockArgument argument);
  void visitResult(mlir::OpResult result);
  void checkOrder(llvm::ArrayRef<tile::DescriptorLoadOp> loads);
  bool hand(mlir::Operation *op);
  void refuse(mlir::Operation *op, llvm::StringRef reason);

  tile::FuncOp func;
  llvm::SmallVector<tile::DescriptorLoadOp> loads;
  llvm::DenseSet<mlir::Operation *> ops;
  llvm::SetVector<mlir::Operation *> handed;
  llvm::DenseSet<mlir::Value> values;
  llvm::SmallVector<mlir::Value> open;
  llvm::StringRef obstacle;
  mlir::Operation *obstacleOp = nullptr;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_PRODUCERSLICE_H
