#include "lib/Conversion/WarpToLLVM/Arithmetic/FloatEmission.h"

#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;
using namespace tilewright;

Value tilewright::emitF32(ImplicitLocOpBuilder &b, float value) {
  return LLVM::ConstantOp::create(b, b.getF32Type(), b.getF32FloatAttr(value));
}

Value tilewright::emitFma(ImplicitLocOpBuilder &b, Value x, Value y, Value z) {
  return LLVM::FMAOp::create(b, x, y, z);
}

Value tilewright::emitSelect(ImplicitLocOpBuilder &b,
                             LLVM::FCmpPredicate predicate, Value lhs,
                             Value rhs, Value yes, Value no) {
  Value condition = LLVM::FCmpOp::create(b, predicate, lhs, rhs);
  return LLVM::SelectOp::create(b, condition, yes, no);
}

Value tilewright::emitPolynomial(ImplicitLocOpBuilder &b, Value x,
                                 ArrayRef<float> coefficients) {
  Value result = emitF32(b, coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    result = emitFma(b, result, x, emitF32(b, coefficient));
  return result;
}

Pair tilewright::emitExactMul(ImplicitLocOpBuilder &b, Value x, Value y) {
  Value high = LLVM::FMulOp::create(b, x, y);
  return {high, emitFma(b, x, y, LLVM::FNegOp::create(b, high))};
}

Nearest tilewright::emitNearest(ImplicitLocOpBuilder &b, Value shifted) {
  return {LLVM::FSubOp::create(b, shifted, emitF32(b, kNearest)),
          LLVM::BitcastOp::create(b, b.getI32Type(), shifted)};
}

std::pair<Value, Value> tilewright::emitSplit(ImplicitLocOpBuilder &b, Value x,
                                              int32_t leastBits) {
  constexpr int32_t exponentBits = -0x800000;
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  // Subnormal numbers are scaled up first.
  Value least = emitF32(b, std::numeric_limits<float>::min());
  Value scaled = LLVM::FMulOp::create(b, x, emitF32(b, 8388608.0f));
  Value normal = emitSelect(b, LLVM::FCmpPredicate::olt, x, least, scaled, x);
  Value bits = LLVM::BitcastOp::create(b, i32, normal);
  Value power = LLVM::AndOp::create(
      b, LLVM::SubOp::create(b, bits, emitI32(b, leastBits)),
      emitI32(b, exponentBits));
  Value mantissa =
      LLVM::BitcastOp::create(b, f32, LLVM::SubOp::create(b, bits, power));
  // The exponent is in the lowest bits of a float offset by `kNearest`.
  Value shifted =
      LLVM::AddOp::create(b, LLVM::AShrOp::create(b, power, emitI32(b, 23)),
                          emitI32(b, kNearestBits));
  Value correction =
      emitSelect(b, LLVM::FCmpPredicate::olt, x, least,
                 emitF32(b, -23.0f - kNearest), emitF32(b, -kNearest));
  Value exponent = LLVM::FAddOp::create(
      b, LLVM::BitcastOp::create(b, f32, shifted), correction);
  return {exponent, LLVM::FSubOp::create(b, mantissa, emitF32(b, 1.0f))};
}
