#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_INSERTBARRIERS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

namespace {

/// The accesses that some warp may still be at.
class Pending {
public:
  bool conflictsWith(ArrayRef<SharedUse> next) const {
    return llvm::any_of(next, [&](const SharedUse &a) {
      return llvm::any_of(
          accesses, [&](const SharedUse &b) { return a.conflictsWith(b); });
    });
  }
  /// Adds accesses; whether there was a new one.
  bool add(ArrayRef<SharedUse> more) {
    size_t before = accesses.size();
    for (const SharedUse &access : more)
      if (!llvm::is_contained(accesses, access))
        accesses.push_back(access);
    return accesses.size() != before;
  }
  bool add(const Pending &other) { return add(other.accesses); }
  void clear() { accesses.clear(); }

private:
  SmallVector<SharedUse> accesses;
};

class BarrierInsertion {
public:
  /// Follows a region's blocks from `pending`, which becomes what is pending
  /// where they end.
  void visit(Region &region, Pending &pending) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block))
        visit(&op, pending);
  }

private:
  void visit(Operation *op, Pending &pending) {
    if (op->getNumRegions() != 0 && !usesScratch(op) &&
        isa<RegionBranchOpInterface>(op))
      return visitRegions(op, pending);
    SmallVector<SharedUse> accesses = getSharedUses(op);
    if (pending.conflictsWith(accesses)) {
      OpBuilder builder(op);
      warp::BarrierOp::create(builder, op->getLoc());
      pending.clear();
    }
    if (synchronizes(op))
      pending.clear();
    pending.add(getUsesAfter(op));
  }

  /// A region may be entered from outside and from the end of each other one,
  /// and left from the end of any; a conditional may enter none. That is all
  /// that loops and conditionals can do.
  void visitRegions(Operation *op, Pending &pending) {
    Pending entry = pending;
    bool isLoop = !isa<scf::IfOp, scf::IndexSwitchOp, warp::SpecializeOp>(op);
    Pending exit;
    // Barriers only end accesses, so what is pending grows from round to round
    // until it stands still.
    for (bool changed = true; changed;) {
      changed = false;
      for (Region &region : op->getRegions()) {
        Pending inside = entry;
        visit(region, inside);
        exit.add(inside);
        changed |= isLoop && entry.add(inside);
      }
    }
    pending = std::move(entry);
    pending.add(exit);
  }
};

struct InsertBarriers : warp::impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      Pending pending;
      BarrierInsertion().visit(function.getFunctionBody(), pending);
    }
  }
};

} // namespace
