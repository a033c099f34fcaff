#include "lib/Analysis/Mma/ChainedDots.h"

#include "dialect/Warp/WarpOps.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;

/// Whether `tile` is computed from the accumulator of an mma or wgmma in the
/// same block. Follows tiles through shared memory, too.
static bool isFromDot(Value tile) {
  llvm::SetVector<Value> open;
  open.insert(tile);
  for (unsigned i = 0; i < open.size(); ++i) {
    Operation *op = open[i].getDefiningOp();
    if (!op || op->getBlock() != tile.getParentBlock())
      continue;
    if (isa<warp::WgmmaOp, warp::MmaOp>(op))
      return true;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType, warp::SharedType>(operand.getType()))
        open.insert(operand);
  }
  return false;
}

bool tilewright::hasChainedDots(Operation *function) {
  return function
      ->walk([](Operation *op) {
        Value left;
        if (auto wgmma = dyn_cast<warp::WgmmaOp>(op))
          left = wgmma.getA();
        else if (auto mma = dyn_cast<warp::MmaOp>(op))
          left = mma.getA();
        return left && isa<RankedTensorType>(left.getType()) && isFromDot(left)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}
