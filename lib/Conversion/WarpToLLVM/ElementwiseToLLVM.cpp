// Elementwise ops on tiles become the same ops on the scalars in each register;
// scalars whose type LLVM lacks change their type.

#include "lib/Conversion/WarpToLLVM/CastEmission.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;

static bool isScalarOp(Operation *op) {
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
         op->getNumResults() == 1 && op->getNumRegions() == 0;
}

namespace {

/// One scalar op a register. 8-bit floats are computed on as f32, except where
/// the op only passes bits on.
class ElementwiseLowering : public ConversionPattern {
public:
  ElementwiseLowering(const WarpTypeConverter &converter,
                      const NvidiaTarget &target, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context),
        target(target) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isScalarOp(op))
      return failure();
    Type resultType = op->getResult(0).getType();
    SmallVector<Type> types;
    if (failed(typeConverter->convertType(resultType, types)))
      return rewriter.notifyMatchFailure(op, "result has no registers");
    ImplicitLocOpBuilder b(op->getLoc(), rewriter);
    Type element = getElementTypeOrSelf(resultType);
    bool narrow = computesInF32(op, element);
    Type computed = narrow ? b.getF32Type() : types.front();
    SmallVector<SmallVector<Value>> inputs = getInputs(b, op, operands);
    SmallVector<Value> results;
    for (unsigned reg = 0; reg < types.size(); ++reg)
      results.push_back(emitScalar(b, op, inputs, reg, computed));
    if (narrow)
      results = emitToFloat8(b, target, results, element);
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  static bool computesInF32(Operation *op, Type element) {
    return isFloat8(element) && !isa<arith::SelectOp, arith::BitcastOp>(op);
  }

  SmallVector<SmallVector<Value>>
  getInputs(ImplicitLocOpBuilder &b, Operation *op,
            ArrayRef<ValueRange> operands) const {
    SmallVector<SmallVector<Value>> inputs;
    for (auto [registers, operand] : llvm::zip(operands, op->getOperands())) {
      Type element = getElementTypeOrSelf(operand.getType());
      inputs.push_back(
          computesInF32(op, element)
              ? emitFromFloat8(b, target, registers, element, b.getF32Type())
              : SmallVector<Value>(registers));
    }
    return inputs;
  }

  static Value emitScalar(ImplicitLocOpBuilder &b, Operation *op,
                          ArrayRef<SmallVector<Value>> inputs, unsigned reg,
                          Type type) {
    SmallVector<Value> operands;
    for (ArrayRef<Value> registers : inputs)
      operands.push_back(registers[registers.size() == 1 ? 0 : reg]);
    // Bits of the same register type: nothing to do.
    if (isa<arith::BitcastOp>(op) && operands[0].getType() == type)
      return operands[0];
    OperationState state(op->getLoc(), op->getName(), operands, type,
                         llvm::to_vector(op->getDiscardableAttrs()));
    state.propertiesAttr = op->getPropertiesAsAttribute();
    return b.create(state)->getResult(0);
  }

  const NvidiaTarget target;
};

/// Constants that repeat one value.
class ConstantLowering : public ConvertOpToLLVMPattern<arith::ConstantOp> {
public:
  ConstantLowering(const WarpTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TypedAttr value = op.getValue();
    if (auto elements = dyn_cast<DenseElementsAttr>(value)) {
      if (!elements.isSplat())
        return op.emitOpError("must repeat one value to be a tile on a GPU");
      value = elements.getSplatValue<TypedAttr>();
    }
    if (auto real = dyn_cast<FloatAttr>(value);
        real && isFloat8(real.getType()))
      value = rewriter.getI8IntegerAttr(
          real.getValue().bitcastToAPInt().getSExtValue());
    Value constant = arith::ConstantOp::create(rewriter, op.getLoc(), value);
    SmallVector<Value> registers(getNumRegisters(op.getType()), constant);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

} // namespace

void tilewright::populateElementwiseToLLVM(const WarpTypeConverter &converter,
                                           const NvidiaTarget &target,
                                           RewritePatternSet &patterns) {
  patterns.add<ElementwiseLowering>(converter, target, patterns.getContext());
  patterns.add<ConstantLowering>(converter);
}
