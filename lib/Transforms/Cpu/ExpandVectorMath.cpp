#include "lib/Transforms/Cpu/F32Functions.h"
#include "lib/Transforms/Cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilewright::cpu {
#define GEN_PASS_DEF_EXPANDVECTORMATH
#include "lib/Transforms/Cpu/Passes.h.inc"
} // namespace tilewright::cpu

using namespace mlir;

namespace tilewright::cpu {

static bool isF32(Value value) {
  return getElementTypeOrSelf(value.getType()).isF32();
}

/// A constant of a float type or a vector of floats.
static Value makeFloat(OpBuilder &b, Location loc, Type type, double value) {
  TypedAttr attribute = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(b, loc, attribute);
}

static Value compare(OpBuilder &b, Location loc, arith::CmpFPredicate predicate,
                     Value x, Value y) {
  return arith::CmpFOp::create(b, loc, predicate, x, y);
}

namespace {
/// Expands a function of one f32 operand to arithmetic.
template <typename Op, Value (F32Functions::*Function)(Value) const>
struct ExpandF32 : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isF32(op.getOperand()))
      return rewriter.notifyMatchFailure(op, "not of f32");
    F32Functions functions{rewriter, op.getLoc()};
    rewriter.replaceOp(op, (functions.*Function)(op.getOperand()));
    return success();
  }
};

/// 1 / sqrt(x): processors have approximations only.
struct ExpandRsqrt : OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    Value one = makeFloat(rewriter, op.getLoc(), op.getType(), 1.0);
    Value root = math::SqrtOp::create(rewriter, op.getLoc(), op.getOperand());
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, one, root);
    return success();
  }
};

/// exp(x) - 1 and log(1 + x) of any float type. The ratio of the exact argument
/// to the one that `exp` or `log` saw corrects the rounding error of the
/// addition. This is W. Kahan's method (N. Higham, "Accuracy and Stability of
/// Numerical Algorithms", 1.14.1).
struct ExpandExpM1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpM1Op op,
                                PatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value x = op.getOperand();
    Value one = makeFloat(b, loc, x.getType(), 1.0);
    Value grown = math::ExpOp::create(b, loc, x);
    Value less = arith::SubFOp::create(b, loc, grown, one);
    Value seen = math::LogOp::create(b, loc, grown);
    Value ratio = arith::DivFOp::create(b, loc, x, seen);
    Value exact = arith::MulFOp::create(b, loc, less, ratio);
    // Far from zero the difference is accurate, and the logarithm may be
    // infinite. If x is smaller than the last bit of 1, x is the result.
    Value size = math::AbsFOp::create(b, loc, x);
    Value isFar = compare(b, loc, arith::CmpFPredicate::OGT, size, one);
    Value isTiny = compare(b, loc, arith::CmpFPredicate::OEQ, grown, one);
    Value near = arith::SelectOp::create(b, loc, isTiny, x, exact);
    b.replaceOpWithNewOp<arith::SelectOp>(op, isFar, less, near);
    return success();
  }
};

struct ExpandLog1P : OpRewritePattern<math::Log1pOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Log1pOp op,
                                PatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value x = op.getOperand();
    Value one = makeFloat(b, loc, x.getType(), 1.0);
    Value sum = arith::AddFOp::create(b, loc, x, one);
    Value logarithm = math::LogOp::create(b, loc, sum);
    Value seen = arith::SubFOp::create(b, loc, sum, one);
    Value ratio = arith::DivFOp::create(b, loc, x, seen);
    Value exact = arith::MulFOp::create(b, loc, logarithm, ratio);
    Value isTiny = compare(b, loc, arith::CmpFPredicate::OEQ, sum, one);
    Value near = arith::SelectOp::create(b, loc, isTiny, x, exact);
    // For large x, the ratio is 1, or infinity divided by infinity.
    Value large = makeFloat(b, loc, x.getType(), 1e18);
    Value isFar = compare(b, loc, arith::CmpFPredicate::OGT, x, large);
    b.replaceOpWithNewOp<arith::SelectOp>(op, isFar, logarithm, near);
    return success();
  }
};
} // namespace

/// Applies `make` to pieces of at most `bits` bits of vector operands.
static Value inPieces(OpBuilder &b, Location loc, ValueRange operands,
                      unsigned bits,
                      llvm::function_ref<Value(ValueRange)> make) {
  auto type = dyn_cast<VectorType>(operands[0].getType());
  if (!type)
    return make(operands);
  const int64_t lanes = type.getNumElements();
  const int64_t piece = bits / type.getElementTypeBitWidth();
  if (lanes <= piece)
    return make(operands);
  Value result = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  for (int64_t first = 0; first < lanes; first += piece) {
    const int64_t size = std::min(piece, lanes - first);
    SmallVector<Value> parts;
    for (Value operand : operands)
      parts.push_back(vector::ExtractStridedSliceOp::create(
          b, loc, operand, ArrayRef<int64_t>{first}, ArrayRef<int64_t>{size},
          ArrayRef<int64_t>{1}));
    result = vector::InsertStridedSliceOp::create(b, loc, make(parts), result,
                                                  ArrayRef<int64_t>{first},
                                                  ArrayRef<int64_t>{1});
  }
  return result;
}

