#include "lib/Transforms/Warp/CheckRings/RoleOrder.h"

#include "lib/Transforms/Warp/CheckRings/SameValues.h"
#include "lib/Transforms/Warp/CheckRings/SlotRules.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Numbers of iterations that are tried, with one more that goes around the
/// ring; how many combinations of them; and steps of the roles.
static constexpr int64_t kTrips[] = {0, 1, 2};
static constexpr size_t kMaxChoices = 1024, kMaxSteps = 1 << 16;

namespace {

/// Numbers that decide how often loops run, and ways that branches take.
using Choice = SmallVector<int64_t>;

/// What a role does with a ring.
struct Step {
  Operation *op;
  Operation *ring;
};

/// How far all roles are with a ring.
struct RingCounts {
  int64_t numSlots = 0, acquired = 0, committed = 0;
  /// Of each role that reads the ring.
  std::map<unsigned, int64_t> waited, released;

  int64_t countReleased() const {
    int64_t least = released.empty() ? 0 : INT64_MAX;
    for (const auto &[role, count] : released)
      least = std::min(least, count);
    return least;
  }
  void reset() {
    acquired = committed = 0;
    for (auto *counts : {&waited, &released})
      for (auto &[role, count] : *counts)
        count = 0;
  }
};

class RoleOrder {
public:
  explicit RoleOrder(SpecializeOp roles) : roles(roles) {}

  LogicalResult run();

private:
  /// One number that loops or branches depend on.
  struct Unknown {
    /// A loop, or the condition of a branch.
    Operation *loop = nullptr;
    Value condition;
    /// How many values it is tried with.
    size_t numValues = 2;
  };

  void collect();
  void addLoop(Operation *loop);
  void addCondition(Value condition);
  int64_t getTrips(Operation *loop, const Choice &choice) const;
  bool isTaken(Value condition, const Choice &choice) const;
  void expand(Region &region, const Choice &choice, std::vector<Step> &steps);
  void expand(Operation *op, const Choice &choice, std::vector<Step> &steps);
  Operation *getLoopNotFirst(Value condition);
  bool isReleased(RingReleaseOp op, const Choice &choice);
  LogicalResult play(const Choice &choice);
  bool advance(unsigned role, const Step &step);
  LogicalResult report(Operation *op, const Twine &message,
                       const Choice &choice);

  SpecializeOp roles;
  SameValues same;
  std::vector<Unknown> unknowns;
  /// For each loop its unknown, and by how many iterations it has less.
  llvm::DenseMap<Operation *, std::pair<unsigned, int64_t>> loops;
  /// What a condition says: that its unknown is more than a number, or that it
  /// is not.
  struct Meaning {
    unsigned unknown = 0;
    int64_t least = 0;
    bool isOpposite = false;
  };
  llvm::DenseMap<Value, Meaning> conditions;
  /// Ops with regions in which slots are passed.
  llvm::DenseSet<Operation *> relevant;
  std::map<Operation *, RingCounts> rings;
  /// Loops in whose first iteration the expansion is.
  llvm::DenseSet<Operation *> first;
  int64_t mostSlots = 0;
};

} // namespace

/// The ring of transactions that `op` passes a slot of.
static RingOp getPassedRing(Operation *op) {
  Value ring;
  if (auto acquire = dyn_cast<RingAcquireOp>(op))
    ring = acquire.getRing();
  else if (auto wait = dyn_cast<RingWaitOp>(op))
    ring = wait.getRing();
  auto found = ring ? ring.getDefiningOp<RingOp>() : RingOp();
  if (!found || found.getType().getCompletion() != Completion::Transactions)
    return {};
  return found;
}

//===----------------------------------------------------------------------===//
// What decides
//===----------------------------------------------------------------------===//

/// The iterations of a loop with constant bounds.
static std::optional<int64_t> getConstantTrips(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  APInt from, to, by;
  if (!loop || !matchPattern(loop.getLowerBound(), m_ConstantInt(&from)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&to)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&by)) ||
      by.getSExtValue() <= 0)
    return std::nullopt;
  int64_t span = to.getSExtValue() - from.getSExtValue();
  return span <= 0 ? 0 : (span - 1) / by.getSExtValue() + 1;
}

