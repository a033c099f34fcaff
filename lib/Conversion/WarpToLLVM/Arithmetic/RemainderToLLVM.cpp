// Exact remainders of f32.
//
// For quotients below 2^21, n is the integer nearest to the quotient that a
// reciprocal gives. Then x - n y is exact, as it is no larger than y; if it is
// negative, y is added.
//
// Other operands, including subnormal ones, use a loop on their mantissas: 2^20
// times a remainder is again such a dividend. The branch needs a function of
// its own, which LLVM inlines at its calls.

#include "lib/Conversion/WarpToLLVM/Arithmetic/FloatEmission.h"
#include "lib/Conversion/WarpToLLVM/Arithmetic/MathApproximation.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

using namespace mlir;
using namespace tilewright;

static constexpr StringRef kName = "tilewright_fmod";
static constexpr int kBitsOfStep = 20;

static Value emitReciprocal(ImplicitLocOpBuilder &b, Value x) {
  return emitUnaryPtx(b, "rcp.approx.ftz.f32", x);
}

/// Returns a modulo d. `quotient` is a / d below 2^21, with an error of a few
/// ULP.
static Value emitShortRemainder(ImplicitLocOpBuilder &b, Value a, Value d,
                                Value quotient) {
  Value shifted = LLVM::FAddOp::create(b, quotient, emitF32(b, kNearest));
  Value minusN = LLVM::FSubOp::create(b, emitF32(b, kNearest), shifted);
  Value rest = emitFma(b, minusN, d, a);
  return emitSelect(b, LLVM::FCmpPredicate::olt, rest, emitF32(b, 0.0f),
                    LLVM::FAddOp::create(b, rest, d), rest);
}

namespace {
/// The number 2^(exponent - 127) * mantissa, with the mantissa in [1, 2).
struct Parts {
  Value exponent, mantissa;
};
} // namespace

/// Splits a positive finite number.
static Parts emitParts(ImplicitLocOpBuilder &b, Value x) {
  Value least = emitF32(b, std::numeric_limits<float>::min());
  Value scaled = LLVM::FMulOp::create(b, x, emitF32(b, 0x1p24f));
  Value isSubnormal =
      LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::olt, x, least);
  Value normal = LLVM::SelectOp::create(b, isSubnormal, scaled, x);
  Value bits = LLVM::BitcastOp::create(b, b.getI32Type(), normal);
  Value correction =
      LLVM::SelectOp::create(b, isSubnormal, emitI32(b, -24), emitI32(b, 0));
  Value exponent = LLVM::AddOp::create(
      b, LLVM::LShrOp::create(b, bits, emitI32(b, 23)), correction);
  Value mantissa =
      LLVM::OrOp::create(b, LLVM::AndOp::create(b, bits, emitI32(b, 0x7fffff)),
                         emitI32(b, 0x3f800000));
  return {exponent, LLVM::BitcastOp::create(b, b.getF32Type(), mantissa)};
}

/// Returns 2^exponent, a normal number.
static Value emitTwoTo(ImplicitLocOpBuilder &b, Value exponent) {
  Value biased = LLVM::AddOp::create(b, exponent, emitI32(b, 127));
  return LLVM::BitcastOp::create(
      b, b.getF32Type(), LLVM::ShlOp::create(b, biased, emitI32(b, 23)));
}

/// Returns the C result if an operand is zero or not finite, or the dividend is
/// smaller than the divisor, else `result`.
static Value emitRemainderSpecials(ImplicitLocOpBuilder &b, Value a, Value d,
                                   Value result) {
  using LLVM::FCmpPredicate;
  Value top = emitF32(b, std::numeric_limits<float>::infinity());
  Value nan = emitF32(b, std::numeric_limits<float>::quiet_NaN());
  result = emitSelect(b, FCmpPredicate::olt, a, d, a, result);
  result = emitSelect(b, FCmpPredicate::olt, a, top, result, nan);
  return emitSelect(b, FCmpPredicate::ogt, d, emitF32(b, 0.0f), result, nan);
}

