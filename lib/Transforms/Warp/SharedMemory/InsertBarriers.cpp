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
        if (isNeedless(&op) && !isTrial)
          op.erase();
        else
          visit(&op, pending);
      }
  }

private:
  /// Whether `op` is a barrier in front of one that the next operation begins
  /// with.
  static bool isNeedless(Operation *op) {
    auto barrier = dyn_cast<warp::BarrierOp>(op);
    if (!barrier || barrier.getRelease())
      return false;
    Operation *next = op->getNextNode();
    while (next && next->getNumRegions() == 0 && isMemoryEffectFree(next) &&
           !usesScratch(next) && !next->hasTrait<OpTrait::IsTerminator>())
      next = next->getNextNode();
    return next && beginsWithBarrier(next);
  }

  /// What has to hold for no barrier to stand in front of `op`, as
  /// GlobalHazards.
  std::optional<Apart> getApart(const Pending &pending, Operation *op,
                                ArrayRef<SharedUse> accesses) {
    bool isShared = llvm::any_of(accesses, [&](const SharedUse &use) {
      return llvm::any_of(pending.shared, [&](const SharedUse &earlier) {
        return use.conflictsWith(earlier);
      });
    });
    if (isShared)
      return std::nullopt;
    Apart all;
    if (!accessesGlobalMemory(op))
      return all;
    for (const GlobalUse &earlier : pending.global) {
      std::optional<Apart> apart = order.getApart(earlier, op);
      if (!apart)
        return std::nullopt;
      for (const RowDistance &rows : *apart)
        if (!llvm::is_contained(earlier.unlessApart, rows) &&
            !llvm::is_contained(all, rows))
          all.push_back(rows);
    }
    return all;
  }

  /// A barrier in front of `op` where rows are too near, once for each
  /// distance.
  void guard(Operation *op, const Apart &apart, Pending &pending) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Apart &known = guarded[op];
    Value areNear;
    for (const RowDistance &rows : apart) {
      for (GlobalUse &use : pending.global)
        if (!llvm::is_contained(use.unlessApart, rows))
          use.unlessApart.push_back(rows);
      if (llvm::is_contained(known, rows))
        continue;
      if (isTrial) {
        areMissing = true;
        continue;
      }
      known.push_back(rows);
      Value isNear = arith::CmpIOp::create(
          b, arith::CmpIPredicate::slt,
          rows.distance.emit(b, b.getLoc(), b.getI64Type()),
          arith::ConstantOp::create(b, b.getI64IntegerAttr(rows.least)));
      areNear = areNear ? arith::OrIOp::create(b, areNear, isNear).getResult()
                        : isNear;
    }
    if (!areNear)
      return;
    auto branch = scf::IfOp::create(b, areNear, /*withElseRegion=*/false);
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
    std::optional<Apart> apart = getApart(pending, op, accesses);
    if (apart) {
      guard(op, *apart, pending);
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
    passRelease(op, pending.shared);
    if (accessesGlobalMemory(op) && !endsWithBarrier(op))
      Pending::addTo<GlobalUse>(pending.global, GlobalUse{op, nullptr, {}});
  }

  /// What is pending in the next iteration of `loop`.
  static Pending carry(Operation *loop, const Pending &pending) {
    Pending carried{pending.shared, {}};
    for (GlobalUse use : pending.global)
      if (std::optional<GlobalUse> around = carryAround(use, loop))
        Pending::addTo<GlobalUse>(carried.global, *around);
    return carried;
  }

  /// A loop first gets the barriers that its iterations need among each other.
  /// Where what is pending in front of it needs more, one stands there instead
  /// of in each iteration.
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

  /// A region may be entered from outside and from the end of each other one,
  /// and left from the end of any; a conditional may enter none. That is all
  /// that loops and conditionals can do.
  void visitRegions(Operation *op, Pending &pending, bool isLoop) {
    Pending entry = pending;
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

  GlobalHazards order;
  /// Nothing is changed; whether there is too little is said.
  bool isTrial = false;
  bool areMissing = false;
  /// What is asked in front of an op when the kernel runs.
  llvm::DenseMap<Operation *, Apart> guarded;
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
