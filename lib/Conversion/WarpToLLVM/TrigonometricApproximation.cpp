#include "lib/Conversion/WarpToLLVM/MathApproximation.h"

#include "lib/Conversion/WarpToLLVM/FloatEmission.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"

using namespace mlir;
using namespace tilewright;

Value tilewright::emitSine(ImplicitLocOpBuilder &b, Value x, int quarterTurns) {
  static constexpr float sine[] = {-0.1666666716337204f, 0.008333331905305386f,
                                   -0.00019840081222355366f,
                                   2.7249222966929665e-06f};
  static constexpr float cosine[] = {0.0416666679084301f, -0.00138888880610466f,
                                     2.480059629306197e-05f,
                                     -2.730036214870779e-07f};
  // Pi / 2 in three parts: what the first leaves is exact.
  static constexpr float quarter[] = {
      1.5707963705062866f, -4.371138828673793e-08f, -1.7151245100058819e-15f};
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value shift = emitF32(b, kNearest);
  Value shifted = emitFma(b, x, emitF32(b, 0.6366197466850281f), shift);
  Value minusTurns = LLVM::FSubOp::create(b, shift, shifted);
  Value r = x;
  for (float part : quarter)
    r = emitFma(b, minusTurns, emitF32(b, part), r);
  Value square = LLVM::FMulOp::create(b, r, r);
  Value sineOfR = emitFma(b, LLVM::FMulOp::create(b, r, square),
                          emitPolynomial(b, square, sine), r);
  Value cosineOfR =
      emitFma(b, LLVM::FMulOp::create(b, square, square),
              emitPolynomial(b, square, cosine),
              emitFma(b, square, emitF32(b, -0.5f), emitF32(b, 1.0f)));
  Value turns = LLVM::AddOp::create(b, LLVM::BitcastOp::create(b, i32, shifted),
                                    emitI32(b, quarterTurns));
  Value zero = emitI32(b, 0);
  Value isOdd =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne,
                           LLVM::AndOp::create(b, turns, emitI32(b, 1)), zero);
  Value result = LLVM::SelectOp::create(b, isOdd, cosineOfR, sineOfR);
  Value sign = LLVM::ShlOp::create(
      b, LLVM::AndOp::create(b, turns, emitI32(b, 2)), emitI32(b, 30));
  result = LLVM::BitcastOp::create(
      b, f32,
      LLVM::XOrOp::create(b, LLVM::BitcastOp::create(b, i32, result), sign));
  if (quarterTurns % 2 != 0)
    return result;
  // The sine of -0 is -0.
  return emitSelect(b, LLVM::FCmpPredicate::oeq, x, emitF32(b, 0.0f), x,
                    result);
}
