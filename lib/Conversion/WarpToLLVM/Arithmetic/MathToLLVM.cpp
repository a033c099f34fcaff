// Functions of `math` on scalars. Largest errors of f32 in units in the last
// place (ULP), see benchmarks/notes/math-accuracy.md:
//
//     sqrt                          0.5   sqrt.rn
//     exp, exp2, rsqrt              2.1   ex2.approx, rsqrt.approx
//     erf, tanh, log, log1p, log2,  2.4   polynomials, see MathApproximation;
//     log10, expm1, cbrt, asinh,          integer powers up to 4 are multiplied
//     acosh, atanh, pow, asin, acos,
//     atan, atan2, sinh, cosh
//     sin, cos                      1.6   polynomials up to 1e5, above that the
//     tan                           2.9   math library (see MathLibrary)
//     erfc                          4     the library
//
// f16 and bf16 are computed in f32 and rounded once more. f64 uses the library
// (1.5 ULP; 3 for erf, 40 for erfc), sqrt.rn, and for rsqrt a division by it.
// RemainderToLLVM.cpp lowers remainders.
//
// With the fast-math flag `afn`, exp is one multiplication and ex2.approx.
// exp2, sin, cos, log2, sqrt and tanh of f32 are one instruction each.
// Subnormal results of exp and exp2 are then flushed to zero, which saves three
// instructions of scaling.

#include "lib/Conversion/WarpToLLVM/Arithmetic/MathApproximation.h"
#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/FloatingPointMode.h"

using namespace mlir;
using namespace tilewright;

// Above the upstream patterns, whose results no code generator selects.
static constexpr unsigned kBenefit = 4;

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

/// e^x = 2^floor(y) * 2^(y - floor(y)), y = x * log2(e).
///
/// u = saturate(y / 252 + 1/2) clamps y to [-126, 126], the exponents of normal
/// numbers. Adding 252 u, rounded down, to 3 * 2^22 + 1 leaves floor(y) + 127
/// in the lowest bits. That is the biased exponent of 2^floor(y). The fraction
/// uses log2(e) in two parts, since its rounding error is that of the result.
/// If y was clamped, the fraction takes up the rest.
static Value emitExp(ImplicitLocOpBuilder &b, Value x) {
  InlinePtx ptx(b);
  std::string result = ptx.out(x.getType()), input = ptx.in(x);
  std::string text = "{ .reg .b32 u, k, n, f, s; "
                     "fma.rn.sat.f32 u, " +
                     input +
                     ", 0f3BBB989D, 0f3F000000; "
                     "fma.rm.f32 k, u, 0f437C0000, 0f4B400001; "
                     "sub.rn.f32 n, 0f4B40007F, k; "
                     "fma.rn.f32 f, " +
                     input +
                     ", 0f3FB8AA3B, n; "
                     "fma.rn.f32 f, " +
                     input +
                     ", 0f32A57060, f; "
                     "ex2.approx.ftz.f32 f, f; "
                     "shl.b32 s, k, 23; "
                     "mul.rn.f32 " +
                     result + ", f, s; }";
  return ptx.emit(text, /*sideEffects=*/false)[0];
}

static Value emitExp2(ImplicitLocOpBuilder &b, Value x) {
  return emitUnaryPtx(b, "ex2.approx.f32", x);
}

static Value emitSin(ImplicitLocOpBuilder &b, Value x) {
  return emitSine(b, x, 0);
}

static Value emitCos(ImplicitLocOpBuilder &b, Value x) {
  return emitSine(b, x, 1);
}

static Value emitFastExp(ImplicitLocOpBuilder &b, Value x) {
  Value log2e = LLVM::ConstantOp::create(
      b, x.getType(), b.getF32FloatAttr(1.44269504088896340736f));
  return emitUnaryPtx(b, "ex2.approx.ftz.f32",
                      LLVM::FMulOp::create(b, x, log2e));
}

namespace {

/// Computes f16 and bf16 in f32.
template <typename Op> struct WidenLowering : OpRewritePattern<Op> {
  WidenLowering(MLIRContext *context)
      : OpRewritePattern<Op>(context, kBenefit) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op->getResult(0).getType();
    if (!isHalf(type))
      return rewriter.notifyMatchFailure(op, "not a 16-bit float");
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(
          operand.getType() == type
              ? rewriter.createOrFold<arith::ExtFOp>(loc, f32, operand)
              : operand);
    OperationState state(loc, op->getName(), operands, f32);
    state.propertiesAttr = op->getPropertiesAsAttribute();
    Value wide = rewriter.create(state)->getResult(0);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, wide);
    return success();
  }
};

