#include "lib/Analysis/AddressSteps.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cstdlib>

using namespace mlir;
using namespace tilewright;

static constexpr int64_t kFar = AddressSteps::kFar;

static int64_t bounded(int64_t step) {
  return std::abs(step) < kFar ? step : kFar;
}

/// The integer that all elements of `tile` are, if it is a constant.
static std::optional<int64_t> getConstant(Value tile) {
  if (auto splat = tile.getDefiningOp<tile::SplatOp>())
    return getConstant(splat.getSource());
  APInt value;
  if (!matchPattern(tile, m_ConstantInt(&value)) || !value.isSignedIntN(40))
    return std::nullopt;
  return value.getSExtValue();
}

static int64_t add(int64_t x, int64_t y) {
  return x == kFar || y == kFar ? kFar : bounded(x + y);
}

/// x * y, where they step by these.
static int64_t multiply(arith::MulIOp op, int64_t x, int64_t y) {
  if (x != 0 && y != 0)
    return kFar;
  int64_t step = x != 0 ? x : y;
  std::optional<int64_t> factor =
      getConstant(x != 0 ? op.getRhs() : op.getLhs());
  if (step == 0)
    return 0;
  return step == kFar || !factor || std::abs(*factor) >= kFar / std::abs(step)
             ? kFar
             : step * *factor;
}

/// x / y, where x steps by `step`, `size` times, and y stays. One step in
/// several counts as one each, if there is one.
static int64_t divide(Value divisor, int64_t step, int64_t size) {
  if (step == kFar)
    return kFar;
  std::optional<int64_t> constant = getConstant(divisor);
  if (!constant || *constant == 0)
    return 0;
  int64_t quotient = step / *constant;
  bool moves = step != 0 && size > std::abs(*constant) / std::abs(step);
  return quotient == 0 && moves ? 1 : quotient;
}

int64_t AddressSteps::get(Value tile, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type || type.getDimSize(dim) == 1)
    return 0;
  // A loop leads back to what is asked for: until it is known, it is far.
  auto [it, isNew] = known.try_emplace({tile, dim}, kFar);
  if (!isNew)
    return it->second;
  int64_t step = compute(tile, dim);
  return known[{tile, dim}] = step;
}

int64_t AddressSteps::compute(Value tile, unsigned dim) {
  if (auto argument = dyn_cast<BlockArgument>(tile)) {
    auto loop =
        dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return init ? get(init->get(), dim) : kFar;
  }
  auto of = [&](Value operand) { return get(operand, dim); };
  return llvm::TypeSwitch<Operation *, int64_t>(tile.getDefiningOp())
      .Case([](tile::RangeOp) { return 1; })
      .Case<tile::SplatOp, arith::ConstantOp>([&](Operation *op) {
        return isa<tile::SplatOp>(op) || getConstant(tile) ? 0 : kFar;
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
        return add(of(op.getLhs()), right == kFar ? kFar : -right);
      })
      .Case([&](arith::MulIOp op) {
        return multiply(op, of(op.getLhs()), of(op.getRhs()));
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](Operation *op) {
        return of(op->getOperand(1)) == 0 ? of(op->getOperand(0)) : kFar;
      })
      .Case<arith::DivSIOp, arith::DivUIOp>([&](Operation *op) {
        Value divisor = op->getOperand(1);
        int64_t size =
            cast<RankedTensorType>(divisor.getType()).getDimSize(dim);
        return of(divisor) == 0 ? divide(divisor, of(op->getOperand(0)), size)
                                : kFar;
      })
      // What replaces indices outside says nothing of those inside.
      .Case([&](arith::SelectOp op) {
        return std::max(of(op.getTrueValue()), of(op.getFalseValue()));
      })
      .Case<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(
          [&](Operation *op) {
            return std::max(of(op->getOperand(0)), of(op->getOperand(1)));
          })
      .Default([](Operation *) { return kFar; });
}