void RoleOrder::addLoop(Operation *loop) {
  if (getConstantTrips(loop))
    return;
  for (const auto &[other, known] : loops) {
    auto counted = dyn_cast<scf::ForOp>(loop);
    auto otherCounted = dyn_cast<scf::ForOp>(other);
    bool isRest =
        counted && otherCounted && same.isRestOf(counted, otherCounted);
    if (isRest || same.areSame(loop, other)) {
      auto [unknown, less] = known;
      loops[loop] = {unknown, less + isRest};
      return;
    }
  }
  loops[loop] = {unsigned(unknowns.size()), 0};
  unknowns.push_back({loop, {}, std::size(kTrips) + 1});
}

void RoleOrder::addCondition(Value condition) {
  if (matchPattern(condition, m_Constant()) || conditions.count(condition))
    return;
  if (auto compare = condition.getDefiningOp<arith::CmpIOp>())
    for (const auto &[loop, known] : loops)
      if (auto counted = dyn_cast<scf::ForOp>(loop))
        if (auto holds = same.isGuard(compare, counted)) {
          conditions[condition] = {known.first, known.second, !*holds};
          return;
        }
  for (const auto &[other, known] : conditions)
    if (same.areSame(condition, other)) {
      conditions[condition] = known;
      return;
    }
  conditions[condition] = {unsigned(unknowns.size()), 0, false};
  unknowns.push_back({nullptr, condition, 2});
}

/// Producers first: their loops are whole.
void RoleOrder::collect() {
  SmallVector<Region *> order;
  for (auto [index, role] : llvm::enumerate(roles.getRoles())) {
    unsigned number = index;
    bool fills =
        role.walk([](RingAcquireOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    order.insert(fills ? order.begin() : order.end(), &role);
    role.walk([&](Operation *op) {
      if (RingOp ring = getPassedRing(op)) {
        rings[ring].numSlots = ring.getType().getNumSlots();
        mostSlots = std::max(mostSlots, ring.getType().getNumSlots());
        if (isa<RingWaitOp>(op))
          rings[ring].waited[number] = rings[ring].released[number] = 0;
      } else if (!isa<RingCommitOp, RingReleaseOp>(op)) {
        return;
      }
      for (Operation *at = op; at != roles && relevant.insert(at).second;)
        at = at->getParentOp();
    });
  }
  for (Region *role : order)
    role->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (relevant.contains(op) && isa<scf::ForOp, scf::WhileOp>(op))
        addLoop(op);
    });
  for (Region *role : order)
    role->walk([&](Operation *op) {
      if (auto branch = dyn_cast<scf::IfOp>(op);
          branch && relevant.contains(op))
        addCondition(branch.getCondition());
      if (auto release = dyn_cast<RingReleaseOp>(op);
          release && release.getCondition() &&
          !getLoopNotFirst(release.getCondition()))
        addCondition(release.getCondition());
    });
}

int64_t RoleOrder::getTrips(Operation *loop, const Choice &choice) const {
  if (auto trips = getConstantTrips(loop))
    return *trips;
  auto [unknown, less] = loops.lookup(loop);
  return std::max<int64_t>(choice[unknown] - less, 0);
}

bool RoleOrder::isTaken(Value condition, const Choice &choice) const {
  APInt constant;
  if (matchPattern(condition, m_ConstantInt(&constant)))
    return !constant.isZero();
  Meaning meaning = conditions.lookup(condition);
  return (choice[meaning.unknown] > meaning.least) != meaning.isOpposite;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// The loop that `condition` asks of whether it is not in its first iteration.
Operation *RoleOrder::getLoopNotFirst(Value condition) {
  auto compare =
      condition ? condition.getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  auto counter =
      compare ? dyn_cast<BlockArgument>(compare.getLhs()) : BlockArgument();
  auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp())
                      : scf::ForOp();
  using arith::CmpIPredicate;
  bool isNotFirst = loop && counter == loop.getInductionVar() &&
                    llvm::is_contained({CmpIPredicate::ne, CmpIPredicate::sgt,
                                        CmpIPredicate::ugt},
                                       compare.getPredicate()) &&
                    same.areSame(compare.getRhs(), loop.getLowerBound());
  return isNotFirst ? loop : nullptr;
}

void RoleOrder::expand(Region &region, const Choice &choice,
                       std::vector<Step> &steps) {
  for (Operation &op : region.front())
    if (relevant.contains(&op))
      expand(&op, choice, steps);
}

/// The slots that are released are passed in turn (see SlotRules), so a release
/// need not say which one it is: only of which ring, as its slot tells.
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