namespace {
/// sin and cos of f32. Angles that are too large for the reduction use the
/// library.
template <typename Op, typename LibraryOp,
          Value (F32Functions::*Function)(Value) const>
struct ExpandAngle : OpRewritePattern<Op> {
  ExpandAngle(MLIRContext *context, unsigned vectorBits)
      : OpRewritePattern<Op>(context), vectorBits(vectorBits) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!isF32(x))
      return rewriter.notifyMatchFailure(op, "not of f32");
    Location loc = op.getLoc();
    auto choice = scf::IfOp::create(rewriter, loc, TypeRange{x.getType()},
                                    hasLargeAngle(rewriter, loc, x),
                                    /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(choice.thenBlock());
    Value slow = inPieces(rewriter, loc, x, vectorBits, [&](ValueRange parts) {
      return LibraryOp::create(rewriter, loc, parts[0]);
    });
    scf::YieldOp::create(rewriter, loc, slow);
    rewriter.setInsertionPointToStart(choice.elseBlock());
    F32Functions functions{rewriter, loc};
    scf::YieldOp::create(rewriter, loc, (functions.*Function)(x));
    rewriter.replaceOp(op, choice.getResults());
    return success();
  }

  /// Whether an angle is too large, infinite or NaN.
  static Value hasLargeAngle(OpBuilder &b, Location loc, Value x) {
    Value bound = makeFloat(b, loc, x.getType(), F32Functions::kLargestAngle);
    Value is = compare(b, loc, arith::CmpFPredicate::UGT,
                       math::AbsFOp::create(b, loc, x), bound);
    if (!isa<VectorType>(x.getType()))
      return is;
    return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, is);
  }

  unsigned vectorBits;
};

/// Splits vectors to the width of the functions of the vector mathematics
/// library.
template <typename Op> struct SplitToRegisters : OpRewritePattern<Op> {
  SplitToRegisters(MLIRContext *context, unsigned vectorBits)
      : OpRewritePattern<Op>(context), vectorBits(vectorBits) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type ||
        type.getNumElements() * type.getElementTypeBitWidth() <= vectorBits)
      return rewriter.notifyMatchFailure(op, "fits a register");
    rewriter.replaceOp(op, inPieces(rewriter, op.getLoc(), op->getOperands(),
                                    vectorBits, [&](ValueRange parts) -> Value {
                                      return Op::create(rewriter, op.getLoc(),
                                                        parts);
                                    }));
    return success();
  }

  unsigned vectorBits;
};

struct ExpandVectorMathPass : impl::ExpandVectorMathBase<ExpandVectorMathPass> {
  using ExpandVectorMathBase::ExpandVectorMathBase;

  void runOnOperation() override {
    if (failed(expandF32()) || failed(splitOthers()))
      signalPassFailure();
  }

  LogicalResult expandF32() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    using F = F32Functions;
    patterns.add<
        ExpandF32<math::ExpOp, &F::exp>, ExpandF32<math::Exp2Op, &F::exp2>,
        ExpandF32<math::LogOp, &F::log>, ExpandF32<math::Log2Op, &F::log2>,
        ExpandF32<math::Log10Op, &F::log10>, ExpandF32<math::TanhOp, &F::tanh>,
        ExpandF32<math::ErfOp, &F::erf>, ExpandRsqrt>(context);
    patterns.add<ExpandAngle<math::SinOp, LLVM::SinOp, &F::sin>,
                 ExpandAngle<math::CosOp, LLVM::CosOp, &F::cos>>(context,
                                                                 vectorBits);
    patterns.add<ExpandExpM1, ExpandLog1P>(context);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  LogicalResult splitOthers() {
    RewritePatternSet patterns(&getContext());
    patterns
        .add<SplitToRegisters<math::ExpOp>, SplitToRegisters<math::Exp2Op>,
             SplitToRegisters<math::LogOp>, SplitToRegisters<math::Log2Op>,
             SplitToRegisters<math::Log10Op>, SplitToRegisters<math::SinOp>,
             SplitToRegisters<math::CosOp>, SplitToRegisters<math::TanOp>,
             SplitToRegisters<math::TanhOp>, SplitToRegisters<math::SinhOp>,
             SplitToRegisters<math::CoshOp>, SplitToRegisters<math::AsinOp>,
             SplitToRegisters<math::AcosOp>, SplitToRegisters<math::AtanOp>,
             SplitToRegisters<math::Atan2Op>, SplitToRegisters<math::PowFOp>>(
            &getContext(), vectorBits);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace

} // namespace tilewright::cpu
