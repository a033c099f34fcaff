#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_RELAXSPINS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Returns the only op of `loop` that accesses memory, or null.
static Operation *findOnlyAccess(scf::WhileOp loop) {
  Operation *found = nullptr;
  WalkResult result = loop.walk([&](Operation *op) {
    if (op == loop || isMemoryEffectFree(op))
      return WalkResult::advance();
    if (found)
      return WalkResult::interrupt();
    found = op;
    return WalkResult::advance();
  });
  return result.wasInterrupted() ? nullptr : found;
}

/// Moves the release of `atomic`, which `loop` repeats, to a barrier before the
/// loop.
template <typename Op> static void relax(scf::WhileOp loop, Op atomic) {
  if (!tile::releases(atomic.getSem()) ||
      isa<RankedTensorType>(atomic.getPtr().getType()) ||
      atomic->hasAttr(warp::WarpDialect::kOrderedAttr) ||
      loop->isAncestor(atomic.getPtr().getParentRegion()->getParentOp()))
    return;
  OpBuilder b(loop);
  auto barrier = warp::BarrierOp::create(b, atomic.getLoc());
  barrier.setRelease(atomic.getScope());
  atomic.setSem(tile::acquires(atomic.getSem())
                    ? tile::MemorySemantic::Acquire
                    : tile::MemorySemantic::Relaxed);
}

namespace {
struct RelaxSpins : warp::impl::RelaxSpinsBase<RelaxSpins> {
  void runOnOperation() override {
    SmallVector<scf::WhileOp> loops;
    getOperation()->walk([&](scf::WhileOp loop) { loops.push_back(loop); });
    for (scf::WhileOp loop : loops) {
      Operation *access = findOnlyAccess(loop);
      if (auto swap = dyn_cast_if_present<tile::AtomicCASOp>(access))
        relax(loop, swap);
      else if (auto rmw = dyn_cast_if_present<tile::AtomicRMWOp>(access))
        relax(loop, rmw);
    }
  }
};
} // namespace