bool RoleOrder::isReleased(RingReleaseOp op, const Choice &choice) {
  if (!op.getCondition())
    return true;
  if (Operation *loop = getLoopNotFirst(op.getCondition()))
    return !first.contains(loop);
  return isTaken(op.getCondition(), choice);
}

void RoleOrder::expand(Operation *op, const Choice &choice,
                       std::vector<Step> &steps) {
  if (steps.size() > kMaxSteps)
    return;
  if (isa<scf::ForOp, scf::WhileOp>(op)) {
    Region &body = op->getRegions().back();
    for (int64_t i = 0, e = getTrips(op, choice); i < e; ++i) {
      if (i == 0)
        first.insert(op);
      expand(body, choice, steps);
      first.erase(op);
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Region &region = isTaken(branch.getCondition(), choice)
                         ? branch.getThenRegion()
                         : branch.getElseRegion();
    if (!region.empty())
      expand(region, choice, steps);
  } else if (RingOp ring = getPassedRing(op)) {
    steps.push_back({op, ring});
  } else if (auto commit = dyn_cast<RingCommitOp>(op)) {
    if (RingOp ring = findRing(commit.getSlot()))
      steps.push_back({op, ring});
  } else if (auto release = dyn_cast<RingReleaseOp>(op)) {
    RingOp ring = findRing(release.getSlot());
    if (ring && isReleased(release, choice))
      steps.push_back({op, ring});
  }
}

//===----------------------------------------------------------------------===//
// The roles against each other
//===----------------------------------------------------------------------===//

/// Takes a step of a role, unless it has to wait.
bool RoleOrder::advance(unsigned role, const Step &step) {
  RingCounts &ring = rings[step.ring];
  if (isa<RingAcquireOp>(step.op)) {
    if (ring.acquired - ring.countReleased() >= ring.numSlots)
      return false;
    ++ring.acquired;
  } else if (isa<RingCommitOp>(step.op)) {
    ++ring.committed;
  } else if (isa<RingWaitOp>(step.op)) {
    if (ring.waited[role] >= ring.committed)
      return false;
    ++ring.waited[role];
  } else {
    ++ring.released[role];
  }
  return true;
}

LogicalResult RoleOrder::report(Operation *op, const Twine &message,
                                const Choice &choice) {
  InFlightDiagnostic error = reportRule(op, "in step") << message;
  for (auto [unknown, value] : llvm::zip_equal(unknowns, choice))
    if (unknown.loop)
      error.attachNote(unknown.loop->getLoc())
          << "where this loop runs " << value << " times";
    else
      error.attachNote(unknown.condition.getLoc())
          << "where this condition is " << (value ? "true" : "false");
  return error;
}

LogicalResult RoleOrder::play(const Choice &choice) {
  std::vector<std::vector<Step>> steps(roles.getRoles().size());
  for (auto &[op, ring] : rings)
    ring.reset();
  for (auto [number, role] : llvm::enumerate(roles.getRoles()))
    expand(role, choice, steps[number]);
  std::vector<size_t> at(steps.size());
  for (bool moves = true; moves;) {
    moves = false;
    for (unsigned role = 0; role < steps.size(); ++role)
      while (at[role] < steps[role].size() &&
             advance(role, steps[role][at[role]])) {
        ++at[role];
        moves = true;
      }
  }
  for (unsigned role = 0; role < steps.size(); ++role)
    if (at[role] < steps[role].size())
      return report(steps[role][at[role]].op,
                    "waits for a slot that never comes", choice);
  for (const auto &[op, ring] : rings)
    for (const auto &[role, count] : ring.waited)
      if (count != ring.committed)
        return report(op,
                      "is filled " + Twine(ring.committed) +
                          " times, and a role that reads it waits for " +
                          Twine(count) + " slots",
                      choice);
  return success();
}

LogicalResult RoleOrder::run() {
  collect();
  size_t numChoices = 1;
  for (const Unknown &unknown : unknowns)
    numChoices *= unknown.numValues;
  for (size_t number = 0; number < std::min(numChoices, kMaxChoices);
       ++number) {
    Choice choice;
    size_t rest = number;
    for (const Unknown &unknown : unknowns) {
      size_t value = rest % unknown.numValues;
      rest /= unknown.numValues;
      choice.push_back(unknown.loop && value == std::size(kTrips)
                           ? mostSlots + 2
                           : int64_t(value));
    }
    if (failed(play(choice)))
      return failure();
  }
  return success();
}

LogicalResult warp::checkOrder(SpecializeOp roles) {
  return RoleOrder(roles).run();
}
