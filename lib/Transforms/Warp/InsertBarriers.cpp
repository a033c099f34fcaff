#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/GlobalOrder.h"
#include "lib/Analysis/ScratchMemory.h"
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
struct Pending {
  SmallVector<SharedUse> shared;
  SmallVector<GlobalUse> global;

  /// Adds accesses; whether there was a new one.
  bool add(const Pending &more) {
    bool grows = addTo<SharedUse>(shared, more.shared);
    return addTo<GlobalUse>(global, more.global) || grows;
  }
  void clear() {
    shared.clear();
    global.clear();
  }

  template <typename Use>
  static bool addTo(SmallVector<Use> &uses, ArrayRef<Use> more) {
    size_t before = uses.size();
    for (const Use &use : more)
      if (!llvm::is_contained(uses, use))
        uses.push_back(use);
    return uses.size() != before;
  }
};

class BarrierInsertion {
public:
  explicit BarrierInsertion(tile::FuncOp kernel) : order(kernel) {}

  /// Follows a region's blocks from `pending`, which becomes what is pending
  /// where they end.
  void visit(Region &region, Pending &pending) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block)) {
        if (isNeedless(&op))
          op.erase();
        else
          visit(&op, pending);
      }
  }

private:
  /// Whether `op` is a barrier in front of one that the next operation begins
  /// with.
  static bool isNeedless(Operation *op) {
    if (!isa<warp::BarrierOp>(op))
      return false;
    Operation *next = op->getNextNode();
    while (next && next->getNumRegions() == 0 && isMemoryEffectFree(next) &&
           !usesScratch(next) && !next->hasTrait<OpTrait::IsTerminator>())
      next = next->getNextNode();
    return next && beginsWithBarrier(next);
  }

  bool conflicts(const Pending &pending, Operation *op,
                 ArrayRef<SharedUse> accesses) {
    bool isShared = llvm::any_of(accesses, [&](const SharedUse &use) {
      return llvm::any_of(pending.shared, [&](const SharedUse &earlier) {
        return use.conflictsWith(earlier);
      });
    });
    return isShared || (accessesGlobalMemory(op) &&
                        llvm::any_of(pending.global, [&](GlobalUse earlier) {
                          return order.conflict(earlier, op);
                        }));
  }

  void visit(Operation *op, Pending &pending) {
    if (op->getNumRegions() != 0 && !usesScratch(op) &&
        isa<RegionBranchOpInterface>(op))
      return visitRegions(op, pending);
    SmallVector<SharedUse> accesses = getSharedUses(op);
    if (beginsWithBarrier(op))
      pending.clear();
    if (conflicts(pending, op, accesses)) {
      OpBuilder builder(op);
      warp::BarrierOp::create(builder, op->getLoc());
      pending.clear();
    }
    if (synchronizes(op))
      pending.clear();
    Pending::addTo<SharedUse>(pending.shared, getUsesAfter(op));
    if (accessesGlobalMemory(op) && !endsWithBarrier(op))
      Pending::addTo<GlobalUse>(pending.global, GlobalUse{op});
  }

  /// What is pending in the next iteration of `loop`.
  static Pending carry(Operation *loop, const Pending &pending) {
    Pending carried{pending.shared, {}};
    for (GlobalUse use : pending.global)
      if (std::optional<GlobalUse> around = carryAround(use, loop))
        Pending::addTo<GlobalUse>(carried.global, *around);
    return carried;
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
        changed |= isLoop && entry.add(carry(op, inside));
      }
    }
    pending = std::move(entry);
    pending.add(exit);
  }

  GlobalOrder order;
};

struct InsertBarriers : warp::impl::InsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<tile::FuncOp>()) {
      Pending pending;
      BarrierInsertion(function).visit(function.getBody(), pending);
    }
  }
};

} // namespace
