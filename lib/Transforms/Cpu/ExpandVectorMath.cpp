#include "lib/Transforms/Cpu/F32Functions.h"
#include "lib/Transforms/Cpu/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
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

namespace {
/// A function of one f32 operand by arithmetic.
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
    Type type = op.getType();
    Value root = math::SqrtOp::create(rewriter, op.getLoc(), op.getOperand());
    auto scalar = rewriter.getFloatAttr(getElementTypeOrSelf(type), 1.0);
    TypedAttr one = scalar;
    if (auto vector = dyn_cast<VectorType>(type))
      one = DenseElementsAttr::get(vector, Attribute(scalar));
    Value numerator = arith::ConstantOp::create(rewriter, op.getLoc(), one);
    rewriter.replaceOpWithNewOp<arith::DivFOp>(op, numerator, root);
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
/// sin and cos of f32. Angles too large for the reduction go the library's way.
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
    TypedAttr limit = b.getF32FloatAttr(F32Functions::kLargestAngle);
    auto vector = dyn_cast<VectorType>(x.getType());
    if (vector)
      limit = DenseElementsAttr::get(vector, Attribute(limit));
    Value bound = arith::ConstantOp::create(b, loc, limit);
    Value is = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGT,
                                     math::AbsFOp::create(b, loc, x), bound);
    if (!vector)
      return is;
    return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, is);
  }

  unsigned vectorBits;
};

/// Splits vectors to the width that the vector mathematics library works on.
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
    // Both in terms of the above, within 3 ULP.
    populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
      return name == math::ExpM1Op::getOperationName() ||
             name == math::Log1pOp::getOperationName();
    });
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
