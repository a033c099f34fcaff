// What a loop still computes once its loads are copies that run ahead.

#pragma once

#include "lib/Transforms/Warp/Pipeline/PipelinePlan.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tilewright::warp {

/// What of a loop's body is still needed once its loads are copies.
class NeededOps {
public:
  explicit NeededOps(const PipelinePlan &plan);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  bool carries(unsigned number) const { return carried.contains(number); }
  /// Numbers that the copies' addresses have, too, and that are computed from
  /// what is loaded: they are carried from there to their iteration, neither
  /// loaded nor computed again.
  llvm::ArrayRef<mlir::Value> getPassed() const { return passed.getArrayRef(); }

private:
  void collect();
  void visit(mlir::Value value);
  bool isPassed(mlir::Value value) const;

  const PipelinePlan &plan;
  mlir::scf::ForOp loop;
  bool passes = true;
  /// What follows from loads that run ahead, these included.
  llvm::SmallPtrSet<mlir::Operation *, 8> loaded;
  llvm::SmallSetVector<mlir::Value, 4> passed;
  llvm::SmallPtrSet<mlir::Operation *, 32> ops;
  llvm::SmallSetVector<unsigned, 8> carried;
  llvm::SmallVector<mlir::Operation *> open;
};

} // namespace tilewright::warp
