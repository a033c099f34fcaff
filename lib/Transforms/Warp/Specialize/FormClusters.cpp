// Forms clusters in which each CTA loads a part of a shared block and
// multicasts it to all.
//
// A CTA may be past the end of the grid, or of the programs. Its neighbours
// still wait for its part of the loads and for its releases of slots. So it
// repeats the program of the first CTA of its cluster and stores nothing.

#include "lib/Transforms/Warp/Passes.h"

#include "lib/Analysis/Facts/ProgramVariation.h"
#include "lib/Transforms/Warp/Specialize/ClusterPlan.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

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
  /// The CTA that runs a role.
  struct Member {
    /// Its rank in the cluster, and the id of the first CTA of the cluster.
    Value rank, first;
    /// Whether it belongs to the grid of the launch; null if always.
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
  /// The extent x of the grid before padding; null without padding.
  Value numPrograms;
  /// Values that are the same in all CTAs of a cluster.
  SmallVector<Value> common;
  /// Maps values to their clones for each rank of the cluster.
  SmallVector<IRMapping> ofRank;
};

} // namespace

//===----------------------------------------------------------------------===//
// Grids and rings
//===----------------------------------------------------------------------===//

/// Adds arguments for the extents of the grid before padding; the launch rounds
/// extent x up.
void ClusterFormer::padGrid() {
  SmallVector<Value, 3> extents;
  for (int i = 0; i < 3; ++i) {
    unsigned number = func.getNumArguments();
    (void)func.insertArgument(number, b.getI32Type(), {}, func.getLoc());
    extents.push_back(func.getArgument(number));
  }
  func->setAttr(WarpDialect::kPaddedGridAttr, b.getUnitAttr());
  func.walk([&](tile::NumProgramsOp count) {
    if (count.getAxis() != tile::Axis::X)
      return;
    count.replaceAllUsesWith(extents[0]);
    count.erase();
  });
  numPrograms = extents[0];
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

/// Whether `first` + `rank` is less than `end`, given that `first` is.
Value ClusterFormer::isBefore(Value first, Value end, Value rank) {
  Value left = arith::SubIOp::create(b, end, first);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, left, rank);
}

/// Returns `first` + `rank`, the program of this CTA, if `isOwn`; else `first`.
Value ClusterFormer::choose(Value isOwn, Value first, Value rank) {
  Value own = arith::AddIOp::create(b, first, rank);
  return arith::SelectOp::create(b, isOwn, own, first);
}

/// Makes all CTAs of a cluster run equally many iterations of a loop over
/// programs. Returns whether this CTA has a program in the iteration.
Value ClusterFormer::enterLoop(scf::ForOp loop, const Member &member) {
  loop.setLowerBound(member.first);
  Value counter = loop.getInductionVar();
  Operation *body = &loop.getBody()->front();
  b.setInsertionPointToStart(loop.getBody());
  Value isOwn = isBefore(counter, loop.getUpperBound(), member.rank);
  if (member.isLaunched)
    isOwn = arith::AndIOp::create(b, isOwn, member.isLaunched);
  Value program = choose(isOwn, counter, member.rank);
  counter.replaceUsesWithIf(program, [&](OpOperand &use) {
    Operation *here = loop.getBody()->findAncestorOpInBlock(*use.getOwner());
    return here && !here->isBeforeInBlock(body);
  });
  return isOwn;
}

/// Guards `store` by `condition`, which may be null.
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

/// Computes the value of `value` in CTA `rank` of the cluster.
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

/// Whether `value` is `start` minus `step`.
static bool isStepBefore(Value value, Value start, Value step) {
  if (auto difference = value.getDefiningOp<arith::SubIOp>())
    return difference.getLhs() == start && difference.getRhs() == step;
  auto addition = value.getDefiningOp<arith::AddIOp>();
  APInt back, forth;
  return addition && addition.getLhs() == start &&
         matchPattern(addition.getRhs(), m_ConstantInt(&back)) &&
         matchPattern(step, m_ConstantInt(&forth)) && back == -forth;
}

/// Replaces a second tile counter by the induction variable. Persistent kernels
/// often have one for the epilogue. It starts one step before the lower bound
/// and advances by one step per iteration.
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
        "each of the {0} CTAs of a cluster loads a part and multicasts it{1}",
        size, shared.isAlways ? "" : ", if their programs load the same block");
  }
}

namespace {
struct FormClusters : warp::impl::FormClustersBase<FormClusters> {
  using FormClustersBase::FormClustersBase;

  void runOnOperation() override {
    if (size < 2 || size > 16 || !llvm::isPowerOf2_32(size)) {
      emitError(
          getOperation().getLoc(),
          "the CTAs of a cluster must be a power of two from 2 to 16, got ")
          << size.getValue();
      return signalPassFailure();
    }
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
