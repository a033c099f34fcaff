#include "lib/Analysis/Facts/StrideEstimate.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cstdlib>

using namespace mlir;
using namespace tilewright;

static constexpr int64_t kFar = StrideEstimate::kFar;
static constexpr int64_t kAnywhere = StrideEstimate::kAnywhere;
/// Larger estimates are not distinguished.
static constexpr int64_t kMostLikely = int64_t(1) << 20;

static bool isKnown(int64_t step) { return step < kFar; }

/// An unknown stride that is probably at least `least`.
static int64_t getUnknown(int64_t least) {
  return kFar + std::min(least, kMostLikely);
}

static int64_t bounded(int64_t step) {
  return std::abs(step) < kFar ? step : kAnywhere;
}

int64_t StrideEstimate::getLeast(int64_t step) {
  return isKnown(step) ? std::abs(step) : step - kFar;
}

/// The constant that all elements of `tile` equal, if there is one.
static std::optional<int64_t> getConstant(Value tile) {
  if (auto splat = tile.getDefiningOp<tile::SplatOp>())
    return getConstant(splat.getSource());
  APInt value;
  if (!matchPattern(tile, m_ConstantInt(&value)) || !value.isSignedIntN(40))
    return std::nullopt;
  return value.getSExtValue();
}

/// An unknown stride dominates a known one.
static int64_t add(int64_t x, int64_t y) {
  return isKnown(x) && isKnown(y) ? bounded(x + y) : std::max(x, y);
}

/// The probable minimum of `factor`, which is uniform. A value that is only
/// known at run time is rarely 1, and rarely equal to its known divisor.
int64_t StrideEstimate::getLeastFactor(Value factor) {
  auto it = leastFactors.find(factor);
  if (it != leastFactors.end())
    return it->second;
  int64_t least = computeLeastFactor(factor);
  return leastFactors[factor] = least;
}

int64_t StrideEstimate::computeLeastFactor(Value factor) {
  if (std::optional<int64_t> constant = getConstant(factor))
    return std::min(std::abs(*constant), kMostLikely);
  if (auto splat = factor.getDefiningOp<tile::SplatOp>())
    return getLeastFactor(splat.getSource());
  Operation *op = factor.getDefiningOp();
  if (isa_and_present<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return getLeastFactor(op->getOperand(0));
  if (auto mul = dyn_cast_if_present<arith::MulIOp>(op))
    return std::min(getLeastFactor(mul.getLhs()) * getLeastFactor(mul.getRhs()),
                    kMostLikely);
  return std::min(2 * axes.get(factor).getDivisibility(), kMostLikely);
}

/// `step` times `factor`, which is uniform.
int64_t StrideEstimate::multiply(Value factor, int64_t step) {
  std::optional<int64_t> constant = getConstant(factor);
  if (step == 0 || constant == 0)
    return 0;
  bool isWide = constant && std::abs(*constant) >= kFar / std::abs(step);
  if (step == kAnywhere || (isKnown(step) && isWide))
    return kAnywhere;
  if (isKnown(step) && constant)
    return step * *constant;
  return getUnknown(std::min(getLeast(step), kMostLikely) *
                    getLeastFactor(factor));
}

/// The stride of x / y, where x has stride `step` along `size` elements and y
/// is uniform. A quotient that advances at least once counts as stride 1.
static int64_t divide(Value divisor, int64_t step, int64_t size) {
  if (!isKnown(step))
    return kAnywhere;
  std::optional<int64_t> constant = getConstant(divisor);
  if (!constant || *constant == 0)
    return 0;
  int64_t quotient = step / *constant;
  bool moves = step != 0 && size > std::abs(*constant) / std::abs(step);
  return quotient == 0 && moves ? 1 : quotient;
}

int64_t StrideEstimate::get(Value tile, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type || type.getDimSize(dim) == 1)
    return 0;
  // A cycle through a loop finds an unknown stride.
  auto [it, isNew] = known.try_emplace({tile, dim}, kAnywhere);
  if (!isNew)
    return it->second;
  int64_t step = compute(tile, dim);
  return known[{tile, dim}] = step;
}

int64_t StrideEstimate::compute(Value tile, unsigned dim) {
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    auto loop =
        dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return init ? get(init->get(), dim) : kAnywhere;
  }
  auto of = [&](Value operand) { return get(operand, dim); };
  return llvm::TypeSwitch<Operation *, int64_t>(tile.getDefiningOp())
      .Case([](tile::RangeOp) { return 1; })
      .Case<tile::SplatOp, arith::ConstantOp>([&](Operation *op) {
        return isa<tile::SplatOp>(op) || getConstant(tile) ? 0 : kAnywhere;
      })
      .Case([&](tile::ExpandDimsOp op) {
        return get(op.getSource(), dim - (dim > unsigned(op.getAxis())));
      })
      .Case([&](tile::TransposeOp op) {
        return get(op.getSource(), op.getOrder()[dim]);
      })
      .Case([&](tile::BroadcastOp op) { return of(op.getSource()); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          [&](Operation *op) { return of(op->getOperand(0)); })
      .Case([&](tile::AddPtrOp op) {
        return add(of(op.getPtr()), of(op.getOffset()));
      })
      .Case([&](arith::AddIOp op) {
        return add(of(op.getLhs()), of(op.getRhs()));
      })
      .Case([&](arith::SubIOp op) {
        int64_t right = of(op.getRhs());
        return add(of(op.getLhs()), isKnown(right) ? -right : right);
      })
      .Case([&](arith::MulIOp op) {
        int64_t left = of(op.getLhs()), right = of(op.getRhs());
        if (left != 0 && right != 0)
          return kAnywhere;
        return left != 0 ? multiply(op.getRhs(), left)
                         : multiply(op.getLhs(), right);
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *op) {
        return of(op->getOperand(1)) == 0 ? of(op->getOperand(0)) : kAnywhere;
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](Operation *op) {
        Value divisor = op->getOperand(1);
        int64_t size =
            cast<RankedTensorType>(divisor.getType()).getDimSize(dim);
        return of(divisor) == 0 ? divide(divisor, of(op->getOperand(0)), size)
                                : kAnywhere;
      })
      // The replacement of indices outside says nothing about those inside.
      .Case([&](arith::SelectOp op) {
        return std::max(of(op.getTrueValue()), of(op.getFalseValue()));
      })
      .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(
          [&](Operation *op) {
            return std::max(of(op->getOperand(0)), of(op->getOperand(1)));
          })
      .Default([](Operation *) { return kAnywhere; });
}
