#include "lib/Conversion/WarpToLLVM/Arithmetic/MathApproximation.h"

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

/// Returns LLVM's intrinsic for an instruction, or an empty string.
static StringRef getIntrinsic(StringRef instruction) {
  return llvm::StringSwitch<StringRef>(instruction)
      .Case("ex2.approx.f32", "llvm.nvvm.ex2.approx.f32")
      .Case("ex2.approx.ftz.f32", "llvm.nvvm.ex2.approx.ftz.f32")
      .Case("lg2.approx.f32", "llvm.nvvm.lg2.approx.f")
      .Case("rcp.approx.ftz.f32", "llvm.nvvm.rcp.approx.ftz.f")
      .Case("rsqrt.approx.f32", "llvm.nvvm.rsqrt.approx.f")
      .Case("sin.approx.f32", "llvm.nvvm.sin.approx.f")
      .Case("cos.approx.f32", "llvm.nvvm.cos.approx.f")
      .Default("");
}

Value tilewright::emitUnaryPtx(ImplicitLocOpBuilder &b, StringRef instruction,
                               Value x) {
  // Intrinsics are much cheaper to select than inline PTX
  // (benchmarks/notes/compile-time.md).
  if (StringRef intrinsic = getIntrinsic(instruction); !intrinsic.empty())
    return LLVM::CallIntrinsicOp::create(
               b, x.getType(), b.getStringAttr(intrinsic), ValueRange(x))
        .getResult(0);
  InlinePtx ptx(b);
  std::string result = ptx.out(x.getType());
  std::string text =
      (instruction + " " + result + ", " + ptx.in(x) + ";").str();
  return ptx.emit(text, /*sideEffects=*/false)[0];
}

StringRef tilewright::getFastInstruction(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!flags || !op->getResult(0).getType().isF32() ||
      !bitEnumContainsAll(flags.getFastMathFlagsAttr().getValue(),
                          arith::FastMathFlags::afn))
    return "";
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::Exp2Op) { return "ex2.approx.ftz.f32"; })
      .Case([](math::Log2Op) { return "lg2.approx.f32"; })
      .Case([](math::SinOp) { return "sin.approx.f32"; })
      .Case([](math::CosOp) { return "cos.approx.f32"; })
      .Case([](math::SqrtOp) { return "sqrt.approx.f32"; })
      .Case([](math::TanhOp) { return "tanh.approx.f32"; })
      .Default([](Operation *) { return ""; });
}
