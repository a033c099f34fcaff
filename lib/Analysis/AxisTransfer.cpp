// What each operation makes of the facts about its operands. See AxisInfo.h.
//
// Every rule first fixes the groups of the result and then asks what divides
// the operands at the first element of such a group: divisibility that holds
// for the larger groups of an operand says less about smaller ones.

#include "lib/Analysis/AxisInfo.h"

#include "dialect/Tile/GuardedDivisors.h"
#include "dialect/Tile/TileDialect.h"
#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
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

static int64_t getPowerOfTwoDivisor(int64_t value) {
  return value == 0 ? AxisInfo::kMaxDivisibility : capped(value & -value);
}

/// The power of two that `info` is known to be everywhere, or 0.
static int64_t getConstantPowerOfTwo(const AxisInfo &info) {
  std::optional<int64_t> value = info.getConstant();
  return value && *value > 0 && llvm::isPowerOf2_64(*value) ? *value : 0;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Elements that are combined one by one, with nothing known but where both
/// operands repeat and what divides both.
static AxisInfo combineElements(const AxisInfo &x, const AxisInfo &y,
                                int64_t divisibility, bool nonNegative) {
  SmallVector<AxisFacts> dims;
  for (unsigned d = 0; d < x.getRank(); ++d)
    dims.push_back({1, divisibility, std::min(x[d].constancy, y[d].constancy)});
  return AxisInfo(dims, nonNegative);
}

/// x + y, where `y` moves `x` by `scale` per unit; `x` itself steps by `unit`.
static AxisInfo add(const AxisInfo &x, const AxisInfo &y, int64_t unit,
                    bool nonNegative) {
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
  return add(operands[0], operands[1], /*unit=*/1,
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

static AxisInfo multiply(const AxisInfo &x, const AxisInfo &y) {
  if (y.getConstant() == 1)
    return x;
  if (x.getConstant() == 1)
    return y;
  // By such a factor few numbers stay in 32 bits: it is there to wrap around.
  constexpr int64_t kLarge = int64_t(1) << 24;
  bool mayWrap = x.getConstant().value_or(0) >= kLarge ||
                 y.getConstant().value_or(0) >= kLarge;
  return combineElements(
      x, y, multiplyCapped(x.getDivisibility(), y.getDivisibility()),
      !mayWrap && x.isNonNegative() && y.isNonNegative());
}

/// x / 2^k rounded down: groups of 2^k consecutive elements that start at a
/// multiple of 2^k share a quotient.
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
    // Elements of a group that does not reach the next multiple of the divisor
    // have the quotient of its first.
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

/// Consecutive elements of x along `d` between two multiples of what divides y:
/// y's multiples lie at the ends of such groups alone. So `x < y` and x / y,
/// rounded down, have one value on all of a group, and x mod y counts up.
static int64_t getGroupOfMultiples(const AxisInfo &x, const AxisInfo &y,
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
  // Towards zero a divisor's sign only turns that of the quotient.
  if (roundsDown ? !y.isNonNegative() : !x.isNonNegative())
    return each;
  // What divides the divisor cuts the numbers into groups too.
  SmallVector<AxisFacts> dims(each.getDims());
  for (auto [d, facts] : llvm::enumerate(dims))
    facts.constancy = std::max(facts.constancy, getGroupOfMultiples(x, y, d));
  return AxisInfo(dims, each.isNonNegative());
}

/// x mod y: consecutive elements stay so up to a common multiple of the group.
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
  int64_t factor = bits && *bits >= 0 && *bits < 40 ? int64_t(1) << *bits : 1;
  if (bits == 0)
    return x;
  return combineElements(x, y, multiplyCapped(x.getDivisibility(), factor),
                         x.isNonNegative());
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

//===----------------------------------------------------------------------===//
// Comparison, selection and casts
//===----------------------------------------------------------------------===//

static AxisInfo compare(arith::CmpIOp op, Infos operands) {
  using P = arith::CmpIPredicate;
  const AxisInfo &x = operands[0], &y = operands[1];
  bool less =
      llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, op.getPredicate());
  bool greater =
      llvm::is_contained({P::sgt, P::sle, P::ugt, P::ule}, op.getPredicate());
  SmallVector<AxisFacts> dims;
  for (unsigned d = 0; d < x.getRank(); ++d) {
    AxisFacts facts;
    facts.constancy = std::min(x[d].constancy, y[d].constancy);
    if (less)
      facts.constancy = std::max(facts.constancy, getGroupOfMultiples(x, y, d));
    if (greater)
      facts.constancy = std::max(facts.constancy, getGroupOfMultiples(y, x, d));
    dims.push_back(facts);
  }
  return AxisInfo(dims);
}

static AxisInfo select(arith::SelectOp op, Infos operands) {
  if (op->hasAttr(tile::kGuardsDivisorAttr))
    return operands[2];
  const AxisInfo &condition = operands[0], &x = operands[1], &y = operands[2];
  bool isScalar = !isa<RankedTensorType>(op.getCondition().getType());
  SmallVector<AxisFacts> dims;
  for (unsigned d = 0; d < x.getRank(); ++d) {
    auto within = [&](int64_t group) {
      return isScalar ? group : std::min(group, condition[d].constancy);
    };
    AxisFacts facts;
    facts.contiguity = within(std::min(x[d].contiguity, y[d].contiguity));
    facts.constancy = within(std::min(x[d].constancy, y[d].constancy));
    // Also right for pointers: neighbours are at least one byte apart.
    facts.divisibility = std::min(x.getDivisibility(d, facts.contiguity),
                                  y.getDivisibility(d, facts.contiguity));
    dims.push_back(facts);
  }
  return AxisInfo(dims, x.isNonNegative() && y.isNonNegative());
}

/// A cast that keeps the lowest bits and may wrap around in between.
static AxisInfo castInteger(Operation *op, const AxisInfo &x) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  unsigned bits = std::min(getElementTypeOrSelf(from).getIntOrFloatBitWidth(),
                           getElementTypeOrSelf(to).getIntOrFloatBitWidth());
  if (isa<arith::ExtSIOp>(op) && bits >= 32)
    return x;
  unsigned range = bits - isa<arith::ExtSIOp>(op);
  int64_t wrap = range < 40 ? int64_t(1) << range : AxisInfo::kMaxDivisibility;
  SmallVector<AxisFacts> dims;
  for (unsigned d = 0; d < x.getRank(); ++d) {
    // A group on its own multiples does not reach over the end of the range.
    AxisFacts facts = x[d];
    if (!x.isNonNegative() || !isa<arith::ExtUIOp>(op))
      facts.contiguity = std::min({facts.contiguity, facts.divisibility, wrap});
    facts.divisibility = x.getDivisibility(d, facts.contiguity);
    dims.push_back(facts);
  }
  return AxisInfo(dims, isa<arith::ExtUIOp>(op));
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

static AxisInfo range(tile::RangeOp op) {
  int64_t start = static_cast<int32_t>(op.getStart());
  int64_t size = cast<RankedTensorType>(op.getType()).getDimSize(0);
  AxisFacts facts{getPowerOfTwoDivisor(size), getPowerOfTwoDivisor(start), 1};
  // A size like 24 gives groups of 8, which start at multiples of 8 from it.
  if (facts.contiguity < size)
    facts.divisibility = std::min(facts.divisibility, facts.contiguity);
  return AxisInfo(facts, start >= 0);
}

static AxisInfo splat(tile::SplatOp op, const AxisInfo &x) {
  SmallVector<AxisFacts> dims;
  auto type = cast<RankedTensorType>(op.getType());
  for (int64_t size : type.getShape())
    dims.push_back({1, x[0].divisibility, getPowerOfTwoDivisor(size)});
  if (dims.empty())
    dims.push_back(x[0]);
  return AxisInfo(dims, x.isNonNegative(), x.getConstant());
}

/// What neighbouring elements of a type differ by, in the unit of divisibility.
static int64_t getUnit(Type type) {
  return isa<tile::PtrType>(getElementTypeOrSelf(type)) ? getPointeeBytes(type)
                                                        : 1;
}

static AxisInfo expandDims(tile::ExpandDimsOp op, const AxisInfo &x) {
  SmallVector<AxisFacts> dims(x.getDims());
  if (cast<RankedTensorType>(op.getSource().getType()).getRank() == 0)
    dims.clear();
  AxisFacts added{1, x.getDivisibility(getUnit(op.getType())), 1};
  dims.insert(dims.begin() + op.getAxis(), added);
  return AxisInfo(dims, x.isNonNegative(), x.getConstant());
}

static AxisInfo broadcast(tile::BroadcastOp op, const AxisInfo &x) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  SmallVector<AxisFacts> dims(x.getDims());
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (from.getDimSize(d) != to.getDimSize(d))
      dims[d].constancy = getPowerOfTwoDivisor(to.getDimSize(d));
  return AxisInfo(dims, x.isNonNegative(), x.getConstant());
}

static AxisInfo transpose(tile::TransposeOp op, const AxisInfo &x) {
  SmallVector<AxisFacts> dims;
  for (int32_t d : op.getOrder())
    dims.push_back(x[d]);
  return AxisInfo(dims, x.isNonNegative(), x.getConstant());
}

/// Row-major order is kept, so groups along the last dimension survive as far
/// as they fit into the new one.
static AxisInfo reshape(tile::ReshapeOp op, const AxisInfo &x) {
  auto to = cast<RankedTensorType>(op.getType());
  if (x.getConstant())
    return AxisInfo::getConstant(to, *x.getConstant());
  int64_t unit = getUnit(to);
  AxisFacts any{1, x.getDivisibility(unit), 1};
  SmallVector<AxisFacts> dims(std::max<int64_t>(to.getRank(), 1), any);
  if (to.getRank() != 0) {
    unsigned last = x.getRank() - 1;
    int64_t room = getPowerOfTwoDivisor(to.getShape().back());
    AxisFacts &facts = dims.back();
    facts.contiguity = std::min(x[last].contiguity, room);
    facts.constancy = std::min(x[last].constancy, room);
    facts.divisibility = x.getDivisibility(last, facts.contiguity, unit);
  }
  return AxisInfo(dims, x.isNonNegative());
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// Another reading of the same bits, whose elements count in other units: only
/// what holds for every element stays.
static AxisInfo recount(Type from, Type to, const AxisInfo &x) {
  if (getUnit(from) == getUnit(to))
    return x;
  SmallVector<AxisFacts> dims;
  for (const AxisFacts &facts : x.getDims())
    dims.push_back({1, x.getDivisibility(getUnit(from)), facts.constancy});
  return AxisInfo(dims);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static AxisInfo constant(arith::ConstantOp op) {
  Type type = op.getType();
  IntegerAttr value = dyn_cast<IntegerAttr>(op.getValue());
  if (auto splat = dyn_cast<SplatElementsAttr>(op.getValue()))
    value = dyn_cast<IntegerAttr>(splat.getSplatValue<Attribute>());
  if (!value || value.getValue().getBitWidth() > 64)
    return AxisInfo::getUnknown(type);
  // A boolean is 0 or 1, not -1.
  APInt bits = value.getValue();
  return AxisInfo::getConstant(type, bits.getBitWidth() == 1
                                         ? int64_t(bits.getZExtValue())
                                         : bits.getSExtValue());
}

static AxisInfo nonNegativeScalar() {
  return AxisInfo(AxisFacts(), /*nonNegative=*/true);
}

AxisInfo tilewright::inferAxisInfo(Operation *op, Infos in) {
  Type type = op->getResult(0).getType();
  return TypeSwitch<Operation *, AxisInfo>(op)
      .Case([](arith::ConstantOp op) { return constant(op); })
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
      .Case([&](arith::CmpIOp op) { return compare(op, in); })
      .Case([&](arith::SelectOp op) { return select(op, in); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          [&](Operation *op) { return castInteger(op, in[0]); })
      .Case([](tile::RangeOp op) { return range(op); })
      .Case([&](tile::SplatOp op) { return splat(op, in[0]); })
      .Case([&](tile::ExpandDimsOp op) { return expandDims(op, in[0]); })
      .Case([&](tile::BroadcastOp op) { return broadcast(op, in[0]); })
      .Case([&](tile::TransposeOp op) { return transpose(op, in[0]); })
      .Case([&](tile::ReshapeOp op) { return reshape(op, in[0]); })
      .Case([&](tile::AddPtrOp) {
        return add(in[0], in[1], getPointeeBytes(type), false);
      })
      .Case<tile::BitcastOp, tile::IntToPtrOp, tile::PtrToIntOp>(
          [&](Operation *op) {
            return recount(op->getOperand(0).getType(), type, in[0]);
          })
      .Case<tile::ProgramIdOp, tile::NumProgramsOp>(
          [](Operation *) { return nonNegativeScalar(); })
      .Case<warp::ConvertLayoutOp, warp::FromHereOp>(
          [&](Operation *) { return in[0]; })
      .Default([&](Operation *) { return AxisInfo::getUnknown(type); });
}
