// Lets neighbouring blocks bring what they all need once.
//
// A block past the end of the grid, or of the programs, has neighbours that
// wait for its part of the copies and for its word that slots are empty. So it
// runs the program of the first block of its cluster once more, and stores
// nothing.

#include "lib/Transforms/Warp/Passes.h"

#include "lib/Analysis/Facts/ProgramVariation.h"
#include "lib/Transforms/Warp/Specialize/ClusterPlan.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_FORMCLUSTERS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

namespace {

/// Carries out a plan.
class ClusterFormer {
public:
  ClusterFormer(tile::FuncOp func, ClusterPlan &plan, unsigned size)
      : func(func), plan(plan), size(size), b(func.getLoc(), func.getContext()),
        ofRank(size) {}

  void run();

private:
  /// The block that runs a role.
  struct Member {
    /// Its number in the cluster, and the number of the cluster's first member.
    Value rank, first;
    /// Whether it belongs to the grid that was asked for; null: always.
    Value isLaunched;
  };

  void padGrid();
  void shareRings();
  Value isBefore(Value first, Value end, Value rank);
  Value choose(Value isOwn, Value first, Value rank);
  Value enterLoop(scf::ForOp loop, const Member &member);
  void guard(Operation *store, Value condition);
  void enter(ClusterRole &role);
  Value computeFor(unsigned rank, Value value, ProgramVariation &variation);
  void share(const SharedLoad &shared, ProgramVariation &variation);

  tile::FuncOp func;
  ClusterPlan &plan;
  unsigned size;
  ImplicitLocOpBuilder b;
  /// Of a grid that may have been rounded up: the first side of the one asked
  /// for.
  Value numPrograms;
  /// The same for all blocks of a cluster.
  SmallVector<Value> common;
  /// Values as they are in each block of the cluster.
  SmallVector<IRMapping> ofRank;
};

} // namespace

//===----------------------------------------------------------------------===//
// Grids and rings
//===----------------------------------------------------------------------===//

/// Adds the sides of the grid that was asked for; the launch rounds the first
/// one up.
void ClusterFormer::padGrid() {
  SmallVector<Value, 3> sides;
  for (int i = 0; i < 3; ++i) {
    unsigned number = func.getNumArguments();
    (void)func.insertArgument(number, b.getI32Type(), {}, func.getLoc());
    sides.push_back(func.getArgument(number));
  }
  func->setAttr(WarpDialect::kPaddedGridAttr, b.getUnitAttr());
  func.walk([&](tile::NumProgramsOp count) {
    if (count.getAxis() != tile::Axis::X)
      return;
    count.replaceAllUsesWith(sides[0]);
    count.erase();
  });
  numPrograms = sides[0];
}

void ClusterFormer::shareRings() {
  auto slot = SlotType::get(func.getContext(), size);
  for (Value ring : plan.rings) {
    auto type = cast<RingType>(ring.getType());
    ring.setType(RingType::get(func.getContext(), type.getNumSlots(),
                               type.getTiles(), type.getCompletion(), size));
    for (Operation *user : ring.getUsers())
      if (isa<RingAcquireOp, RingWaitOp>(user))
        user->getResult(0).setType(slot);
  }
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Whether block `rank` of a cluster has a number `first` + `rank` before
/// `end`, which `first` comes before.
Value ClusterFormer::isBefore(Value first, Value end, Value rank) {
  Value left = arith::SubIOp::create(b, end, first);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, left, rank);
}

/// `first` + `rank`, the block's own program, or else `first`.
Value ClusterFormer::choose(Value isOwn, Value first, Value rank) {
  Value own = arith::AddIOp::create(b, first, rank);
  return arith::SelectOp::create(b, isOwn, own, first);
}

/// Makes all blocks of a cluster take equally many turns in a loop over
/// programs. Whether a turn is the block's own.
Value ClusterFormer::enterLoop(scf::ForOp loop, const Member &member) {
  loop.setLowerBound(member.first);
  Value turn = loop.getInductionVar();
  Operation *body = &loop.getBody()->front();
  b.setInsertionPointToStart(loop.getBody());
  Value isOwn = isBefore(turn, loop.getUpperBound(), member.rank);
  if (member.isLaunched)
    isOwn = arith::AndIOp::create(b, isOwn, member.isLaunched);
  Value program = choose(isOwn, turn, member.rank);
  turn.replaceUsesWithIf(program, [&](OpOperand &use) {
    Operation *here = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
    return here && !here->isBeforeInBlock(body);
  });
  return isOwn;
}

/// Runs `store` where `condition` (may be null) holds.
void ClusterFormer::guard(Operation *store, Value condition) {
  if (!condition)
    return;
  b.setInsertionPoint(store);
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  store->moveBefore(branch.thenBlock()->getTerminator());
}

