// Elementwise ops on tiles become scalar ops on each register. Scalar types
// that LLVM lacks are converted.

#include "lib/Conversion/WarpToLLVM/Arithmetic/CastEmission.h"
#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileTypes.h"
#include "dialect/Warp/WarpAttributes.h"
#include "lib/Analysis/Facts/Elementwise.h"
#include "lib/Analysis/Facts/RepeatedRegisters.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// Emits one scalar op per register, or one for a run of registers that hold
/// the same value or count up from it. 8-bit floats are computed in f32, unless
/// the op only passes bits on.
class ElementwiseLowering : public ConversionPattern {
public:
  ElementwiseLowering(const WarpTypeConverter &converter,
                      const NvidiaTarget &target,
                      const RepeatedRegisters &repeated, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context),
        target(target), repeated(repeated) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isArithmetic(op))
      return failure();
    ImplicitLocOpBuilder b(op->getLoc(), rewriter);
    SmallVector<Type> types;
    for (Type type : op->getResultTypes()) {
      Type element = getElementTypeOrSelf(type);
      types.push_back(computesWide(op, element)
                          ? getWideType(op)
                          : typeConverter->convertType(element));
      if (!types.back())
        return rewriter.notifyMatchFailure(op, "result has no registers");
    }
    SmallVector<SmallVector<Value>> inputs = getInputs(b, op, operands);
    SmallVector<SmallVector<Value>> results(types.size());
    unsigned count = getNumRegisters(op->getResult(0).getType());
    unsigned repeats = repeated.get(op), run = repeated.getRun(op);
    for (SmallVector<Value> &registers : results)
      registers.resize(count);
    for (unsigned reg :
         getOrder(op->getResult(0).getType(), count, std::max(repeats, run)))
      for (auto [registers, value] :
           llvm::zip(results, emitScalar(b, op, inputs, reg, types))) {
        std::fill_n(registers.begin() + reg, repeats, value);
        for (unsigned i = 1; i < run; ++i)
          registers[reg + i] = emitCounted(b, value, i);
      }
    for (auto [registers, type] : llvm::zip(results, op->getResultTypes()))
      if (Type element = getElementTypeOrSelf(type); computesWide(op, element))
        registers = emitToFloat8(b, target, registers, element);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  /// Returns the registers to compute, one of each `repeats`. Neighbours follow
  /// each other in f16 and bf16: the assembler merges two such ops into one.
  static SmallVector<unsigned> getOrder(Type type, unsigned count,
                                        unsigned repeats) {
    SmallVector<unsigned> order;
    Type element = getElementTypeOrSelf(type);
    unsigned stride = element.isF16() || element.isBF16()
                          ? 1u << findNeighbourBit(type)
                          : repeats;
    if (repeats > 1 || count % (2 * stride) != 0)
      stride = repeats;
    for (unsigned reg = 0; reg < count; reg += repeats) {
      if (reg & stride)
        continue;
      order.push_back(reg);
      if (reg + stride < count)
        order.push_back(reg + stride);
    }
    return order;
  }

  /// Returns the remainder `first` + `count`, which is still less than the
  /// divisor.
  static Value emitCounted(ImplicitLocOpBuilder &b, Value first,
                           unsigned count) {
    Value more =
        arith::ConstantOp::create(b, b.getIntegerAttr(first.getType(), count));
    return arith::AddIOp::create(b, first, more);
  }

  static bool computesWide(Operation *op, Type element) {
    return tile::isFloat8(element) &&
           !isa<arith::SelectOp, arith::BitcastOp>(op);
  }

  /// Returns the type that computes `op` on 8-bit floats. f32 is too narrow for
  /// an fma of f8E5M2: rounding may turn its result into a midpoint of two
  /// results. All bits from 2^-32, the least exact product, to 2^16, the
  /// largest result, fit in f64.
  static Type getWideType(Operation *op) {
    Builder b(op->getContext());
    return isa<math::FmaOp>(op) ? b.getF64Type() : b.getF32Type();
  }

  SmallVector<SmallVector<Value>>
  getInputs(ImplicitLocOpBuilder &b, Operation *op,
            ArrayRef<ValueRange> operands) const {
    SmallVector<SmallVector<Value>> inputs;
    for (auto [registers, operand] : llvm::zip(operands, op->getOperands())) {
      Type element = getElementTypeOrSelf(operand.getType());
      inputs.push_back(
          computesWide(op, element)
              ? emitFromFloat8(b, target, registers, element, getWideType(op))
              : SmallVector<Value>(registers));
    }
    return inputs;
  }

  static SmallVector<Value> emitScalar(ImplicitLocOpBuilder &b, Operation *op,
                                       ArrayRef<SmallVector<Value>> inputs,
                                       unsigned reg, TypeRange types) {
    SmallVector<Value> operands;
    for (ArrayRef<Value> registers : inputs)
      operands.push_back(registers[registers.size() == 1 ? 0 : reg]);
    // Bits of the same register type: nothing to do.
    if (isa<arith::BitcastOp>(op) && operands[0].getType() == types[0])
      return operands;
    NamedAttrList attributes(op->getDiscardableAttrDictionary());
    Operation *scalar = Operation::create(
        op->getLoc(), op->getName(), types, operands, std::move(attributes),
        op->getPropertiesStorage(), /*successors=*/{}, /*numRegions=*/0);
    return SmallVector<Value>(b.insert(scalar)->getResults());
  }

  const NvidiaTarget target;
  const RepeatedRegisters &repeated;
};

/// Constants that are splats.
class ConstantLowering : public ConvertOpToLLVMPattern<arith::ConstantOp> {
public:
  ConstantLowering(const WarpTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (warp::getPinnedAccAttr(op.getType())) {
      rewriter.replaceOpWithMultiple(op, {ValueRange()});
      return success();
    }
    TypedAttr value = op.getValue();
    if (auto elements = dyn_cast<DenseElementsAttr>(value)) {
      if (!elements.isSplat())
        return op.emitOpError("must be a splat to be a tile on a GPU");
      value = elements.getSplatValue<TypedAttr>();
    }
    if (auto real = dyn_cast<FloatAttr>(value);
        real && tile::isFloat8(real.getType()))
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
                                           const RepeatedRegisters &repeated,
                                           RewritePatternSet &patterns) {
  patterns.add<ElementwiseLowering>(converter, target, repeated,
                                    patterns.getContext());
  patterns.add<ConstantLowering>(converter);
}
