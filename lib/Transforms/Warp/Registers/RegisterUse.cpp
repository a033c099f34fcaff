#include "lib/Transforms/Warp/Registers/RegisterUse.h"

#include "lib/Analysis/Layout/LayoutEdges.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilewright;

/// Returns the registers of `value` that are live at once: zero if it is
/// computed and used element by element.
static int64_t countAtOnce(Value value) {
  bool isElementByElement =
      isElementwiseOrShapeOp(value.getDefiningOp()) &&
      llvm::all_of(value.getUsers(), isElementwiseOrShapeOp);
  return isElementByElement ? 0 : warp::countRegisters(value.getType());
}

int64_t warp::countPeakRegisters(LoopLikeOpInterface loop) {
  Block &body = loop.getLoopRegions().front()->front();
  llvm::MapVector<Value, Operation *> lastUses;
  body.walk([&](Operation *op) {
    for (Value value : op->getOperands())
      lastUses[value] = body.findAncestorOpInBlock(*op);
  });
  int64_t held = countCarried(loop);
  DenseMap<Operation *, int64_t> ends;
  for (auto [value, last] : lastUses) {
    Operation *op = value.getDefiningOp();
    if (!op || op->hasTrait<OpTrait::ConstantLike>())
      continue;
    if (op->getBlock() == &body)
      ends[last] += countAtOnce(value);
    else if (!loop->isAncestor(op))
      held += countRegisters(value.getType());
  }
  int64_t most = held;
  for (Operation &op : body.without_terminator()) {
    if (!op.hasTrait<OpTrait::ConstantLike>())
      for (Value value : op.getResults())
        if (lastUses.contains(value))
          held += countAtOnce(value);
    most = std::max(most, held);
    held -= ends.lookup(&op);
  }
  return most;
}

Operation *warp::findFirstUser(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
    if (!first || here->isBeforeInBlock(first))
      first = here;
  }
  return first;
}
