#include "lib/Transforms/Warp/Schedule/HoistIssue.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Target/OccupancyParameters.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Moves `op` and the ops it depends on to just after `anchor`. With `dryRun`,
/// only returns whether that is possible.
static bool hoist(Operation *op, Operation *anchor, bool dryRun,
                  RewriterBase &b) {
  if (op->getBlock() != anchor->getBlock() || op == anchor ||
      op->isBeforeInBlock(anchor))
    return true;
  if (dryRun && !isa<WgmmaOp, RingWaitOp>(op) && !isMemoryEffectFree(op))
    return false;
  if (isa<WgmmaWaitOp>(op))
    return false;
  for (Value operand : op->getOperands())
    if (Operation *needed = operand.getDefiningOp())
      if (!hoist(needed, anchor, dryRun, b))
        return false;
  if (!dryRun) {
    // After the ops that were hoisted before it.
    b.moveOpBefore(op, b.getInsertionBlock(), b.getInsertionPoint());
  }
  return true;
}

void warp::hoistDots(scf::ForOp loop, RewriterBase &b) {
  SmallVector<WgmmaOp> all(loop.getBody()->getOps<WgmmaOp>());
  Operation *anchor = all.front();
  for (WgmmaOp wgmma : ArrayRef(all).drop_front()) {
    bool crosses = false;
    for (Operation *op = anchor; op && op != wgmma; op = op->getNextNode())
      crosses |= isa<RingReleaseOp>(op);
    if (crosses || !hoist(wgmma, anchor, /*dryRun=*/true, b))
      continue;
    if (wgmma->isBeforeInBlock(anchor))
      continue;
    b.setInsertionPointAfter(anchor);
    hoist(wgmma, anchor, /*dryRun=*/false, b);
    anchor = wgmma;
  }
}

void warp::hoistLoads(scf::ForOp loop, RewriterBase &b) {
  Block *body = loop.getBody();
  Operation *first = &body->front();
  int64_t registers = 0;
  for (tile::LoadOp load :
       llvm::make_early_inc_range(body->getOps<tile::LoadOp>())) {
    auto layout = getLayout(load.getType());
    registers += layout ? layout->getInSize(LayoutAxis::Register) : 1;
    if (registers > OccupancyParameters::kMaxHoistedLoads)
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