struct ExpLowering : ConvertOpToLLVMPattern<math::ExpOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(math::ExpOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not an f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    bool fast = bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    Value x = adaptor.getOperand();
    rewriter.replaceOp(op, fast ? emitFastExp(b, x) : emitExp(b, x));
    return success();
  }
};

/// Approximate functions (`afn`) that other patterns create;
/// `convertPlainArithmetic` lowers the rest.
template <typename Op> struct FastLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  using OpAdaptor = typename ConvertOpToLLVMPattern<Op>::OpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    StringRef instruction = getFastInstruction(op);
    if (instruction.empty())
      return rewriter.notifyMatchFailure(op, "not an f32 to be approximated");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitUnaryPtx(b, instruction, adaptor.getOperand()));
    return success();
  }
};

/// Functions of f32 that are expanded inline.
template <typename Op, Value (*emit)(ImplicitLocOpBuilder &, Value)>
struct InlineLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  using OpAdaptor = typename ConvertOpToLLVMPattern<Op>::OpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not an f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emit(b, adaptor.getOperand()));
    return success();
  }
};

struct Atan2Lowering : ConvertOpToLLVMPattern<math::Atan2Op> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(math::Atan2Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not an f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitAtan2(b, adaptor.getLhs(), adaptor.getRhs()));
    return success();
  }
};

/// Small constant exponents become one or two multiplications, which are as
/// accurate.
struct PowLowering : ConvertOpToLLVMPattern<math::PowFOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(math::PowFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not an f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value x = adaptor.getLhs();
    const int factors = getFactors(op.getRhs());
    if (factors == 0) {
      rewriter.replaceOp(op, emitPow(b, x, adaptor.getRhs()));
      return success();
    }
    Value power = x;
    if (factors >= 2)
      power = LLVM::FMulOp::create(b, x, x);
    if (factors == 3)
      power = LLVM::FMulOp::create(b, power, x);
    if (factors == 4)
      power = LLVM::FMulOp::create(b, power, power);
    rewriter.replaceOp(op, power);
    return success();
  }

private:
  /// Returns the exponent if it is a constant integer from 1 to 4, else 0.
  static int getFactors(Value exponent) {
    llvm::APFloat value(0.0f);
    if (!matchPattern(exponent, m_ConstantFloat(&value)))
      return 0;
    for (int factors : {1, 2, 3, 4})
      if (value.isExactlyValue(factors))
        return factors;
    return 0;
  }
};

struct RsqrtLowering : ConvertOpToLLVMPattern<math::RsqrtOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(math::RsqrtOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = op.getType();
    Value x = adaptor.getOperand();
    if (type.isF32()) {
      rewriter.replaceOp(op, emitUnaryPtx(b, "rsqrt.approx.f32", x));
      return success();
    }
    if (!type.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    Value one = LLVM::ConstantOp::create(b, type, b.getF64FloatAttr(1.0));
    rewriter.replaceOpWithNewOp<LLVM::FDivOp>(op, one,
                                              LLVM::SqrtOp::create(b, x));
    return success();
  }
};

/// Tests of the class of a number, by LLVM's bit set of classes.
template <typename Op, unsigned classes>
struct ClassLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  using OpAdaptor = typename ConvertOpToLLVMPattern<Op>::OpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::IsFPClass>(op, op.getType(),
                                                 adaptor.getOperand(), classes);
    return success();
  }
};

} // namespace

/// Declares a function of the math library, by its mangled OpenCL name. All
/// arguments have the result's type.
static FailureOr<LLVM::LLVMFuncOp> findInLibrary(OpBuilder &b, ModuleOp module,
                                                 StringRef name,
                                                 unsigned arguments,
                                                 Type type) {
  std::string symbol = ("_Z" + Twine(name.size()) + name +
                        std::string(arguments, type.isF32() ? 'f' : 'd'))
                           .str();
  return LLVM::lookupOrCreateFn(b, module, symbol,
                                SmallVector<Type>(arguments, type), type);
}

