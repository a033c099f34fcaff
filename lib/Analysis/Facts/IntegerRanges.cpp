#include "lib/Analysis/Facts/IntegerRanges.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

/// The whole range of a type.
static IntegerRange getWhole(Type type) {
  unsigned bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return {llvm::minIntN(bits), llvm::maxIntN(bits)};
}

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

/// The constant shift amount of `op`, if it is less than the width.
static std::optional<int64_t> getShift(Operation *op) {
  std::optional<int64_t> by = getConstant(op->getOperand(1));
  unsigned bits =
      getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth();
  return by && *by >= 0 && *by < bits ? by : std::nullopt;
}

/// The range of the results of `op`, from `from` to `to`. The whole range if
/// some of them wrap around. The bounds are computed from 32-bit operands in 64
/// bits, so they do not wrap themselves.
static IntegerRange fit(Operation *op, int64_t from, int64_t to) {
  IntegerRange whole = getWhole(op->getResult(0).getType());
  IntegerRange found{from, to};
  return found.liesIn(whole.least, whole.most) ? found : whole;
}

static IntegerRange computeSum(Operation *op, IntegerRange a, IntegerRange b) {
  constexpr int64_t kMost = INT32_MAX;
  if (!a.liesIn(-kMost, kMost) || !b.liesIn(-kMost, kMost))
    return getWhole(op->getResult(0).getType());
  if (isa<arith::AddIOp>(op))
    return fit(op, a.least + b.least, a.most + b.most);
  if (isa<arith::SubIOp>(op))
    return fit(op, a.least - b.most, a.most - b.least);
  auto [least, most] = std::minmax(
      {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
  return fit(op, least, most);
}

IntegerRange IntegerRanges::compute(Value value) {
  Operation *op = value.getDefiningOp();
  IntegerRange whole = getWhole(value.getType());
  if (std::optional<int64_t> constant = getConstant(value))
    return {*constant, *constant};
  if (!op)
    return whole;
  auto join = [&](Value a, Value b) {
    IntegerRange x = get(a), y = get(b);
    return IntegerRange{std::min(x.least, y.least), std::max(x.most, y.most)};
  };
  return llvm::TypeSwitch<Operation *, IntegerRange>(op)
      .Case<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp,
            tile::ReshapeOp, tile::TransposeOp, warp::ConvertLayoutOp,
            arith::ExtSIOp>([&](auto) { return get(op->getOperand(0)); })
      .Case([&](arith::ExtUIOp from) {
        IntegerRange range = get(from.getIn());
        unsigned bits = getElementTypeOrSelf(from.getIn().getType())
                            .getIntOrFloatBitWidth();
        return range.least >= 0 || bits >= 63
                   ? range
                   : IntegerRange{0, int64_t(llvm::maxUIntN(bits))};
      })
      .Case([&](arith::TruncIOp) {
        IntegerRange range = get(op->getOperand(0));
        return range.liesIn(whole.least, whole.most) ? range : whole;
      })
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp>([&](auto sum) {
        return computeSum(op, get(sum.getLhs()), get(sum.getRhs()));
      })
      .Case([&](arith::AndIOp both) {
        // The result has no bits above those of a non-negative operand.
        IntegerRange a = get(both.getLhs()), b = get(both.getRhs());
        if (a.least < 0 && b.least < 0)
          return whole;
        return IntegerRange{0, a.least < 0   ? b.most
                               : b.least < 0 ? a.most
                                             : std::min(a.most, b.most)};
      })
      .Case([&](arith::ShRUIOp) {
        std::optional<int64_t> by = getShift(op);
        IntegerRange range = get(op->getOperand(0));
        unsigned bits =
            getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
        if (!by || *by == 0)
          return range.least >= 0 ? IntegerRange{0, range.most} : whole;
        return range.least >= 0
                   ? IntegerRange{range.least >> *by, range.most >> *by}
                   : IntegerRange{0, int64_t(llvm::maxUIntN(bits - *by))};
      })
      .Case([&](arith::ShRSIOp) {
        std::optional<int64_t> by = getShift(op);
        IntegerRange range = get(op->getOperand(0));
        return by ? IntegerRange{range.least >> *by, range.most >> *by} : whole;
      })
      .Case([&](arith::SelectOp choice) {
        return join(choice.getTrueValue(), choice.getFalseValue());
      })
      .Default([&](Operation *) { return whole; });
}

IntegerRange IntegerRanges::get(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  IntegerRange range = compute(value);
  known[value] = range;
  return range;
}
