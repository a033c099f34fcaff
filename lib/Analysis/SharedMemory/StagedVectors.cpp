#include "lib/Analysis/SharedMemory/StagedVectors.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Layout/LayoutEdges.h"
#include "lib/Analysis/Mma/DotLayouts.h"
#include "lib/Analysis/SharedMemory/NumStages.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

/// Whether all transitive uses of `row` through elementwise ops expand a
/// dimension.
static bool isExpanded(Value row) {
  SmallVector<Value> open = {row};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (isa<tile::ExpandDimsOp>(user) || !seen.insert(user).second)
        continue;
      if (!isElementwise(user) || user->getBlock() != row.getParentBlock())
        return false;
      open.push_back(user->getResult(0));
    }
  return true;
}

/// Whether an asynchronous copy can implement `load`, a row: copies move at
/// least four bytes, and fill with zeros where the mask is false.
static bool isRow(tile::LoadOp load) {
  constexpr unsigned kLeastBits = 32;
  auto type = dyn_cast<RankedTensorType>(load.getType());
  return type && type.getRank() == 1 && type.getElementType().isFloat() &&
         type.getElementTypeBitWidth() >= kLeastBits && load.fillsWithZero() &&
         !load.getIsVolatile() && isExpanded(load.getResult());
}

/// Whether operands of the dots of `loop` are prefetched by asynchronous copies
/// of threads, not by the tensor memory accelerator.
static bool isPrefetched(scf::ForOp loop, int64_t numStages) {
  if (getNumStages(loop, numStages) < 2 || warp::isExplicit(loop))
    return false;
  bool loads = false, hasDot = false;
  for (Operation &op : *loop.getBody()) {
    if (op.getNumRegions() != 0 && isa<LoopLikeOpInterface>(op))
      return false;
    if (isa<tile::DescriptorLoadOp>(op))
      return false;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      if (auto type = dyn_cast<RankedTensorType>(load.getType()))
        loads |= type.getRank() == 2;
    if (auto dot = dyn_cast<tile::DotOp>(op))
      hasDot |= isTensorCoreDot(dot);
  }
  return loads && hasDot;
}

StagedVectors tilewright::findStagedVectors(tile::FuncOp func,
                                            int64_t numStages) {
  StagedVectors rows;
  func.walk([&](scf::ForOp loop) {
    if (!isPrefetched(loop, numStages))
      return;
    for (auto load : loop.getBody()->getOps<tile::LoadOp>())
      if (isRow(load))
        rows.insert(load);
  });
  return rows;
}
