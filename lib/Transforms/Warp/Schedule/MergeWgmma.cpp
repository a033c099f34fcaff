#include "lib/Transforms/Warp/Passes.h"

#include "lib/Analysis/Mma/WgmmaPlans.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_MERGEWGMMA
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// wgmmas that one instruction may compute, in order.
using Mergeable = SmallVector<WgmmaOp, 4>;

static std::optional<WgmmaPlan> getPlan(ArrayRef<WgmmaOp> wgmmas) {
  SmallVector<Value> b, acc;
  for (WgmmaOp wgmma : wgmmas) {
    llvm::append_range(b, wgmma.getB());
    llvm::append_range(acc, wgmma.getAcc());
  }
  return getWgmmaPlan(WgmmaOp(wgmmas.front()).getA(), b, acc);
}

/// Whether `next` can be merged with `found`:
/// 1. It has the same A.
/// 2. Its accumulators start in the same way, from zero or not.
/// 3. Its columns of B follow theirs in memory.
static bool canMerge(const Mergeable &found, WgmmaOp next) {
  WgmmaOp first = found.front();
  auto hasSameType = [](Value value, Value other) {
    return getTileElementType(value) == getTileElementType(other);
  };
  if (first.getA() != next.getA() ||
      startsAtZero(first) != startsAtZero(next) ||
      !hasSameType(first.getB().front(), next.getB().front()) ||
      !hasSameType(first.getAcc().front(), next.getAcc().front()))
    return false;
  Mergeable both(found);
  both.push_back(next);
  std::optional<WgmmaPlan> plan = getPlan(both);
  return plan && hasRegistersFor(first, plan->columns / 2, /*asked=*/0);
}

/// Returns `first` and the wgmmas after it that can be merged with it. No op
/// between them has effects or uses their accumulators.
static Mergeable findMergeable(WgmmaOp first) {
  Mergeable found = {first};
  auto needsAcc = [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      auto wgmma = operand.getDefiningOp<WgmmaOp>();
      return wgmma && llvm::is_contained(found, wgmma);
    });
  };
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    auto next = dyn_cast<WgmmaOp>(op);
    if (needsAcc(op) || (next ? !canMerge(found, next)
                              : op->getNumRegions() || !isMemoryEffectFree(op)))
      break;
    if (next)
      found.push_back(next);
  }
  return found;
}

static WgmmaOp merge(const Mergeable &wgmmas) {
  // All operands are defined at the last wgmma.
  OpBuilder b(WgmmaOp(wgmmas.back()));
  SmallVector<Value> right, acc;
  for (WgmmaOp wgmma : wgmmas) {
    llvm::append_range(right, wgmma.getB());
    llvm::append_range(acc, wgmma.getAcc());
  }
  WgmmaOp first = wgmmas.front();
  auto merged = WgmmaOp::create(b, first.getLoc(), TypeRange(ValueRange(acc)),
                                first.getA(), right, acc);
  constexpr auto kRemark =
      remark::RemarkOpts::name("Merged").category("warp-merge-wgmma");
  remark::passed(first.getLoc(), kRemark)
      << remark::add("computed by the same instructions as adjacent columns");
  ValueRange results = merged.getResults();
  for (WgmmaOp wgmma : wgmmas) {
    wgmma->replaceAllUsesWith(results.take_front(wgmma.getNumDots()));
    results = results.drop_front(wgmma.getNumDots());
    wgmma.erase();
  }
  return merged;
}

namespace {

/// A wait that leaves wgmmas in flight.
struct PartialWait {
  WgmmaWaitOp wait;
  SmallVector<Operation *> inFlight;
};

} // namespace

/// Returns the wgmmas that `wait` leaves in flight, or nothing if not all of
/// them precede it in its block.
static std::optional<PartialWait> findInFlight(WgmmaWaitOp wait) {
  PartialWait partial{wait, {}};
  for (Operation *op = wait->getPrevNode();
       op && partial.inFlight.size() < wait.getPendings();
       op = op->getPrevNode()) {
    if (op->getNumRegions())
      return std::nullopt;
    if (isa<WgmmaOp>(op))
      partial.inFlight.push_back(op);
  }
  if (partial.inFlight.size() < wait.getPendings())
    return std::nullopt;
  return partial;
}

namespace {
class MergeWgmma : public warp::impl::MergeWgmmaBase<MergeWgmma> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<FunctionOpInterface>())
      visit(func);
  }

  static void visit(FunctionOpInterface func) {
    SmallVector<WgmmaOp> wgmmas;
    SmallVector<PartialWait> partial;
    bool allKnown = true;
    func->walk([&](Operation *op) {
      if (auto wgmma = dyn_cast<WgmmaOp>(op))
        wgmmas.push_back(wgmma);
      auto wait = dyn_cast<WgmmaWaitOp>(op);
      if (!wait || wait.getPendings() == 0)
        return;
      if (auto found = findInFlight(wait))
        partial.push_back(std::move(*found));
      else
        allKnown = false;
    });
    if (allKnown)
      updatePendings(partial, mergeAll(wgmmas));
  }

  /// A merged op, and the number of ops that it replaces.
  struct Replacement {
    WgmmaOp op;
    size_t numParts = 0;
  };
  using Merged = llvm::SmallDenseMap<Operation *, Replacement>;

  /// Merges wgmmas. Returns the merged op for each one that was merged.
  static Merged mergeAll(ArrayRef<WgmmaOp> wgmmas) {
    Merged merged;
    for (WgmmaOp wgmma : wgmmas) {
      if (merged.contains(wgmma))
        continue;
      Mergeable found = findMergeable(wgmma);
      if (found.size() < 2)
        continue;
      Replacement replacement{merge(found), found.size()};
      for (WgmmaOp part : found)
        merged[part] = replacement;
    }
    return merged;
  }

  /// Adjusts the pending counts of waits to the merged wgmmas. A merged wgmma
  /// of which only a part was pending is waited for.
  static void updatePendings(ArrayRef<PartialWait> partial,
                             const Merged &merged) {
    for (const PartialWait &found : partial) {
      llvm::SmallDenseMap<Operation *, size_t> parts;
      unsigned pendings = 0;
      for (Operation *wgmma : found.inFlight) {
        auto [op, numParts] = merged.lookup(wgmma);
        pendings += !op || ++parts[op] == numParts;
      }
      WgmmaWaitOp(found.wait).setPendings(pendings);
    }
  }
};
} // namespace
