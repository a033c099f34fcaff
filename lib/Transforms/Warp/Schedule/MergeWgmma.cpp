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

/// Products that one instruction may compute, in order.
using Neighbours = SmallVector<WgmmaOp, 4>;

static std::optional<WgmmaPlan> getPlan(ArrayRef<WgmmaOp> products) {
  SmallVector<Value> b, acc;
  for (WgmmaOp product : products) {
    b.push_back(product.getB());
    acc.push_back(product.getAcc());
  }
  return getWgmmaPlan(WgmmaOp(products.front()).getA(), b, acc);
}

/// Whether `next` goes with `found`: with the same rows, in the same way, and
/// with columns behind theirs.
static bool goesWith(const Neighbours &found, WgmmaOp next) {
  WgmmaOp first = found.front();
  if (first.getA() != next.getA() ||
      startsAtZero(first.getAcc()) != startsAtZero(next.getAcc()) ||
      getTileElementType(first.getB()) != getTileElementType(next.getB()) ||
      getTileElementType(first.getAcc()) != getTileElementType(next.getAcc()))
    return false;
  Neighbours both(found);
  both.push_back(next);
  std::optional<WgmmaPlan> plan = getPlan(both);
  return plan && hasRegistersFor(first, plan->columns / 2, /*asked=*/0);
}

/// `first` and the products behind it that go with it. In between nothing has
/// effects or needs a sum.
static Neighbours findNeighbours(WgmmaOp first) {
  Neighbours found = {first};
  auto needsSum = [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      auto product = operand.getDefiningOp<WgmmaOp>();
      return product && llvm::is_contained(found, product);
    });
  };
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    auto next = dyn_cast<WgmmaOp>(op);
    if (needsSum(op) || (next ? !goesWith(found, next)
                              : op->getNumRegions() || !isMemoryEffectFree(op)))
      break;
    if (next)
      found.push_back(next);
  }
  return found;
}

static WgmmaBesideOp join(const Neighbours &products) {
  // All operands are known at the last one.
  OpBuilder b(WgmmaOp(products.back()));
  SmallVector<Value> right, acc;
  SmallVector<Type> types;
  for (WgmmaOp product : products) {
    right.push_back(product.getB());
    acc.push_back(product.getAcc());
    types.push_back(product.getType());
  }
  WgmmaOp first = products.front();
  auto joined =
      WgmmaBesideOp::create(b, first.getLoc(), types, first.getA(), right, acc);
  constexpr auto kRemark =
      remark::RemarkOpts::name("Joined").category("warp-merge-wgmma");
  remark::passed(first.getLoc(), kRemark)
      << remark::add("computed by the same instructions as columns beside it");
  for (auto [product, result] :
       llvm::zip_equal(products, joined.getResults())) {
    WgmmaOp(product).getResult().replaceAllUsesWith(result);
    WgmmaOp(product).erase();
  }
  return joined;
}

namespace {

/// A wait that leaves products running.
struct Delayed {
  WgmmaWaitOp wait;
  SmallVector<Operation *> running;
};

} // namespace

/// The products that `wait` leaves running, or nothing if they are not those in
/// front of it in its block.
static std::optional<Delayed> findRunning(WgmmaWaitOp wait) {
  Delayed delayed{wait, {}};
  for (Operation *op = wait->getPrevNode();
       op && delayed.running.size() < wait.getPendings();
       op = op->getPrevNode()) {
    if (op->getNumRegions())
      return std::nullopt;
    if (isa<WgmmaOp, WgmmaBesideOp>(op))
      delayed.running.push_back(op);
  }
  if (delayed.running.size() < wait.getPendings())
    return std::nullopt;
  return delayed;
}

namespace {
class MergeWgmma : public warp::impl::MergeWgmmaBase<MergeWgmma> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<FunctionOpInterface>())
      visit(func);
  }

  static void visit(FunctionOpInterface func) {
    SmallVector<WgmmaOp> products;
    SmallVector<Delayed> delayed;
    bool areCounted = true;
    func->walk([&](Operation *op) {
      if (auto product = dyn_cast<WgmmaOp>(op))
        products.push_back(product);
      auto wait = dyn_cast<WgmmaWaitOp>(op);
      if (!wait || wait.getPendings() == 0)
        return;
      if (auto found = findRunning(wait))
        delayed.push_back(std::move(*found));
      else
        areCounted = false;
    });
    if (areCounted)
      count(delayed, joinAll(products));
  }

  using Joined = llvm::SmallDenseMap<Operation *, WgmmaBesideOp>;

  /// What has become of the products.
  static Joined joinAll(ArrayRef<WgmmaOp> products) {
    Joined joined;
    for (WgmmaOp product : products) {
      if (joined.contains(product))
        continue;
      Neighbours found = findNeighbours(product);
      if (found.size() < 2)
        continue;
      WgmmaBesideOp op = join(found);
      for (WgmmaOp part : found)
        joined[part] = op;
    }
    return joined;
  }

  /// Lets the waits leave as many groups running as the products now are. Of a
  /// group that is only partly among them all is waited for.
  static void count(ArrayRef<Delayed> delayed, const Joined &joined) {
    for (const Delayed &found : delayed) {
      llvm::SmallDenseMap<Operation *, unsigned> parts;
      unsigned pendings = 0;
      for (Operation *product : found.running) {
        WgmmaBesideOp op = joined.lookup(product);
        pendings += !op || ++parts[op] == op.getNumResults();
      }
      WgmmaWaitOp(found.wait).setPendings(pendings);
    }
  }
};
} // namespace
