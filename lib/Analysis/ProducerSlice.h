// What a producer warp must compute to issue a function's loads on its own: the
// control flow around them and the scalars that their places depend on.

#ifndef TILEWRIGHT_LIB_ANALYSIS_PRODUCERSLICE_H
#define TILEWRIGHT_LIB_ANALYSIS_PRODUCERSLICE_H

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/DenseSet.h"

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
  /// Whether the producer uses a value that a loop carries.
  bool uses(mlir::Value value) const { return values.contains(value); }

private:
  void keep(mlir::Operation *op);
  void visit(mlir::Value value);
  void visitArgument(mlir::BlockArgument argument);
  void visitResult(mlir::OpResult result);
  void checkOrder(llvm::ArrayRef<tile::DescriptorLoadOp> loads);
  void refuse(mlir::Operation *op, llvm::StringRef reason);

  tile::FuncOp func;
  llvm::DenseSet<mlir::Operation *> ops;
  llvm::DenseSet<mlir::Value> values;
  llvm::SmallVector<mlir::Value> open;
  llvm::StringRef obstacle;
  mlir::Operation *obstacleOp = nullptr;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_PRODUCERSLICE_H
