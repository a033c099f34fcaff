// Every rule first determines the groups of the result, then the divisibility
// of the operands at the first element of such a group. Divisibility of the
// larger groups of an operand is weaker for smaller groups.

#include "lib/Analysis/Facts/AxisArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

using Infos = ArrayRef<AxisInfo>;

static int64_t capped(int64_t divisibility) {
  return std::min(divisibility, AxisInfo::kMaxDivisibility);
}

static int64_t multiplyCapped(int64_t a, int64_t b) {
  return a > AxisInfo::kMaxDivisibility / b ? AxisInfo::kMaxDivisibility
                                            : a * b;
}

int64_t tilewright::getPowerOfTwoDivisor(int64_t value) {
  return value == 0 ? AxisInfo::kMaxDivisibility : capped(value & -value);
}

/// The power of two that `info` is known to be everywhere, or 0.
static int64_t getConstantPowerOfTwo(const AxisInfo &info) {
  std::optional<int64_t> value = info.getConstant();
  return value && *value > 0 && llvm::isPowerOf2_64(*value) ? *value : 0;
}

/// The facts of an elementwise combination: the common constancy of both
/// operands and the given divisibility.
static AxisInfo combineElements(const AxisInfo &x, const AxisInfo &y,
                                int64_t divisibility, bool nonNegative) {
  SmallVector<AxisFacts> dims;
  for (unsigned d = 0; d < x.getRank(); ++d)
    dims.push_back({1, divisibility, std::min(x[d].constancy, y[d].constancy)});
  return AxisInfo(dims, nonNegative);
}

AxisInfo tilewright::addScaled(const AxisInfo &x, const AxisInfo &y,
                               int64_t unit, bool nonNegative) {
  SmallVector<AxisFacts> dims;
  for (unsigned d = 0; d < x.getRank(); ++d) {
    AxisFacts facts;
    facts.contiguity = std::max(std::min(x[d].contiguity, y[d].constancy),
                                std::min(y[d].contiguity, x[d].constancy));
    facts.constancy = std::min(x[d].constancy, y[d].constancy);
    facts.divisibility =
        std::min(x.getDivisibility(d, facts.contiguity, unit),
                 multiplyCapped(y.getDivisibility(d, facts.contiguity), unit));
    dims.push_back(facts);
  }
  return AxisInfo(dims, nonNegative);
}

static AxisInfo addIntegers(Infos operands) {
  return addScaled(operands[0], operands[1], /*unit=*/1,
                   operands[0].isNonNegative() && operands[1].isNonNegative());
}

static AxisInfo subtract(const AxisInfo &x, const AxisInfo &y) {
  SmallVector<AxisFacts> dims;
  for (unsigned d = 0; d < x.getRank(); ++d) {
    int64_t group = std::min(x[d].contiguity, y[d].constancy);
    dims.push_back(
        {group,
         std::min(x.getDivisibility(d, group), y.getDivisibility(d, group)),
         std::min(x[d].constancy, y[d].constancy)});
  }
  return AxisInfo(dims);
}

/// Larger factors are assumed to wrap around, as few products stay in 32 bits.
static constexpr int64_t kLarge = int64_t(1) << 24;

static AxisInfo multiply(const AxisInfo &x, const AxisInfo &y) {
  if (y.getConstant() == 1)
    return x;
  if (x.getConstant() == 1)
    return y;
  bool mayWrap = x.getConstant().value_or(0) >= kLarge ||
                 y.getConstant().value_or(0) >= kLarge;
  return combineElements(
      x, y, multiplyCapped(x.getDivisibility(), y.getDivisibility()),
      !mayWrap && x.isNonNegative() && y.isNonNegative());
}

/// x / 2^k, rounded down. Groups of 2^k consecutive elements that start at a
/// multiple of 2^k have the same quotient.
static AxisInfo divideDown(const AxisInfo &x, int64_t divisor) {
  if (divisor == 1)
    return x;
  SmallVector<AxisFacts> dims;
  for (unsigned d = 0; d < x.getRank(); ++d) {
    const AxisFacts &from = x[d];
    AxisFacts facts;
    facts.constancy =
        std::max(from.constancy,
                 std::min({from.contiguity, from.divisibility, divisor}));
    // If a group does not reach the next multiple of the divisor, its elements
    // have the quotient of the first.
    if (from.contiguity <= divisor && from.divisibility >= divisor)
      facts.divisibility = from.divisibility / divisor;
    dims.push_back(facts);
  }
  return AxisInfo(dims, x.isNonNegative());
}

/// Whether `divisor` divides all elements.
static bool isExact(const AxisInfo &x, int64_t divisor) {
  return llvm::any_of(x.getDims(), [&](const AxisFacts &facts) {
    return facts.contiguity == 1 && facts.divisibility >= divisor;
  });
}

int64_t tilewright::getGroupOfMultiples(const AxisInfo &x, const AxisInfo &y,
                                        unsigned d) {
  return std::min({x[d].contiguity, x[d].divisibility, y[d].constancy,
                   y.getDivisibility(d, y[d].constancy)});
}

