#include "lib/Transforms/Warp/Schedule/HoistIssue.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Moves `op` and what it needs right behind `behind`, where they can be there.
static bool raise(Operation *op, Operation *behind, bool dryRun,
                  RewriterBase &b) {
  if (op->getBlock() != behind->getBlock() || op == behind ||
      op->isBeforeInBlock(behind))
    return true;
  if (dryRun && !isa<WgmmaOp, RingWaitOp>(op) && !isMemoryEffectFree(op))
    return false;
  if (isa<WgmmaWaitOp>(op))
    return false;
  for (Value operand : op->getOperands())
    if (Operation *needed = operand.getDefiningOp())
      if (!raise(needed, behind, dryRun, b))
        return false;
  if (!dryRun) {
    // Behind what was raised before it.
    b.moveOpBefore(op, b.getInsertionBlock(), b.getInsertionPoint());
  }
  return true;
}

void warp::hoistDots(scf::ForOp loop, RewriterBase &b) {
  SmallVector<WgmmaOp> all(loop.getBody()->getOps<WgmmaOp>());
  Operation *behind = all.front();
  for (WgmmaOp product : ArrayRef(all).drop_front()) {
    bool crosses = false;
    for (Operation *op = behind; op && op != product; op = op->getNextNode())
      crosses |= isa<RingReleaseOp>(op);
    if (crosses || !raise(product, behind, /*dryRun=*/true, b))
      continue;
    if (product->isBeforeInBlock(behind))
      continue;
    b.setInsertionPointAfter(behind);
    raise(product, behind, /*dryRun=*/false, b);
    behind = product;
  }
}

void warp::raiseLoads(scf::ForOp loop, RewriterBase &b) {
  Block *body = loop.getBody();
  constexpr int64_t kMostRegisters = 32;
  Operation *first = &body->front();
  int64_t registers = 0;
  for (tile::LoadOp load :
       llvm::make_early_inc_range(body->getOps<tile::LoadOp>())) {
    auto layout = getLayout(load.getType());
    registers += layout ? layout->getInSize(LayoutAxis::Register) : 1;
    if (registers > kMostRegisters)
      return;
    llvm::SmallSetVector<Operation *, 8> needed;
    needed.insert(load);
    bool isFree = true;
    for (unsigned i = 0; i < needed.size(); ++i)
      for (Value operand : needed[i]->getOperands())
        if (Operation *op = operand.getDefiningOp();
            op && op->getBlock() == body) {
          isFree &= isMemoryEffectFree(op) || isa<tile::LoadOp>(op);
          needed.insert(op);
        }
    if (!isFree)
      continue;
    auto sorted = needed.takeVector();
    llvm::sort(sorted, [](Operation *a, Operation *c) {
      return a->isBeforeInBlock(c);
    });
    for (Operation *op : sorted) {
      if (op == first)
        first = op->getNextNode();
      else if (first->isBeforeInBlock(op))
        b.moveOpBefore(op, first);
    }
  }
}
