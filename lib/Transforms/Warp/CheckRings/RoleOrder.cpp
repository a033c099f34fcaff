#include "lib/Transforms/Warp/CheckRings/RoleOrder.h"

#include "lib/Transforms/Warp/CheckRings/RolePlay.h"
#include "lib/Transforms/Warp/CheckRings/SameValues.h"
#include "lib/Transforms/Warp/CheckRings/SlotRules.h"
#include "lib/Transforms/Warp/CheckRings/Turns.h"

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

  LogicalResult collect();
  LogicalResult addSkip(RingSkipOp op);
  void addLoop(Operation *loop);
  void addCondition(Value condition);
  int64_t getTrips(Operation *loop, const Choice &choice) const;
  int64_t getSkipped(RingSkipOp op, const Choice &choice) const;
  bool isTaken(Value condition, const Choice &choice);
  void expand(Region &region, const Choice &choice, std::vector<Step> &steps);
  void expand(Operation *op, const Choice &choice, std::vector<Step> &steps);
  Operation *getLoopNotFirst(Value condition);
  bool isReleased(RingReleaseOp op, const Choice &choice);
  std::vector<Actor> cast(const Choice &choice);
  LogicalResult play(const Choice &choice);
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
  RolePlay rings;
  Turns turns;
  /// Of skips whose number is not constant, the loop with as many iterations.
  llvm::DenseMap<Operation *, Operation *> skipped;
  /// Loops in whose first iteration the expansion is.
  llvm::DenseSet<Operation *> first;
};

} // namespace

/// The ring of transactions that `op` passes a slot of.
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

//===----------------------------------------------------------------------===//
// What decides
//===----------------------------------------------------------------------===//

/// The iterations from one constant to another.
static std::optional<int64_t> getConstantTrips(Value lower, Value upper,
                                               Value step) {
  APInt from, to, by;
  if (!matchPattern(lower, m_ConstantInt(&from)) ||
      !matchPattern(upper, m_ConstantInt(&to)) ||
      !matchPattern(step, m_ConstantInt(&by)) || by.getSExtValue() <= 0)
    return std::nullopt;
  int64_t span = to.getSExtValue() - from.getSExtValue();
  return span <= 0 ? 0 : (span - 1) / by.getSExtValue() + 1;
}

/// Those of a loop with constant bounds.
static std::optional<int64_t> getConstantTrips(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return std::nullopt;
  return getConstantTrips(loop.getLowerBound(), loop.getUpperBound(),
                          loop.getStep());
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
  if (matchPattern(condition, m_Constant()) || conditions.count(condition) ||
      turns.isTurn(condition))
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

/// Slots are passed by that a loop of the producer fills.
LogicalResult RoleOrder::addSkip(RingSkipOp op) {
  if (getConstantTrips(op.getLower(), op.getUpper(), op.getStep()))
    return success();
  for (const auto &[other, known] : loops) {
    auto loop = dyn_cast<scf::ForOp>(other);
    if (!loop || loop.getUnsignedCmp() != op.getUnsignedCmp() ||
        known.second != 0 ||
        !same.areSame(loop.getLowerBound(), op.getLower()) ||
        !same.areSame(loop.getUpperBound(), op.getUpper()) ||
        !same.areSame(loop.getStep(), op.getStep()))
      continue;
    skipped[op] = loop;
    return success();
  }
  return reportRule(op, "in step")
         << "no loop that fills its ring is known to run as often";
}

/// Producers first: their loops are whole.
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
      } else if (!isa<RingCommitOp, RingReleaseOp, TeamWaitOp, TeamPassOp>(
                     op)) {
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
  WalkResult skips =
      roles.walk([&](RingSkipOp op) { return WalkResult(addSkip(op)); });
  return failure(skips.wasInterrupted());
}

int64_t RoleOrder::getTrips(Operation *loop, const Choice &choice) const {
  if (auto trips = getConstantTrips(loop))
    return *trips;
  auto [unknown, less] = loops.lookup(loop);
  return std::max<int64_t>(choice[unknown] - less, 0);
}

int64_t RoleOrder::getSkipped(RingSkipOp op, const Choice &choice) const {
  if (auto trips = getConstantTrips(op.getLower(), op.getUpper(), op.getStep()))
    return *trips;
  return getTrips(skipped.lookup(op), choice);
}

bool RoleOrder::isTaken(Value condition, const Choice &choice) {
  APInt constant;
  if (matchPattern(condition, m_ConstantInt(&constant)))
    return !constant.isZero();
  if (turns.isTurn(condition))
    return turns.evaluate(condition);
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
    auto counted = dyn_cast<scf::ForOp>(op);
    if (counted) {
      turns.pass(counted.getInitArgs(), counted.getRegionIterArgs());
      turns.pass(counted.getInitArgs(), counted.getResults());
    }
    for (int64_t i = 0, e = getTrips(op, choice); i < e; ++i) {
      if (i == 0)
        first.insert(op);
      expand(body, choice, steps);
      first.erase(op);
      if (counted) {
        turns.pass(counted.getYieldedValues(), counted.getResults());
        turns.pass(counted.getYieldedValues(), counted.getRegionIterArgs());
      }
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Region &region = isTaken(branch.getCondition(), choice)
                         ? branch.getThenRegion()
                         : branch.getElseRegion();
    if (!region.empty())
      expand(region, choice, steps);
  } else if (RingOp ring = getPassedRing(op)) {
    auto skip = dyn_cast<RingSkipOp>(op);
    steps.push_back({op, ring, skip ? getSkipped(skip, choice) : 1});
  } else if (isa<TeamWaitOp, TeamPassOp>(op)) {
    steps.push_back({op, nullptr});
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

/// Who takes part, with all steps.
std::vector<Actor> RoleOrder::cast(const Choice &choice) {
  std::vector<Actor> actors;
  for (auto [number, role] : llvm::enumerate(roles.getRoles()))
    for (int32_t i = 0; i < roles.getNumTeams(number); ++i) {
      turns.begin(i);
      actors.push_back({unsigned(number), unsigned(i), {}});
      expand(role, choice, actors.back().steps);
    }
  return actors;
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
  std::vector<Actor> actors = cast(choice);
  // What is cut off says nothing.
  if (llvm::any_of(actors, [](const Actor &actor) {
        return actor.steps.size() > kMaxSteps;
      }))
    return success();
  if (auto complaint = rings.play(actors, roles))
    return report(complaint->op, complaint->text, choice);
  return success();
}

LogicalResult RoleOrder::run() {
  if (failed(collect()))
    return failure();
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
                           ? rings.getMostSlots() + 2
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
