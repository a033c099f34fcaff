// What a loop still computes once its loads are copies that run ahead.

#pragma once

#include "lib/Transforms/Warp/PipelinePlan.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tilewright::warp {

/// What of a loop's body is still needed once its loads are copies.
class NeededOps {
public:
  explicit NeededOps(const PipelinePlan &plan);

  bool contains(mlir::Operation *op) const { return ops.contains(op); }
  bool carries(unsigned number) const { return carried.contains(number); }

private:
  void visit(mlir::Value value);

  mlir::scf::ForOp loop;
  llvm::SmallPtrSet<mlir::Operation *, 32> ops;
  llvm::SmallSetVector<unsigned, 8> carried;
  llvm::SmallVector<mlir::Operation *> open;
};

} // namespace tilewright::warp
