#include "lib/Transforms/Warp/CheckRings/RoleOrder.h"

#include "lib/Transforms/Warp/CheckRings/Choices.h"
#include "lib/Transforms/Warp/CheckRings/PingPongParity.h"
#include "lib/Transforms/Warp/CheckRings/RolePlay.h"
#include "lib/Transforms/Warp/CheckRings/SlotRules.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// The maximum number of steps of a role.
static constexpr size_t kMaxSteps = 1 << 16;

namespace {

class RoleOrder {
public:
  explicit RoleOrder(SpecializeOp roles) : roles(roles) {}

  LogicalResult run();

private:
  LogicalResult collect();
  void expand(Region &region, std::vector<Step> &steps);
  void expand(Operation *op, std::vector<Step> &steps);
  bool isReleased(RingReleaseOp op);
  std::vector<Actor> expandRoles();
  LogicalResult play();

  SpecializeOp roles;
  /// Ops with regions in which slots are passed.
  llvm::DenseSet<Operation *> relevant;
  RolePlay rings;
  PingPongParity parity;
  Choices choices{parity};
  /// Loops that are expanded in their first iteration.
  llvm::DenseSet<Operation *> first;
};

} // namespace

/// Returns the ring of transactions of which `op` passes a slot.
static RingOp getPassedRing(Operation *op) {
  Value ring;
  if (auto skip = dyn_cast<RingSkipOp>(op))
    ring = skip.getRing();
  if (auto acquire = dyn_cast<RingAcquireOp>(op))
    ring = acquire.getRing();
  else if (auto wait = dyn_cast<RingWaitOp>(op))
    ring = wait.getRing();
  auto found = ring ? ring.getDefiningOp<RingOp>() : RingOp();
  if (!found || found.getType().getCompletion() != Completion::Transactions)
    return {};
  return found;
}

/// Visits producers first, because their loops are not peeled.
LogicalResult RoleOrder::collect() {
  SmallVector<Region *> order;
  for (auto [index, role] : llvm::enumerate(roles.getRoles())) {
    unsigned number = index;
    bool fills =
        role.walk([](RingAcquireOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    order.insert(fills ? order.begin() : order.end(), &role);
    role.walk([&](Operation *op) {
      if (RingOp ring = getPassedRing(op)) {
        rings.add(ring, op, roles, number);
      } else if (!isa<RingCommitOp, RingReleaseOp, PingPongWaitOp,
                      PingPongPassOp>(op)) {
        return;
      }
      for (Operation *at = op; at != roles && relevant.insert(at).second;)
        at = at->getParentOp();
    });
  }
  for (Region *role : order)
    role->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (relevant.contains(op) && isa<scf::ForOp, scf::WhileOp>(op))
        choices.addLoop(op);
    });
  for (Region *role : order)
    role->walk([&](Operation *op) {
      if (auto branch = dyn_cast<scf::IfOp>(op);
          branch && relevant.contains(op))
        choices.addCondition(branch.getCondition());
      if (auto release = dyn_cast<RingReleaseOp>(op);
          release && release.getCondition() &&
          !choices.getLoopNotFirst(release.getCondition()))
        choices.addCondition(release.getCondition());
    });
  WalkResult skips = roles.walk(
      [&](RingSkipOp op) { return WalkResult(choices.addSkip(op)); });
  return failure(skips.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void RoleOrder::expand(Region &region, std::vector<Step> &steps) {
  for (Operation &op : region.front())
    if (relevant.contains(&op))
      expand(&op, steps);
}

/// Returns the ring of `slot`. Slots are released in order (see SlotRules), so
/// the simulation needs the ring of a release only.
static RingOp findRing(Value slot) {
  llvm::SmallPtrSet<void *, 8> seen;
  SmallVector<Value> open{slot};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value.getAsOpaquePointer()).second)
      continue;
    if (Operation *op = value.getDefiningOp()) {
      if (RingOp ring = getPassedRing(op))
        return ring;
      unsigned index = cast<OpResult>(value).getResultNumber();
      for (Region &region : op->getRegions()) {
        Operation *end = region.front().getTerminator();
        if (index < end->getNumOperands())
          open.push_back(end->getOperand(index));
      }
    } else if (auto loop = dyn_cast<scf::ForOp>(
                   cast<BlockArgument>(value).getOwner()->getParentOp())) {
      unsigned index = cast<BlockArgument>(value).getArgNumber() - 1;
      open.push_back(loop.getInitArgs()[index]);
      open.push_back(loop.getYieldedValues()[index]);
    }
  }
  return {};
}

