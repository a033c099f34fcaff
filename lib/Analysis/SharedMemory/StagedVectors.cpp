#include "lib/Analysis/SharedMemory/StagedVectors.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Layout/LayoutEdges.h"
#include "lib/Analysis/Mma/DotLayouts.h"
#include "lib/Analysis/SharedMemory/NumStages.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

/// Whether all that `row` goes into, by elementwise ops, is repeated along a
/// new dimension.
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

/// Copies bring at least four bytes, and zeros where a mask is off.
static bool isRow(tile::LoadOp load) {
  constexpr unsigned kLeastBits = 32;
  auto type = dyn_cast<RankedTensorType>(load.getType());
  return type && type.getRank() == 1 && type.getElementType().isFloat() &&
         type.getElementTypeBitWidth() >= kLeastBits && load.fillsWithZero() &&
         !load.getIsVolatile() && isExpanded(load.getResult());
}

/// Whether copies run ahead of `loop`: those of operands of its products that
/// no accelerator brings.
static bool isCopiedAhead(scf::ForOp loop, int64_t numStages) {
  if (getNumStages(loop, numStages) < 2 || warp::isExplicit(loop))
    return false;
  bool loads = false, multiplies = false;
  for (Operation &op : *loop.getBody()) {
    if (op.getNumRegions() != 0 && isa<LoopLikeOpInterface>(op))
      return false;
    if (isa<tile::DescriptorLoadOp>(op))
      return false;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      if (auto type = dyn_cast<RankedTensorType>(load.getType()))
        loads |= type.getRank() == 2;
    if (auto dot = dyn_cast<tile::DotOp>(op))
      multiplies |= isTensorCoreDot(dot);
  }
  return loads && multiplies;
}

StagedVectors tilewright::findStagedVectors(tile::FuncOp func,
                                            int64_t numStages) {
  StagedVectors rows;
  func.walk([&](scf::ForOp loop) {
    if (!isCopiedAhead(loop, numStages))
      return;
    for (auto load : loop.getBody()->getOps<tile::LoadOp>())
      if (isRow(load))
        rows.insert(load);
  });
  return rows;
}
