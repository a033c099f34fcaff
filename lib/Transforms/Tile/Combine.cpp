#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/NonNegative.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILECOMBINE
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

//===----------------------------------------------------------------------===//
// Splats
//===----------------------------------------------------------------------===//

namespace {

/// shape(splat(x)) is splat(x).
template <typename ShapeOp> struct ReshapeSplat : OpRewritePattern<ShapeOp> {
  using OpRewritePattern<ShapeOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ShapeOp op,
                                PatternRewriter &rewriter) const override {
    auto splat = op.getSource().template getDefiningOp<tile::SplatOp>();
    if (!splat)
      return rewriter.notifyMatchFailure(op, "the source is no splat");
    rewriter.replaceOpWithNewOp<tile::SplatOp>(op, op.getType(),
                                               splat.getSource());
    return success();
  }
};

} // namespace

/// Returns the scalar that `value` repeats; null if its elements differ. The
/// scalar of a constant is created at the insertion point of `rewriter`.
static Value getRepeatedScalar(PatternRewriter &rewriter, Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  if (auto splat = value.getDefiningOp<tile::SplatOp>())
    return splat.getSource();
  SplatElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  return arith::ConstantOp::create(
      rewriter, value.getLoc(),
      cast<TypedAttr>(constant.getSplatValue<Attribute>()));
}

static bool isSplat(Value value) {
  return value.getDefiningOp<tile::SplatOp>() ||
         matchPattern(value, m_Constant<SplatElementsAttr>(nullptr));
}

namespace {

/// op(splat(x), splat(y)) is splat(op(x, y)).
struct ComputeOnScalars : RewritePattern {
  ComputeOnScalars(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!OpTrait::hasElementwiseMappableTraits(op) &&
        !op->hasTrait<OpTrait::Elementwise>())
      return rewriter.notifyMatchFailure(op, "not elementwise");
    if (op->getNumResults() != 1 || op->getNumOperands() == 0 || !isPure(op) ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      return rewriter.notifyMatchFailure(op, "not one pure tile");
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !isSplat(operand))
        return rewriter.notifyMatchFailure(op, "an operand is no splat");

    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<Value> scalars;
    for (Value operand : op->getOperands())
      scalars.push_back(getRepeatedScalar(rewriter, operand));
    Operation *scalar =
        rewriter.create(op->getLoc(), op->getName().getIdentifier(), scalars,
                        type.getElementType(), op->getAttrs());
    rewriter.replaceOpWithNewOp<tile::SplatOp>(op, type, scalar->getResult(0));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

/// Whether tensor cores accumulate `dot` with less precision than float32.
/// Adding to its result outside is then more precise.
static bool hasImpreciseAccumulator(tile::DotOp dot) {
  Type element = cast<RankedTensorType>(dot.getA().getType()).getElementType();
  return tile::isFloat8(element);
}

/// dot(a, b, 0) + c is dot(a, b, c).
template <typename AddOp> struct AccumulateInDot : OpRewritePattern<AddOp> {
  using OpRewritePattern<AddOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [mine, other] : {std::pair(op.getLhs(), op.getRhs()),
                               std::pair(op.getRhs(), op.getLhs())}) {
      auto dot = mine.template getDefiningOp<tile::DotOp>();
      if (!dot || !dot->hasOneUse() || !isZero(dot.getAcc()) ||
          hasImpreciseAccumulator(dot))
        continue;
      rewriter.replaceOpWithNewOp<tile::DotOp>(
          op, op.getType(), dot.getA(), dot.getB(), other, dot.getPrecision());
      return success();
    }
    return rewriter.notifyMatchFailure(
        op, "no operand is a dot that can accumulate");
  }

  static bool isZero(Value value) {
    return matchPattern(value, m_Zero()) ||
           matchPattern(value, m_AnyZeroFloat());
  }
};

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Folds the sign test in a step `step < 0 ? -step : step` of a loop, if the
/// step is known not to be negative. An example is the number of programs.
struct CountUpwards : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop,
                                PatternRewriter &rewriter) const override {
    auto size = loop.getStep().getDefiningOp<arith::SelectOp>();
    auto test = size ? size.getCondition().getDefiningOp<arith::CmpIOp>()
                     : arith::CmpIOp();
    if (!test || test.getPredicate() != arith::CmpIPredicate::slt ||
        test.getLhs() != size.getFalseValue() ||
        !matchPattern(test.getRhs(), m_Zero()))
      return rewriter.notifyMatchFailure(loop, "its step has one sign");
    auto isNoArgument = [](Value) { return false; };
    if (!isNonNegative(test.getLhs(), /*isSize=*/isNoArgument))
      return rewriter.notifyMatchFailure(loop, "its step may be negative");
    rewriter.setInsertionPoint(test);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(test,
                                                   rewriter.getBoolAttr(false));
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// x - x / y * y is x % y, whose sign is known.
struct FormRemainder : OpRewritePattern<arith::SubIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::SubIOp op,
                                PatternRewriter &rewriter) const override {
    auto multiple = op.getRhs().getDefiningOp<arith::MulIOp>();
    if (!multiple)
      return rewriter.notifyMatchFailure(op, "no multiple");
    for (auto [quotient, divisor] :
         {std::pair(multiple.getLhs(), multiple.getRhs()),
          std::pair(multiple.getRhs(), multiple.getLhs())}) {
      auto division = quotient.getDefiningOp<arith::DivSIOp>();
      if (!division || division.getLhs() != op.getLhs() ||
          division.getRhs() != divisor)
        continue;
      rewriter.replaceOpWithNewOp<arith::RemSIOp>(op, op.getLhs(), divisor);
      return success();
    }
    return rewriter.notifyMatchFailure(op, "not of the quotient");
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct Combine : tile::impl::TileCombineBase<Combine> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<ReshapeSplat<tile::ExpandDimsOp>, ReshapeSplat<tile::BroadcastOp>,
            ReshapeSplat<tile::ReshapeOp>, ReshapeSplat<tile::TransposeOp>,
            ComputeOnScalars, AccumulateInDot<arith::AddFOp>,
            AccumulateInDot<arith::AddIOp>, CountUpwards, FormRemainder>(
        context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    if (failed(applyPatternsGreedily(getOperation(), patterns)))
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
