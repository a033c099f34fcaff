#include "lib/Transforms/Warp/CheckRings/Scalars.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using arith::CmpIPredicate;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!value.getType().isIntOrIndex() ||
      !matchPattern(value, m_ConstantInt(&constant)) ||
      constant.getBitWidth() > 64)
    return std::nullopt;
  return value.getType().isInteger(1) ? constant.getZExtValue()
                                      : constant.getSExtValue();
}

static bool areSame(Value a, Value b) {
  return a == b || (getConstant(a) && getConstant(a) == getConstant(b));
}

/// Evaluates `predicate` for operands whose order is negative, zero or
/// positive, as in a three-way comparison.
static bool decide(CmpIPredicate predicate, int order) {
  switch (predicate) {
  case CmpIPredicate::eq:
    return order == 0;
  case CmpIPredicate::ne:
    return order != 0;
  case CmpIPredicate::slt:
  case CmpIPredicate::ult:
    return order < 0;
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
    return order <= 0;
  case CmpIPredicate::sgt:
  case CmpIPredicate::ugt:
    return order > 0;
  case CmpIPredicate::sge:
  case CmpIPredicate::uge:
    return order >= 0;
  }
  return false;
}

static bool isUnsigned(CmpIPredicate predicate) {
  return predicate >= CmpIPredicate::ult;
}

/// Evaluates `compare` if it compares an induction variable with its lower
/// bound.
static std::optional<int64_t> compareCounter(arith::CmpIOp compare,
                                             const PathState &state) {
  auto argument = dyn_cast<BlockArgument>(compare.getLhs());
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument != loop.getInductionVar() ||
      !areSame(compare.getRhs(), loop.getLowerBound()))
    return std::nullopt;
  Known counter = state.get(argument);
  if (counter.kind == Known::FirstCounter)
    return decide(compare.getPredicate(), 0);
  if (counter.kind == Known::LaterCounter)
    return decide(compare.getPredicate(), 1);
  return std::nullopt;
}

static std::optional<int64_t> compare(arith::CmpIOp op,
                                      const PathState &state) {
  if (auto known = compareCounter(op, state))
    return known;
  auto lhs = evaluate(op.getLhs(), state), rhs = evaluate(op.getRhs(), state);
  // Numbers about rings are small and positive. An unsigned comparison of
  // negative ones is not evaluated.
  if (!lhs || !rhs || (isUnsigned(op.getPredicate()) && (*lhs < 0 || *rhs < 0)))
    return std::nullopt;
  return decide(op.getPredicate(), *lhs < *rhs ? -1 : *lhs > *rhs);
}

std::optional<int64_t> warp::evaluate(Value value, const PathState &state) {
  if (Known known = state.get(value); known.kind == Known::Integer)
    return known.number;
  if (auto constant = getConstant(value))
    return constant;
  Operation *op = value.getDefiningOp();
  if (!op || !value.getType().isIntOrIndex())
    return std::nullopt;
  auto both = [&](auto combine) -> std::optional<int64_t> {
    auto lhs = evaluate(op->getOperand(0), state);
    auto rhs = lhs ? evaluate(op->getOperand(1), state) : std::nullopt;
    if (!rhs)
      return std::nullopt;
    return combine(*lhs, *rhs);
  };
  using Result = std::optional<int64_t>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return both(std::plus<int64_t>()); })
      .Case([&](arith::SubIOp) { return both(std::minus<int64_t>()); })
      .Case([&](arith::XOrIOp) { return both(std::bit_xor<int64_t>()); })
      .Case([&](arith::AndIOp) { return both(std::bit_and<int64_t>()); })
      .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) {
        return both([](int64_t lhs, int64_t rhs) -> Result {
          if (lhs < 0 || rhs <= 0)
            return std::nullopt;
          return lhs % rhs;
        });
      })
      .Case([&](arith::CmpIOp op) { return compare(op, state); })
      .Case([&](arith::SelectOp op) -> Result {
        auto condition = evaluate(op.getCondition(), state);
        if (!condition)
          return std::nullopt;
        return evaluate(*condition ? op.getTrueValue() : op.getFalseValue(),
                        state);
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<bool> warp::guards(arith::CmpIOp compare, scf::ForOp loop) {
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  bool isSwapped =
      areSame(lhs, loop.getUpperBound()) && areSame(rhs, loop.getLowerBound());
  if (!isSwapped && (!areSame(lhs, loop.getLowerBound()) ||
                     !areSame(rhs, loop.getUpperBound())))
    return std::nullopt;
  bool isUnsignedLoop = loop.getUnsignedCmp();
  CmpIPredicate predicate = compare.getPredicate();
  auto is = [&](CmpIPredicate withSign, CmpIPredicate without) {
    return predicate == (isUnsignedLoop ? without : withSign);
  };
  if (isSwapped ? is(CmpIPredicate::sgt, CmpIPredicate::ugt)
                : is(CmpIPredicate::slt, CmpIPredicate::ult))
    return true;
  if (isSwapped ? is(CmpIPredicate::sle, CmpIPredicate::ule)
                : is(CmpIPredicate::sge, CmpIPredicate::uge))
    return false;
  return std::nullopt;
}

std::optional<bool> warp::isEntered(scf::ForOp loop, const PathState &state) {
  auto from = evaluate(loop.getLowerBound(), state);
  auto to = evaluate(loop.getUpperBound(), state);
  if (from && to && !loop.getUnsignedCmp())
    return *from < *to;
  for (const auto &[value, known] : state.values) {
    if (known.kind != Known::Integer)
      continue;
    auto compare =
        Value::getFromOpaquePointer(value).getDefiningOp<arith::CmpIOp>();
    if (auto holds = compare ? guards(compare, loop) : std::nullopt)
      return *holds == (known.number != 0);
  }
  return std::nullopt;
}
