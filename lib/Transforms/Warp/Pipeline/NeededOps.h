// The ops of a loop that remain once its loads are asynchronous copies.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_NEEDEDOPS_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_NEEDEDOPS_H

#include "lib/Transforms/Warp/Pipeline/PipelinePlan.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tilewright::warp {

/// The ops of a loop's body that are still needed once its loads are copies.
class NeededOps {
public:
  explicit NeededOps(const PipelinePlan &plan);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  bool carries(unsigned number) const { return carried.contains(number); }
  /// Returns loop-carried scalars that depend on a load and that both the
  /// addresses of copies and other ops use. They are forwarded from the address
  /// computation to their iteration, neither loaded nor computed again.
  llvm::ArrayRef<mlir::Value> getForwarded() const {
    return forwarded.getArrayRef();
  }

private:
  void collect();
  void visit(mlir::Value value);
  bool isForwarded(mlir::Value value) const;

  const PipelinePlan &plan;
  mlir::scf::ForOp loop;
  bool forwards = true;
  /// Early loads and the ops that depend on them.
  llvm::SmallPtrSet<mlir::Operation *, 8> loaded;
  llvm::SmallSetVector<mlir::Value, 4> forwarded;
  llvm::SmallPtrSet<mlir::Operation *, 32> ops;
  llvm::SmallSetVector<unsigned, 8> carried;
  llvm::SmallVector<mlir::Operation *> open;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_NEEDEDOPS_H
