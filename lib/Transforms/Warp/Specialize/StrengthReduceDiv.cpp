// Replaces divisions by shifts at run time.
//
// The divisors of tile coordinates are known only at launch, and a tile takes
// several dependent divisions of long latency (benchmarks/notes/persistent.md).
// But extents of grids and of groups of tiles mostly are powers of two, or
// larger than the dividend.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/Divisions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_STRENGTHREDUCEDIV
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

static bool isSigned(Operation *op) {
  return isa<arith::DivSIOp, arith::RemSIOp>(op);
}

/// Whether `op` is a 32-bit division by a number that is not constant.
static bool isLong(Operation *op) {
  return isDivision(op) && op->getResult(0).getType().isInteger(32) &&
         !getConstantIntValue(op->getOperand(1));
}

static Value emitConstant(ImplicitLocOpBuilder &b, int32_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

static Value emitCompare(ImplicitLocOpBuilder &b,
                         arith::CmpIPredicate predicate, Value x, Value y) {
  return arith::CmpIOp::create(b, predicate, x, y);
}

/// Emits whether a shift computes `x / y`: `y` is a power of two or greater
/// than `x`, and neither is negative.
static Value emitIsShort(ImplicitLocOpBuilder &b, bool isSigned, Value isLess,
                         Value x, Value y) {
  Value zero = emitConstant(b, 0);
  Value others = arith::AndIOp::create(
      b, y, arith::SubIOp::create(b, y, emitConstant(b, 1)));
  Value isShort = arith::OrIOp::create(
      b, isLess, emitCompare(b, arith::CmpIPredicate::eq, others, zero));
  if (!isSigned)
    return isShort;
  Value signs = arith::OrIOp::create(b, x, y);
  return arith::AndIOp::create(
      b, isShort, emitCompare(b, arith::CmpIPredicate::sge, signs, zero));
}

/// Emits `x / y` rounded to zero.
static Value emitQuotient(ImplicitLocOpBuilder &b, bool isSigned, Value x,
                          Value y) {
  Value isLess = emitCompare(b, arith::CmpIPredicate::ult, x, y);
  auto yield = [](OpBuilder &b, Location loc, Value value) {
    scf::YieldOp::create(b, loc, value);
  };
  auto emitShift = [&](OpBuilder &builder, Location loc) {
    ImplicitLocOpBuilder b(loc, builder);
    // The index of the highest bit of `y`. For zero, which is no valid divisor,
    // it is some valid shift amount.
    Value last = emitConstant(b, 31);
    Value shift = arith::AndIOp::create(
        b,
        arith::SubIOp::create(b, last, math::CountLeadingZerosOp::create(b, y)),
        last);
    Value shifted = arith::ShRUIOp::create(b, x, shift);
    yield(b, loc,
          arith::SelectOp::create(b, isLess, emitConstant(b, 0), shifted));
  };
  auto emitDivision = [&](OpBuilder &b, Location loc) {
    yield(b, loc,
          isSigned ? arith::DivSIOp::create(b, loc, x, y).getResult()
                   : arith::DivUIOp::create(b, loc, x, y).getResult());
  };
  return scf::IfOp::create(b, emitIsShort(b, isSigned, isLess, x, y), emitShift,
                           emitDivision)
      .getResult(0);
}

/// Reduces the divisions of `block` itself. A remainder follows from the
/// quotient of the same operands.
static void reduceDivisions(Block &block, IRRewriter &rewriter) {
  llvm::DenseMap<std::pair<Value, Value>, Value> quotients[2];
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isLong(&op))
      continue;
    rewriter.setInsertionPoint(&op);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = op.getOperand(0), y = op.getOperand(1);
    Value &quotient = quotients[isSigned(&op)][{x, y}];
    if (!quotient)
      quotient = emitQuotient(b, isSigned(&op), x, y);
    Value result = quotient;
    if (isa<arith::RemSIOp, arith::RemUIOp>(op))
      result =
          arith::SubIOp::create(b, x, arith::MulIOp::create(b, quotient, y));
    rewriter.replaceOp(&op, result);
  }
}

static bool isLoopOverPrograms(scf::ForOp loop) {
  return !loop.getBody()->getOps<scf::ForOp>().empty() ||
         loop->getParentOfType<tile::FuncOp>()->hasAttr(
             WarpDialect::kPersistentAttr);
}

namespace {
struct StrengthReduceDiv
    : warp::impl::StrengthReduceDivBase<StrengthReduceDiv> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation()->walk([&](SpecializeOp roles) {
      if (isExplicit(roles))
        return;
      // The first role divides during wgmma, and needs its registers.
      for (Region &role : llvm::drop_begin(roles.getRoles())) {
        blocks.push_back(&role.front());
        for (scf::ForOp loop : role.front().getOps<scf::ForOp>())
          if (isLoopOverPrograms(loop))
            blocks.push_back(loop.getBody());
      }
    });
    IRRewriter rewriter(&getContext());
    for (Block *block : blocks)
      reduceDivisions(*block, rewriter);
  }
};
} // namespace