namespace {

template <typename Op> class CallLowering : public ConvertOpToLLVMPattern<Op> {
public:
  using OpAdaptor = typename ConvertOpToLLVMPattern<Op>::OpAdaptor;

  CallLowering(const LLVMTypeConverter &converter, StringRef name)
      : ConvertOpToLLVMPattern<Op>(converter, kBenefit - 1), name(name) {}

  LogicalResult
  matchAndRewrite(Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!type.isF32() && !type.isF64())
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    ValueRange operands = adaptor.getOperands();
    FailureOr<LLVM::LLVMFuncOp> callee =
        findInLibrary(rewriter, op->template getParentOfType<ModuleOp>(), name,
                      operands.size(), type);
    if (failed(callee))
      return rewriter.notifyMatchFailure(op, "no declaration");
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, *callee, operands);
    return success();
  }

private:
  StringRef name;
};

/// Trigonometric functions of f32. Only large angles call the library. The
/// branch needs a function of its own, which LLVM inlines at its calls.
template <typename Op> class AngleLowering : public ConvertOpToLLVMPattern<Op> {
public:
  using OpAdaptor = typename ConvertOpToLLVMPattern<Op>::OpAdaptor;
  using Emit = Value (*)(ImplicitLocOpBuilder &, Value);

  AngleLowering(const LLVMTypeConverter &converter, StringRef name, Emit emit)
      : ConvertOpToLLVMPattern<Op>(converter, kBenefit), name(name),
        emit(emit) {}

  LogicalResult
  matchAndRewrite(Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "not an f32");
    auto module = op->template getParentOfType<ModuleOp>();
    const std::string symbol = ("tilewright_" + name).str();
    auto function = module.template lookupSymbol<LLVM::LLVMFuncOp>(symbol);
    if (!function) {
      FailureOr<LLVM::LLVMFuncOp> library =
          findInLibrary(rewriter, module, name, 1, op.getType());
      if (failed(library))
        return rewriter.notifyMatchFailure(op, "no declaration");
      function = define(rewriter, module, symbol, *library);
    }
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, function,
                                              adaptor.getOperands());
    return success();
  }

private:
  LLVM::LLVMFuncOp define(OpBuilder &builder, ModuleOp module, StringRef symbol,
                          LLVM::LLVMFuncOp library) const {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    ImplicitLocOpBuilder b(module.getLoc(), builder);
    auto function = LLVM::LLVMFuncOp::create(
        b, symbol, library.getFunctionType(), LLVM::Linkage::Internal);
    function.setAlwaysInline(true);
    Block *entry = function.addEntryBlock(b);
    Block *smallAngle = b.createBlock(&function.getBody(), function.end());
    Block *largeAngle = b.createBlock(&function.getBody(), function.end());
    Value x = entry->getArgument(0);
    b.setInsertionPointToStart(entry);
    Value most =
        LLVM::ConstantOp::create(b, x.getType(), b.getF32FloatAttr(kMaxAngle));
    Value size = LLVM::FAbsOp::create(b, x);
    Value isSmall =
        LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::ole, size, most);
    LLVM::CondBrOp::create(b, isSmall, smallAngle, largeAngle);
    b.setInsertionPointToStart(smallAngle);
    LLVM::ReturnOp::create(b, emit(b, x));
    b.setInsertionPointToStart(largeAngle);
    LLVM::ReturnOp::create(b, LLVM::CallOp::create(b, library, x).getResult());
    return function;
  }

  StringRef name;
  Emit emit;
};

} // namespace

template <typename... Ops>
static void addWidening(RewritePatternSet &patterns) {
  patterns.add<WidenLowering<Ops>...>(patterns.getContext());
}

template <typename Op>
static void addCall(const LLVMTypeConverter &converter, StringRef name,
                    RewritePatternSet &patterns) {
  patterns.add<CallLowering<Op>>(converter, name);
}