/// Emits a modulo d for all non-negative numbers, at the end of the function.
static void emitLongRemainder(ImplicitLocOpBuilder &b,
                              LLVM::LLVMFuncOp function, Value x, Value a,
                              Value d) {
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  auto [exponentOfA, mantissaOfA] = emitParts(b, a);
  auto [exponent, mantissa] = emitParts(b, d);
  Value reciprocal = emitReciprocal(b, mantissa);
  Value steps = LLVM::SubOp::create(b, exponentOfA, exponent);
  Value less = LLVM::FSubOp::create(b, mantissaOfA, mantissa);
  Value first = emitSelect(b, LLVM::FCmpPredicate::olt, mantissaOfA, mantissa,
                           mantissaOfA, less);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> locations(2, b.getLoc());
  auto addBlock = [&] {
    return b.createBlock(&function.getBody(), function.end(), {i32, f32},
                         locations);
  };
  Block *entry = b.getInsertionBlock();
  Block *head = addBlock(), *body = addBlock(), *end = addBlock();
  b.setInsertionPointToEnd(entry);
  LLVM::BrOp::create(b, ValueRange{steps, first}, head);

  b.setInsertionPointToStart(head);
  ValueRange left = head->getArguments();
  Value isMore =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::sgt, left[0], emitI32(b, 0));
  LLVM::CondBrOp::create(b, isMore, body, left, end, left);

  b.setInsertionPointToStart(body);
  Value step =
      LLVM::SMinOp::create(b, body->getArgument(0), emitI32(b, kBitsOfStep));
  Value dividend =
      LLVM::FMulOp::create(b, body->getArgument(1), emitTwoTo(b, step));
  Value rest = emitShortRemainder(
      b, dividend, mantissa, LLVM::FMulOp::create(b, dividend, reciprocal));
  Value fewer = LLVM::SubOp::create(b, body->getArgument(0), step);
  LLVM::BrOp::create(b, ValueRange{fewer, rest}, head);

  // Two factors, since a single one may not be a normal number.
  b.setInsertionPointToStart(end);
  Value power = LLVM::SubOp::create(b, exponent, emitI32(b, 127));
  Value half = LLVM::AShrOp::create(b, power, emitI32(b, 1));
  Value result =
      LLVM::FMulOp::create(b, end->getArgument(1), emitTwoTo(b, half));
  result = LLVM::FMulOp::create(
      b, result, emitTwoTo(b, LLVM::SubOp::create(b, power, half)));
  result = emitRemainderSpecials(b, a, d, result);
  LLVM::ReturnOp::create(b, LLVM::CopySignOp::create(b, result, x));
}

static LLVM::LLVMFuncOp defineRemainder(OpBuilder &builder, ModuleOp module) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  ImplicitLocOpBuilder b(module.getLoc(), builder);
  Type f32 = b.getF32Type();
  auto function = LLVM::LLVMFuncOp::create(
      b, kName, LLVM::LLVMFunctionType::get(f32, {f32, f32}),
      LLVM::Linkage::Internal);
  function.setAlwaysInline(true);
  Block *entry = function.addEntryBlock(b);
  Block *isShort = b.createBlock(&function.getBody(), function.end());
  Block *isLong = b.createBlock(&function.getBody(), function.end());

  b.setInsertionPointToStart(entry);
  Value x = entry->getArgument(0);
  Value a = LLVM::FAbsOp::create(b, x);
  Value d = LLVM::FAbsOp::create(b, entry->getArgument(1));
  Value quotient = LLVM::FMulOp::create(b, a, emitReciprocal(b, d));
  // Holds if the reciprocal and all multiples of the divisor are normal
  // numbers.
  auto test = [&](LLVM::FCmpPredicate predicate, Value value, float limit) {
    return LLVM::FCmpOp::create(b, predicate, value, emitF32(b, limit));
  };
  Value isMiddling =
      LLVM::AndOp::create(b, test(LLVM::FCmpPredicate::ogt, d, 0x1p-100f),
                          test(LLVM::FCmpPredicate::olt, d, 0x1p100f));
  Value isFew = test(LLVM::FCmpPredicate::olt, quotient, 0x1p21f);
  LLVM::CondBrOp::create(b, LLVM::AndOp::create(b, isMiddling, isFew), isShort,
                         isLong);

  b.setInsertionPointToStart(isShort);
  LLVM::ReturnOp::create(
      b, LLVM::CopySignOp::create(b, emitShortRemainder(b, a, d, quotient), x));
  b.setInsertionPointToStart(isLong);
  emitLongRemainder(b, function, x, a, d);
  return function;
}

namespace {
struct RemainderLowering : ConvertOpToLLVMPattern<arith::RemFOp> {
  RemainderLowering(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/4) {}

  LogicalResult
  matchAndRewrite(arith::RemFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not an f32");
    auto module = op->getParentOfType<ModuleOp>();
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(kName);
    if (!function)
      function = defineRemainder(rewriter, module);
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, function,
                                              adaptor.getOperands());
    return success();
  }
};
} // namespace

void tilewright::populateRemainderToLLVM(const LLVMTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<RemainderLowering>(converter);
}
