#include "lib/Conversion/WarpToLLVM/Arithmetic/PlainArithmetic.h"

#include "lib/Conversion/WarpToLLVM/Arithmetic/MathApproximation.h"

#include "mlir/Conversion/ArithCommon/AttrToLLVMConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

static bool isPlain(Type type) {
  return type.isSignlessInteger() || type.isF16() || type.isBF16() ||
         type.isF32() || type.isF64();
}

/// Creates the LLVM op with the operands of `op` and `attributes`.
template <typename Target>
static Operation *create(OpBuilder &b, Operation *op,
                         ArrayRef<NamedAttribute> attributes = {}) {
  return Target::create(b, op->getLoc(), op->getResultTypes(),
                        op->getOperands(), attributes);
}

template <typename Target, typename Source>
static Operation *createFast(OpBuilder &b, Source op) {
  Operation *created = create<Target>(b, op);
  cast<Target>(created).setFastmathFlags(
      arith::convertArithFastMathFlagsToLLVM(op.getFastmath()));
  created->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return created;
}

template <typename Target, typename Source>
static Operation *createOverflowing(OpBuilder &b, Source op) {
  arith::AttrConvertOverflowToLLVM<Source, Target> attributes(op);
  return create<Target>(b, op, attributes.getAttrs());
}

static Operation *createCompare(OpBuilder &b, arith::CmpIOp op) {
  auto predicate = static_cast<LLVM::ICmpPredicate>(op.getPredicate());
  return LLVM::ICmpOp::create(b, op.getLoc(), predicate, op.getLhs(),
                              op.getRhs());
}

/// Returns the LLVM op, or null if no single op matches.
static Operation *createFloat(OpBuilder &b, Operation *op) {
  return llvm::TypeSwitch<Operation *, Operation *>(op)
      .Case([&](arith::AddFOp op) { return createFast<LLVM::FAddOp>(b, op); })
      .Case([&](arith::SubFOp op) { return createFast<LLVM::FSubOp>(b, op); })
      .Case([&](arith::MulFOp op) { return createFast<LLVM::FMulOp>(b, op); })
      .Case([&](arith::NegFOp op) { return createFast<LLVM::FNegOp>(b, op); })
      .Case([&](arith::MaxNumFOp op) {
        return createFast<LLVM::MaxNumOp>(b, op);
      })
      .Case([&](arith::MinNumFOp op) {
        return createFast<LLVM::MinNumOp>(b, op);
      })
      .Case([&](arith::MaximumFOp op) {
        return createFast<LLVM::MaximumOp>(b, op);
      })
      .Case([&](arith::MinimumFOp op) {
        return createFast<LLVM::MinimumOp>(b, op);
      })
      .Case([&](arith::ExtFOp) { return create<LLVM::FPExtOp>(b, op); })
      .Case([&](arith::TruncFOp op) {
        return op.getRoundingmode() ? nullptr : create<LLVM::FPTruncOp>(b, op);
      })
      .Default([](Operation *) { return nullptr; });
}

/// As `createFloat`.
static Operation *createInteger(OpBuilder &b, Operation *op) {
  return llvm::TypeSwitch<Operation *, Operation *>(op)
      .Case([&](arith::AddIOp op) {
        return createOverflowing<LLVM::AddOp>(b, op);
      })
      .Case([&](arith::SubIOp op) {
        return createOverflowing<LLVM::SubOp>(b, op);
      })
      .Case([&](arith::MulIOp op) {
        return createOverflowing<LLVM::MulOp>(b, op);
      })
      .Case([&](arith::AndIOp) { return create<LLVM::AndOp>(b, op); })
      .Case([&](arith::OrIOp) { return create<LLVM::OrOp>(b, op); })
      .Case([&](arith::XOrIOp) { return create<LLVM::XOrOp>(b, op); })
      .Case([&](arith::ExtSIOp) { return create<LLVM::SExtOp>(b, op); })
      .Case([&](arith::CmpIOp op) { return createCompare(b, op); })
      .Case([&](arith::SelectOp) { return create<LLVM::SelectOp>(b, op); })
      .Case([&](arith::ConstantOp op) -> Operation * {
        return LLVM::ConstantOp::create(b, op.getLoc(), op.getType(),
                                        op.getValue());
      })
      .Default([](Operation *) { return nullptr; });
}

/// As `createFloat`.
static Operation *createApproximation(OpBuilder &b, Operation *op) {
  StringRef instruction = getFastInstruction(op);
  if (instruction.empty())
    return nullptr;
  ImplicitLocOpBuilder here(op->getLoc(), b);
  return emitUnaryPtx(here, instruction, op->getOperand(0)).getDefiningOp();
}

/// As `createFloat`.
static Operation *createPlain(OpBuilder &b, Operation *op) {
  if (isa<math::MathDialect>(op->getDialect()))
    return createApproximation(b, op);
  Operation *created = createFloat(b, op);
  return created ? created : createInteger(b, op);
}

void tilewright::convertPlainArithmetic(ModuleOp module) {
  OpBuilder b(module.getContext());
  module.walk([&](Operation *op) {
    if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
        !llvm::all_of(op->getOperandTypes(), isPlain) ||
        !llvm::all_of(op->getResultTypes(), isPlain))
      return;
    b.setInsertionPoint(op);
    Operation *converted = createPlain(b, op);
    if (!converted)
      return;
    op->replaceAllUsesWith(converted);
    op->erase();
  });
}