static void addCalls(const LLVMTypeConverter &converter,
                     RewritePatternSet &patterns) {
  addCall<arith::RemFOp>(converter, "fmod", patterns); // Of f64.
  addCall<math::AcosOp>(converter, "acos", patterns);
  addCall<math::AcoshOp>(converter, "acosh", patterns);
  addCall<math::AsinOp>(converter, "asin", patterns);
  addCall<math::AsinhOp>(converter, "asinh", patterns);
  addCall<math::AtanOp>(converter, "atan", patterns);
  addCall<math::Atan2Op>(converter, "atan2", patterns);
  addCall<math::AtanhOp>(converter, "atanh", patterns);
  addCall<math::CbrtOp>(converter, "cbrt", patterns);
  addCall<math::CosOp>(converter, "cos", patterns); // Of f64.
  addCall<math::CoshOp>(converter, "cosh", patterns);
  addCall<math::ErfOp>(converter, "erf", patterns);
  addCall<math::ErfcOp>(converter, "erfc", patterns);
  addCall<math::ExpOp>(converter, "exp", patterns);
  addCall<math::Exp2Op>(converter, "exp2", patterns);
  addCall<math::ExpM1Op>(converter, "expm1", patterns);
  addCall<math::LogOp>(converter, "log", patterns);
  addCall<math::Log10Op>(converter, "log10", patterns);
  addCall<math::Log1pOp>(converter, "log1p", patterns);
  addCall<math::Log2Op>(converter, "log2", patterns);
  addCall<math::PowFOp>(converter, "pow", patterns);
  addCall<math::SinOp>(converter, "sin", patterns); // Of f64.
  addCall<math::SinhOp>(converter, "sinh", patterns);
  addCall<math::TanOp>(converter, "tan", patterns); // Of f64.
  addCall<math::TanhOp>(converter, "tanh", patterns);
}

void tilewright::populateMathToLLVM(const LLVMTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<Atan2Lowering, ExpLowering, PowLowering, RsqrtLowering,
               InlineLowering<math::Exp2Op, emitExp2>,
               InlineLowering<math::ErfOp, emitErf>,
               InlineLowering<math::TanhOp, emitTanh>,
               InlineLowering<math::LogOp, emitLog>,
               InlineLowering<math::Log1pOp, emitLog1p>,
               InlineLowering<math::Log2Op, emitLog2>,
               InlineLowering<math::Log10Op, emitLog10>,
               InlineLowering<math::AsinhOp, emitAsinh>,
               InlineLowering<math::AcoshOp, emitAcosh>,
               InlineLowering<math::CbrtOp, emitCbrt>,
               InlineLowering<math::ExpM1Op, emitExpM1>,
               InlineLowering<math::SinhOp, emitSinh>,
               InlineLowering<math::CoshOp, emitCosh>,
               InlineLowering<math::AsinOp, emitAsin>,
               InlineLowering<math::AcosOp, emitAcos>,
               InlineLowering<math::AtanOp, emitAtan>,
               InlineLowering<math::AtanhOp, emitAtanh>>(converter, kBenefit);
  patterns.add<ClassLowering<math::IsInfOp, llvm::fcInf>,
               ClassLowering<math::IsNormalOp, llvm::fcNormal>>(converter);
  patterns.add<FastLowering<math::SinOp>, FastLowering<math::CosOp>,
               FastLowering<math::Exp2Op>, FastLowering<math::Log2Op>,
               FastLowering<math::SqrtOp>, FastLowering<math::TanhOp>>(
      converter, kBenefit + 1);
  patterns.add<AngleLowering<math::SinOp>>(converter, "sin", emitSin);
  patterns.add<AngleLowering<math::CosOp>>(converter, "cos", emitCos);
  patterns.add<AngleLowering<math::TanOp>>(converter, "tan", emitTan);
  addCalls(converter, patterns);
  addWidening<arith::RemFOp, math::AcosOp, math::AcoshOp, math::AsinOp,
              math::AsinhOp, math::AtanOp, math::Atan2Op, math::AtanhOp,
              math::CbrtOp, math::CeilOp, math::CosOp, math::CoshOp,
              math::ErfOp, math::ErfcOp, math::ExpOp, math::Exp2Op,
              math::ExpM1Op, math::FloorOp, math::LogOp, math::Log10Op,
              math::Log1pOp, math::Log2Op, math::PowFOp, math::RoundOp,
              math::RoundEvenOp, math::RsqrtOp, math::SinOp, math::SinhOp,
              math::SqrtOp, math::TanOp, math::TanhOp, math::TruncOp>(patterns);
}