static AxisInfo divide(Infos operands, bool roundsDown) {
  const AxisInfo &x = operands[0], &y = operands[1];
  int64_t divisor = getConstantPowerOfTwo(y);
  // Division towards zero differs from rounding down below zero.
  if (divisor &&
      (divisor == 1 || roundsDown || x.isNonNegative() || isExact(x, divisor)))
    return divideDown(x, divisor);
  AxisInfo each =
      combineElements(x, y, 1, x.isNonNegative() && y.isNonNegative());
  // With rounding towards zero, the sign of the divisor only affects the sign
  // of the quotient.
  if (roundsDown ? !y.isNonNegative() : !x.isNonNegative())
    return each;
  // A power of two that divides the divisor gives groups, too.
  SmallVector<AxisFacts> dims(each.getDims());
  for (auto [d, facts] : llvm::enumerate(dims))
    facts.constancy = std::max(facts.constancy, getGroupOfMultiples(x, y, d));
  return AxisInfo(dims, each.isNonNegative());
}

/// x mod y. Consecutive elements stay consecutive within a group that contains
/// no multiple of y except at its start.
static AxisInfo remainder(Infos operands, bool isUnsigned) {
  const AxisInfo &x = operands[0], &y = operands[1];
  bool counts = isUnsigned || x.isNonNegative();
  SmallVector<AxisFacts> dims;
  for (unsigned d = 0; d < x.getRank(); ++d) {
    AxisFacts facts;
    if (counts)
      facts.contiguity = getGroupOfMultiples(x, y, d);
    facts.constancy = std::min(x[d].constancy, y[d].constancy);
    facts.divisibility = std::min(x.getDivisibility(d, facts.contiguity),
                                  y.getDivisibility(d, facts.contiguity));
    dims.push_back(facts);
  }
  return AxisInfo(dims, counts && (x.isNonNegative() || y.isNonNegative()));
}

static AxisInfo shiftLeft(Infos operands) {
  const AxisInfo &x = operands[0], &y = operands[1];
  std::optional<int64_t> bits = y.getConstant();
  if (bits == 0)
    return x;
  int64_t factor = bits && *bits > 0 && *bits < 40 ? int64_t(1) << *bits : 0;
  return combineElements(
      x, y, multiplyCapped(x.getDivisibility(), std::max<int64_t>(factor, 1)),
      factor && factor < kLarge && x.isNonNegative());
}

static AxisInfo shiftRight(Infos operands) {
  const AxisInfo &x = operands[0], &y = operands[1];
  std::optional<int64_t> bits = y.getConstant();
  if (bits && *bits >= 0 && *bits < 40)
    return divideDown(x, int64_t(1) << *bits);
  return combineElements(x, y, 1, x.isNonNegative());
}

static AxisInfo bitwise(Operation *op, Infos operands) {
  const AxisInfo &x = operands[0], &y = operands[1];
  int64_t dx = x.getDivisibility(), dy = y.getDivisibility();
  bool isAnd = isa<arith::AndIOp>(op);
  bool both = x.isNonNegative() && y.isNonNegative();
  bool either = x.isNonNegative() || y.isNonNegative();
  return combineElements(x, y, isAnd ? std::max(dx, dy) : std::min(dx, dy),
                         isAnd ? either : both);
}

static AxisInfo minMax(Operation *op, Infos operands) {
  const AxisInfo &x = operands[0], &y = operands[1];
  bool both = x.isNonNegative() && y.isNonNegative();
  bool either = x.isNonNegative() || y.isNonNegative();
  return combineElements(x, y,
                         std::min(x.getDivisibility(), y.getDivisibility()),
                         isa<arith::MaxSIOp>(op) ? either : both);
}

std::optional<AxisInfo> tilewright::inferArithmetic(Operation *op, Infos in) {
  return TypeSwitch<Operation *, std::optional<AxisInfo>>(op)
      .Case([&](arith::AddIOp) { return addIntegers(in); })
      .Case([&](arith::SubIOp) { return subtract(in[0], in[1]); })
      .Case([&](arith::MulIOp) { return multiply(in[0], in[1]); })
      .Case([&](arith::DivSIOp) { return divide(in, false); })
      .Case<arith::DivUIOp, arith::FloorDivSIOp>(
          [&](Operation *) { return divide(in, true); })
      .Case([&](arith::RemSIOp) { return remainder(in, false); })
      .Case([&](arith::RemUIOp) { return remainder(in, true); })
      .Case([&](arith::ShLIOp) { return shiftLeft(in); })
      .Case<arith::ShRSIOp, arith::ShRUIOp>(
          [&](Operation *) { return shiftRight(in); })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(
          [&](Operation *op) { return bitwise(op, in); })
      .Case<arith::MaxSIOp, arith::MinSIOp>(
          [&](Operation *op) { return minMax(op, in); })
      .Default([](Operation *) { return std::nullopt; });
}
