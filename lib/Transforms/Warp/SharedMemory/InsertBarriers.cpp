#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Memory/GlobalHazards.h"
#include "lib/Analysis/SharedMemory/ScratchMemory.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_INSERTBARRIERS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

namespace {

/// The accesses that some warp may not have completed.
struct Pending {
  SmallVector<SharedUse> shared;
  SmallVector<GlobalUse> global;

  /// Adds accesses. Returns whether there was a new one.
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

  /// Visits the blocks of `region`. `pending` holds the pending accesses at its
  /// start and, after the call, those at its end.
  void visit(Region &region, Pending &pending) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block)) {
        if (isRedundant(&op) && !isTrial)
          op.erase();
        else
          visit(&op, pending);
      }
  }

private:
  /// Whether `op` is a barrier directly before an op that begins with one.
  static bool isRedundant(Operation *op) {
    auto barrier = dyn_cast<warp::BarrierOp>(op);
    if (!barrier || barrier.getRelease())
      return false;
    Operation *next = op->getNextNode();
    while (next && next->getNumRegions() == 0 && isMemoryEffectFree(next) &&
           !usesScratch(next) && !next->hasTrait<OpTrait::IsTerminator>())
      next = next->getNextNode();
    return next && beginsWithBarrier(next);
  }

  /// Returns the condition under which `op` needs no barrier before it, in the
  /// form of `GlobalHazards`.
  std::optional<DisjointCondition>
  getDisjointCondition(const Pending &pending, Operation *op,
                       ArrayRef<SharedUse> accesses) {
    bool isShared = llvm::any_of(accesses, [&](const SharedUse &use) {
      return llvm::any_of(pending.shared, [&](const SharedUse &earlier) {
        return use.conflictsWith(earlier);
      });
    });
    if (isShared)
      return std::nullopt;
    DisjointCondition all;
    if (!accessesGlobalMemory(op))
      return all;
    for (const GlobalUse &earlier : pending.global) {
      std::optional<DisjointCondition> condition =
          order.getDisjointCondition(earlier, op);
      if (!condition)
        return std::nullopt;
      for (const RowDistance &rows : *condition)
        if (!llvm::is_contained(earlier.unlessDisjoint, rows) &&
            !llvm::is_contained(all, rows))
          all.push_back(rows);
    }
    return all;
  }

  /// Inserts a barrier before `op` that runs if rows are too close, at most
  /// once for each distance.
  void guard(Operation *op, const DisjointCondition &condition,
             Pending &pending) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    DisjointCondition &known = guarded[op];
    Value areTooClose;
    for (const RowDistance &rows : condition) {
      for (GlobalUse &use : pending.global)
        if (!llvm::is_contained(use.unlessDisjoint, rows))
          use.unlessDisjoint.push_back(rows);
      if (llvm::is_contained(known, rows))
        continue;
      if (isTrial) {
        areMissing = true;
        continue;
      }
      known.push_back(rows);
      Value isTooClose = arith::CmpIOp::create(
          b, arith::CmpIPredicate::slt,
          rows.distance.emit(b, b.getLoc(), b.getI64Type()),
          arith::ConstantOp::create(b, b.getI64IntegerAttr(rows.least)));
      areTooClose =
          areTooClose
              ? arith::OrIOp::create(b, areTooClose, isTooClose).getResult()
              : isTooClose;
    }
    if (!areTooClose)
      return;
    auto branch = scf::IfOp::create(b, areTooClose, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    warp::BarrierOp::create(b);
  }

  void visit(Operation *op, Pending &pending) {
    if (op->getNumRegions() != 0 && !usesScratch(op) &&
        isa<RegionBranchOpInterface>(op))
      return visitRegions(op, pending);
    SmallVector<SharedUse> accesses = getSharedUses(op);
    if (beginsWithBarrier(op))
      pending.clear();
    std::optional<DisjointCondition> condition =
        getDisjointCondition(pending, op, accesses);
    if (condition) {
      guard(op, *condition, pending);
    } else if (isTrial) {
      areMissing = true;
    } else {
      OpBuilder builder(op);
      warp::BarrierOp::create(builder, op->getLoc());
      pending.clear();
    }
    if (synchronizes(op))
      pending.clear();
    Pending::addTo<SharedUse>(pending.shared, getUsesAfter(op));
    applyRelease(op, pending.shared);
    if (accessesGlobalMemory(op) && !endsWithBarrier(op))
      Pending::addTo<GlobalUse>(pending.global, GlobalUse{op, nullptr, {}});
  }

  /// Returns the accesses that are pending in the next iteration of `loop`.
  static Pending carry(Operation *loop, const Pending &pending) {
    Pending carried{pending.shared, {}};
    for (GlobalUse use : pending.global)
      if (std::optional<GlobalUse> around = carryAround(use, loop))
        Pending::addTo<GlobalUse>(carried.global, *around);
    return carried;
  }

  /// First inserts the barriers that the iterations of a loop need among each
  /// other. If accesses before the loop need more, inserts one before the loop
  /// instead of one in each iteration.
  void visitRegions(Operation *op, Pending &pending) {
    if (isa<scf::IfOp, scf::IndexSwitchOp, warp::SpecializeOp>(op))
      return visitRegions(op, pending, /*isLoop=*/false);
    if (isTrial)
      return visitRegions(op, pending, /*isLoop=*/true);
    Pending inside;
    visitRegions(op, inside, /*isLoop=*/true);
    Pending both = pending;
    isTrial = true, areMissing = false;
    visitRegions(op, both, /*isLoop=*/true);
    isTrial = false;
    if (areMissing) {
      OpBuilder builder(op);
      warp::BarrierOp::create(builder, op->getLoc());
      both = std::move(inside);
    }
    pending = std::move(both);
  }

  /// Over-approximates control flow. Any region may be entered from outside or
  /// from the end of each other region, and left from the end of any. A
  /// conditional may enter none.
  void visitRegions(Operation *op, Pending &pending, bool isLoop) {
    Pending entry = pending;
    Pending exit;
    // The pending accesses grow monotonically until a fixed point.
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

  GlobalHazards order;
  /// In a trial nothing changes; `areMissing` tells whether barriers are
  /// missing.
  bool isTrial = false;
  bool areMissing = false;
  /// The distances that guards before an op check at run time.
  llvm::DenseMap<Operation *, DisjointCondition> guarded;
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
