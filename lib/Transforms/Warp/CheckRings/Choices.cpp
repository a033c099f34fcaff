#include "lib/Transforms/Warp/CheckRings/Choices.h"

#include "lib/Transforms/Warp/CheckRings/SlotRules.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// The trip counts to try, in addition to one that wraps around the ring, and
/// the maximum number of combinations.
static constexpr int64_t kTrips[] = {0, 1, 2};
static constexpr size_t kMaxChoices = 1024;

/// Returns the trip count for constant bounds and step.
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

/// Returns the trip count of a loop with constant bounds.
static std::optional<int64_t> getConstantTrips(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return std::nullopt;
  return getConstantTrips(loop.getLowerBound(), loop.getUpperBound(),
                          loop.getStep());
}

void Choices::addLoop(Operation *loop) {
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

void Choices::addCondition(Value condition) {
  if (matchPattern(condition, m_Constant()) || conditions.count(condition) ||
      parity.isParity(condition))
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

/// A loop of the producer fills the skipped slots.
LogicalResult Choices::addSkip(RingSkipOp op) {
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
         << "no loop that fills its ring is known to have the same trip count";
}

int64_t Choices::getTrips(Operation *loop) const {
  if (auto trips = getConstantTrips(loop))
    return *trips;
  auto [unknown, less] = loops.lookup(loop);
  return std::max<int64_t>(chosen[unknown] - less, 0);
}

int64_t Choices::getSkipped(RingSkipOp op) const {
  if (auto trips = getConstantTrips(op.getLower(), op.getUpper(), op.getStep()))
    return *trips;
  return getTrips(skipped.lookup(op));
}

bool Choices::isTaken(Value condition) {
  APInt constant;
  if (matchPattern(condition, m_ConstantInt(&constant)))
    return !constant.isZero();
  if (parity.isParity(condition))
    return parity.evaluate(condition);
  Meaning meaning = conditions.lookup(condition);
  return (chosen[meaning.unknown] > meaning.least) != meaning.isOpposite;
}

Operation *Choices::getLoopNotFirst(Value condition) {
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

bool Choices::choose(size_t number, int64_t mostSlots) {
  if (number >= kMaxChoices)
    return false;
  chosen.clear();
  for (const Unknown &unknown : unknowns) {
    size_t value = number % unknown.numValues;
    number /= unknown.numValues;
    chosen.push_back(unknown.loop && value == std::size(kTrips)
                         ? mostSlots + 2
                         : int64_t(value));
  }
  return number == 0;
}

void Choices::describe(InFlightDiagnostic &error) const {
  for (auto [unknown, value] : llvm::zip_equal(unknowns, chosen))
    if (unknown.loop)
      error.attachNote(unknown.loop->getLoc())
          << "where this loop runs " << value << " times";
    else
      error.attachNote(unknown.condition.getLoc())
          << "where this condition is " << (value ? "true" : "false");
}