void ClusterFormer::enter(ClusterRole &role) {
  SmallVector<tile::ProgramIdOp> ids;
  role.region->walk([&](tile::ProgramIdOp id) {
    if (id.getAxis() == tile::Axis::X)
      ids.push_back(id);
  });
  b.setInsertionPointToStart(&role.region->front());
  Member member;
  member.rank = ClusterRankOp::create(b);
  Value number = tile::ProgramIdOp::create(b, b.getI32Type(), tile::Axis::X);
  member.first = arith::SubIOp::create(b, number, member.rank);
  common.push_back(member.first);
  if (numPrograms)
    member.isLaunched = isBefore(member.first, numPrograms, member.rank);
  Value isOwn = member.isLaunched;
  if (role.programs) {
    isOwn = enterLoop(role.programs, member);
  } else {
    Value program = choose(isOwn, member.first, member.rank);
    for (tile::ProgramIdOp id : ids) {
      id.replaceAllUsesWith(program);
      id.erase();
    }
  }
  for (Operation *store : role.stores) {
    bool isInLoop = role.programs && role.programs->isAncestor(store);
    guard(store, isInLoop ? isOwn : member.isLaunched);
  }
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// What `value` is in block `rank` of the cluster.
Value ClusterFormer::computeFor(unsigned rank, Value value,
                                ProgramVariation &variation) {
  if (variation.isCommon(value))
    return value;
  IRMapping &map = ofRank[rank];
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    computeFor(rank, operand, variation);
  b.setInsertionPointAfter(op);
  if (isa<ClusterRankOp>(op))
    map.map(value, arith::ConstantIntOp::create(b, rank, 32).getResult());
  else
    b.clone(*op, map);
  return map.lookup(value);
}

void ClusterFormer::share(const SharedLoad &shared,
                          ProgramVariation &variation) {
  TmaLoadOp load = shared.load;
  load.setMulticast(true);
  Value condition;
  for (Value offset : load.getOffsets()) {
    if (variation.isCommon(offset))
      continue;
    Value first = computeFor(0, offset, variation);
    for (unsigned rank = 1; rank < size; ++rank) {
      Value other = computeFor(rank, offset, variation);
      b.setInsertionPoint(load);
      Value isSame =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, first, other);
      condition = condition
                      ? arith::AndIOp::create(b, condition, isSame).getResult()
                      : isSame;
    }
  }
  if (condition)
    load.getSharedMutable().assign(condition);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void ClusterFormer::run() {
  func->setAttr(WarpDialect::kClusterSizeAttr, b.getI32IntegerAttr(size));
  if (!func->hasAttr(WarpDialect::kPersistentAttr))
    padGrid();
  shareRings();
  for (ClusterRole &role : plan.parts)
    enter(role);
  ProgramVariation variation(common);
  for (const SharedLoad &load : plan.loads)
    share(load, variation);
  b.setInsertionPoint(plan.roles);
  ClusterBarrierOp::create(b, /*ringsOnly=*/true);
  b.setInsertionPoint(func.getBody().front().getTerminator());
  ClusterBarrierOp::create(b, /*ringsOnly=*/false);
}

/// Whether `value` is `start` less `step`.
static bool isStepBefore(Value value, Value start, Value step) {
  if (auto difference = value.getDefiningOp<arith::SubIOp>())
    return difference.getLhs() == start && difference.getRhs() == step;
  auto sum = value.getDefiningOp<arith::AddIOp>();
  APInt back, forth;
  return sum && sum.getLhs() == start &&
         matchPattern(sum.getRhs(), m_ConstantInt(&back)) &&
         matchPattern(step, m_ConstantInt(&forth)) && back == -forth;
}

/// Kernels that take tiles in turn like to count them a second time, for what
/// follows a product: from a step before the loop's start, a step each turn.
/// That is the loop's own counter.
static void replaceCounters(scf::ForOp loop) {
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    OpOperand &init = loop.getInitArgsMutable()[index];
    auto next = loop.getYieldedValues()[index].getDefiningOp<arith::AddIOp>();
    if (!next || next.getLhs() != argument || next.getRhs() != loop.getStep() ||
        !argument.hasOneUse() || !loop.getResult(index).use_empty() ||
        !isStepBefore(init.get(), loop.getLowerBound(), loop.getStep()))
      continue;
    next.replaceAllUsesWith(loop.getInductionVar());
    next.erase();
    Operation *before = init.get().getDefiningOp();
    init.set(loop.getStep());
    if (before->use_empty())
      before->erase();
  }
}

static void remarkLoads(const ClusterPlan &plan, unsigned size) {
  constexpr auto kRemark =
      remark::RemarkOpts::name("Cluster").category("warp-form-clusters");
  for (const SharedLoad &shared : plan.loads) {
    TmaLoadOp load = shared.load;
    remark::passed(load.getLoc(), kRemark) << remark::add(
        "each of the {0} blocks of a cluster brings a part of it "
        "to all{1}",
        size, shared.isAlways ? "" : ", where their programs load the same");
  }
}

namespace {
struct FormClusters : warp::impl::FormClustersBase<FormClusters> {
  using FormClustersBase::FormClustersBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (func.isKernel() && func.getBody().hasOneBlock() && !isExplicit(func))
        visit(func);
  }

  void visit(tile::FuncOp func) {
    constexpr auto kRemark =
        remark::RemarkOpts::name("Cluster").category("warp-form-clusters");
    func.walk(replaceCounters);
    ClusterPlan plan = planClusters(func, size);
    if (!plan.obstacle.empty()) {
      remark::missed(func.getLoc(), kRemark)
          << remark::add("no clusters: {0}", plan.obstacle);
      return;
    }
    remarkLoads(plan, size);
    ClusterFormer(func, plan, size).run();
  }
};
} // namespace