bool RoleOrder::isReleased(RingReleaseOp op) {
  if (!op.getCondition())
    return true;
  if (Operation *loop = choices.getLoopNotFirst(op.getCondition()))
    return !first.contains(loop);
  return choices.isTaken(op.getCondition());
}

void RoleOrder::expand(Operation *op, std::vector<Step> &steps) {
  if (steps.size() > kMaxSteps)
    return;
  if (isa<scf::ForOp, scf::WhileOp>(op)) {
    Region &body = op->getRegions().back();
    auto counted = dyn_cast<scf::ForOp>(op);
    if (counted) {
      parity.pass(counted.getInitArgs(), counted.getRegionIterArgs());
      parity.pass(counted.getInitArgs(), counted.getResults());
    }
    for (int64_t i = 0, e = choices.getTrips(op); i < e; ++i) {
      if (i == 0)
        first.insert(op);
      expand(body, steps);
      first.erase(op);
      if (counted) {
        parity.pass(counted.getYieldedValues(), counted.getResults());
        parity.pass(counted.getYieldedValues(), counted.getRegionIterArgs());
      }
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Region &region = choices.isTaken(branch.getCondition())
                         ? branch.getThenRegion()
                         : branch.getElseRegion();
    if (!region.empty())
      expand(region, steps);
  } else if (RingOp ring = getPassedRing(op)) {
    auto skip = dyn_cast<RingSkipOp>(op);
    steps.push_back({op, ring, skip ? choices.getSkipped(skip) : 1});
  } else if (isa<PingPongWaitOp, PingPongPassOp>(op)) {
    steps.push_back({op, nullptr});
  } else if (auto commit = dyn_cast<RingCommitOp>(op)) {
    if (RingOp ring = findRing(commit.getSlot()))
      steps.push_back({op, ring});
  } else if (auto release = dyn_cast<RingReleaseOp>(op)) {
    RingOp ring = findRing(release.getSlot());
    if (ring && isReleased(release))
      steps.push_back({op, ring});
  }
}

//===----------------------------------------------------------------------===//
// Simulation of all roles
//===----------------------------------------------------------------------===//

/// Returns all actors with their steps.
std::vector<Actor> RoleOrder::expandRoles() {
  std::vector<Actor> actors;
  for (auto [number, role] : llvm::enumerate(roles.getRoles()))
    for (int32_t i = 0; i < roles.getNumPingPongGroups(number); ++i) {
      parity.begin(i);
      actors.push_back({unsigned(number), unsigned(i), {}});
      expand(role, actors.back().steps);
    }
  return actors;
}

LogicalResult RoleOrder::play() {
  std::vector<Actor> actors = expandRoles();
  // Truncated steps prove nothing.
  if (llvm::any_of(actors, [](const Actor &actor) {
        return actor.steps.size() > kMaxSteps;
      }))
    return success();
  std::optional<Complaint> complaint = rings.play(actors, roles);
  if (!complaint)
    return success();
  InFlightDiagnostic error = reportRule(complaint->op, "in step")
                             << complaint->text;
  choices.describe(error);
  return error;
}

LogicalResult RoleOrder::run() {
  if (failed(collect()))
    return failure();
  for (size_t number = 0; choices.choose(number, rings.getMostSlots());
       ++number)
    if (failed(play()))
      return failure();
  return success();
}

LogicalResult warp::checkOrder(SpecializeOp roles) {
  return RoleOrder(roles).run();
}
