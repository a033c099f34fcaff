// Divisions of f32.
//
// 1. By default LLVM emits `div.rn.f32`: a short sequence and, for quotients or
//    operands near the ends of the range, a call.
// 2. A call anywhere in a kernel makes the assembler serialise all its wgmma
//    instructions (C7509). Kernels with wgmma expand the whole division inline.
// 3. With the fast-math flag `arcp` a division is `div.full.f32`, with an error
//    of at most 2 ULP.
// 4. With `afn`, too, it is `div.approx.ftz.f32`: a multiplication by a
//    reciprocal, correct only if the reciprocal is a normal number.

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

/// Returns a / b rounded to nearest, without a call.
///
/// Newton's iteration on the reciprocal and two corrections of the quotient by
/// its exact remainder give the rounded quotient. The proof is in Markstein,
/// "Computation of elementary functions on the IBM RISC System/6000 processor",
/// 1990. It requires that no step leaves the normal numbers, which the
/// exponents decide beforehand.
///
/// Other operands are divided in the same way in f64. Rounding that to f32 is
/// correct: the quotient of two f32 is either a midpoint of two f32 or further
/// from one than the error in f64. If an operand is not finite, or the divisor
/// is zero, a * (1 / b) is the IEEE 754 result. The quotient is written last,
/// since its register may be shared with an operand.
static Value emitRoundedDivision(ImplicitLocOpBuilder &b, Value lhs,
                                 Value rhs) {
  InlinePtx ptx(b);
  std::string q = ptx.out(lhs.getType()), x = ptx.in(lhs), y = ptx.in(rhs);
  std::string text =
      "{ .reg .pred p, s; .reg .b32 ea, eb, d; .reg .f32 r, e; "
      ".reg .f32 q; .reg .f64 xd, yd, rd, ed, qd; "
      // 32 <= ea < 255, 2 <= eb < 253, -120 <= ea - eb <= 120
      "bfe.u32 ea, {x}, 23, 8; bfe.u32 eb, {y}, 23, 8; "
      "rcp.approx.f32 r, {y}; "
      "sub.s32 d, ea, eb; abs.s32 d, d; setp.le.s32 p, d, 120; "
      "sub.u32 ea, ea, 32; setp.lt.and.u32 p, ea, 223, p; "
      "sub.u32 d, eb, 2; setp.lt.and.u32 p, d, 251, p; "
      "@!p bra SLOW_${:uid}; "
      "neg.f32 d, {y}; fma.rn.f32 e, d, r, 0f3F800000; "
      "fma.rn.f32 r, r, e, r; mul.rn.f32 q, {x}, r; "
      "fma.rn.f32 e, d, q, {x}; fma.rn.f32 q, r, e, q; "
      "fma.rn.f32 e, d, q, {x}; fma.rn.f32 q, r, e, q; "
      "bra.uni END_${:uid}; "
      "SLOW_${:uid}: "
      "setp.eq.f32 s, {y}, 0f00000000; setp.eq.or.u32 s, eb, 255, s; "
      "setp.eq.or.u32 s, ea, 223, s; mul.rn.f32 q, {x}, r; "
      "@s bra.uni END_${:uid}; "
      "cvt.f64.f32 xd, {x}; cvt.f64.f32 yd, {y}; "
      "rcp.approx.ftz.f64 rd, yd; neg.f64 yd, yd; "
      "fma.rn.f64 ed, yd, rd, 0d3FF0000000000000; fma.rn.f64 rd, rd, ed, rd; "
      "fma.rn.f64 ed, yd, rd, 0d3FF0000000000000; fma.rn.f64 rd, rd, ed, rd; "
      "mul.rn.f64 qd, xd, rd; fma.rn.f64 ed, yd, qd, xd; "
      "fma.rn.f64 qd, rd, ed, qd; cvt.rn.f32.f64 q, qd; "
      // The correction loses the sign of a zero.
      "xor.b32 d, {x}, {y}; copysign.f32 q, d, q; "
      "END_${:uid}: mov.f32 {q}, q; }";
  for (auto [name, reg] : {std::pair("{q}", q), {"{x}", x}, {"{y}", y}})
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, 3, reg);
  return ptx.emit(text, /*sideEffects=*/false)[0];
}

/// Emits a / b by an LLVM intrinsic, which LLVM can move and select like any
/// instruction, unlike inline PTX.
static Value emitInstruction(ImplicitLocOpBuilder &b, StringRef intrinsic,
                             Value lhs, Value rhs) {
  return LLVM::CallIntrinsicOp::create(
             b, lhs.getType(), b.getStringAttr(intrinsic), ValueRange{lhs, rhs})
      .getResult(0);
}

namespace {
struct DivisionLowering : ConvertOpToLLVMPattern<arith::DivFOp> {
  DivisionLowering(const LLVMTypeConverter &converter, bool withoutCalls)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/4),
        withoutCalls(withoutCalls) {}

  LogicalResult
  matchAndRewrite(arith::DivFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto has = [&](arith::FastMathFlags flag) {
      return bitEnumContainsAll(op.getFastmath(), flag);
    };
    bool fast = has(arith::FastMathFlags::arcp);
    if (!op.getType().isF32() || !(fast || withoutCalls))
      return rewriter.notifyMatchFailure(op, "LLVM's division will do");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value lhs = adaptor.getLhs(), rhs = adaptor.getRhs();
    StringRef intrinsic = has(arith::FastMathFlags::afn)
                              ? "llvm.nvvm.div.approx.ftz.f"
                              : "llvm.nvvm.div.full";
    rewriter.replaceOp(op, fast ? emitInstruction(b, intrinsic, lhs, rhs)
                                : emitRoundedDivision(b, lhs, rhs));
    return success();
  }

  bool withoutCalls;
};
} // namespace

void tilewright::populateDivisionToLLVM(const LLVMTypeConverter &converter,
                                        bool withoutCalls,
                                        RewritePatternSet &patterns) {
  patterns.add<DivisionLowering>(converter, withoutCalls);
}
