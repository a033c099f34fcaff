// Square roots of f32 and divisions of 64-bit integers, expanded inline.
//
// The assembler compiles them to calls, and a call anywhere in a kernel makes
// it serialise all wgmma instructions (C7509). The last instruction writes the
// result, since its register may be shared with an operand.

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

/// Returns the square root of an f32, rounded to nearest.
///
/// Newton's iteration in f64, where every f32 is a normal number. The root of
/// an f32 is at least 2^-51 (relative) away from the midpoint of two f32. The
/// error in f64 is smaller, so the final rounding is correct. A zero keeps its
/// sign, and infinity is its own root.
static Value emitRoundedRoot(ImplicitLocOpBuilder &b, Value x) {
  InlinePtx ptx(b);
  std::string q = ptx.out(x.getType()), in = ptx.in(x);
  return ptx.emit("{ .reg .pred p; .reg .f32 q; .reg .f64 x, h, r, e, g; "
                  "cvt.f64.f32 x, " +
                      in +
                      "; rsqrt.approx.ftz.f64 r, x; mul.rn.f64 h, x, "
                      "0dBFE0000000000000; "
                      "mul.rn.f64 g, h, r; "
                      "fma.rn.f64 e, g, r, 0d3FE0000000000000; "
                      "fma.rn.f64 r, r, e, r; mul.rn.f64 g, h, r; "
                      "fma.rn.f64 e, g, r, 0d3FE0000000000000; "
                      "fma.rn.f64 r, r, e, r; "
                      "mul.rn.f64 g, x, r; neg.f64 h, g; "
                      "fma.rn.f64 e, h, g, x; "
                      "mul.rn.f64 r, r, 0d3FE0000000000000; "
                      "fma.rn.f64 g, e, r, g; cvt.rn.f32.f64 q, g; "
                      "setp.eq.f32 p, " +
                      in + ", 0f00000000; setp.eq.or.f32 p, " + in +
                      ", 0f7F800000, p; selp.f32 " + q + ", " + in +
                      ", q, p; }",
                  /*sideEffects=*/false)[0];
}

/// Returns the quotient of unsigned 64-bit integers; undefined for divisor 0.
///
/// If both fit in 32 bits, they are divided there. Otherwise the quotient is
/// estimated in f64, from below: the reciprocal is reduced by 2^-49, more than
/// all rounding errors together. The rest of the dividend is divided in the
/// same way. Then the remainder is less than two divisors.
static Value emitQuotient(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  InlinePtx ptx(b);
  std::string q = ptx.out(lhs.getType()), x = ptx.in(lhs), y = ptx.in(rhs);
  return ptx.emit(
      "{ .reg .pred p; .reg .b64 q, t, h; .reg .b32 a, b; .reg .f64 f, n, r, "
      "e; "
      "or.b64 t, " +
          x + ", " + y +
          "; shr.u64 h, t, 32; setp.ne.u64 p, h, 0; @p bra WIDE_${:uid}; "
          "cvt.u32.u64 a, " +
          x + "; cvt.u32.u64 b, " + y +
          "; div.u32 a, a, b; cvt.u64.u32 q, a; bra.uni END_${:uid}; "
          "WIDE_${:uid}: cvt.rn.f64.u64 n, " +
          y +
          "; rcp.approx.ftz.f64 r, n; neg.f64 n, n; "
          "fma.rn.f64 e, n, r, 0d3FF0000000000000; fma.rn.f64 r, r, e, r; "
          "fma.rn.f64 e, n, r, 0d3FF0000000000000; fma.rn.f64 r, r, e, r; "
          "mul.rn.f64 r, r, 0d3FEFFFFFFFFFFFF0; "
          "cvt.rn.f64.u64 f, " +
          x + "; mul.rn.f64 f, f, r; cvt.rzi.u64.f64 q, f; mul.lo.u64 t, q, " +
          y + "; sub.u64 t, " + x +
          ", t; "
          "cvt.rn.f64.u64 f, t; mul.rn.f64 f, f, r; cvt.rzi.u64.f64 h, f; "
          "add.u64 q, q, h; mul.lo.u64 h, h, " +
          y + "; sub.u64 t, t, h; setp.ge.u64 p, t, " + y +
          "; @p add.u64 q, q, 1; END_${:uid}: mov.b64 " + q + ", q; }",
      /*sideEffects=*/false)[0];
}

namespace {

struct RootLowering : ConvertOpToLLVMPattern<math::SqrtOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(math::SqrtOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not an f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitRoundedRoot(b, adaptor.getOperand()));
    return success();
  }
};

/// Lowers a quotient or remainder. LLVM lowers constant divisors to
/// multiplications.
template <typename Op, bool isSigned, bool isRemainder>
class WideDivisionLowering : public ConvertOpToLLVMPattern<Op> {
public:
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  using OpAdaptor = typename ConvertOpToLLVMPattern<Op>::OpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isInteger(64) || matchPattern(op.getRhs(), m_Constant()))
      return rewriter.notifyMatchFailure(op, "LLVM needs no call");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = adaptor.getLhs(), y = adaptor.getRhs();
    if (!isSigned) {
      rewriter.replaceOp(op, emit(b, x, y));
      return success();
    }
    // -n is (n ^ -1) - -1.
    Value signX = emitSign(b, x), signY = emitSign(b, y);
    Value result = emit(b, emitNegated(b, x, signX), emitNegated(b, y, signY));
    Value sign = isRemainder ? signX : LLVM::XOrOp::create(b, signX, signY);
    rewriter.replaceOp(op, emitNegated(b, result, sign));
    return success();
  }

private:
  static Value emit(ImplicitLocOpBuilder &b, Value x, Value y) {
    Value quotient = emitQuotient(b, x, y);
    if (!isRemainder)
      return quotient;
    return LLVM::SubOp::create(b, x, LLVM::MulOp::create(b, quotient, y));
  }
  /// Returns -1 for a negative number, else 0.
  static Value emitSign(ImplicitLocOpBuilder &b, Value x) {
    Value last =
        LLVM::ConstantOp::create(b, x.getType(), b.getI64IntegerAttr(63));
    return LLVM::AShrOp::create(b, x, last);
  }
  static Value emitNegated(ImplicitLocOpBuilder &b, Value x, Value sign) {
    return LLVM::SubOp::create(b, LLVM::XOrOp::create(b, x, sign), sign);
  }
};

} // namespace

void tilewright::populateCallFreeToLLVM(const LLVMTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<RootLowering, WideDivisionLowering<arith::DivSIOp, true, false>,
               WideDivisionLowering<arith::DivUIOp, false, false>,
               WideDivisionLowering<arith::RemSIOp, true, true>,
               WideDivisionLowering<arith::RemUIOp, false, true>>(
      converter, /*benefit=*/4);
}
