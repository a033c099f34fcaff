// warp.convert_layout, by the cheapest method that the two layouts allow.
// lib/Layout/LayoutConversion.h has the plans and their proofs.

#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Memory/ConvertLayoutShuffle.h"
#include "lib/Conversion/WarpToLLVM/Memory/MatrixTransfer.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedTile.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/LayoutInference.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

/// Returns the registers of a thread under `to`, all of which it holds under
/// `from`.
static FailureOr<SmallVector<Value>> selectRegisters(const LinearLayout &from,
                                                     const LinearLayout &to,
                                                     ValueRange registers) {
  std::optional<LinearLayout> map = registerMap(from, to);
  if (!map)
    return failure();
  SmallVector<Value> result;
  for (unsigned reg = 0; reg < to.getInSize(LayoutAxis::Register); ++reg)
    result.push_back(registers[map->applyFlat(reg)]);
  return result;
}

/// Converts booleans from and to bytes, since word packing needs whole bytes.
static SmallVector<Value> emitCasts(ImplicitLocOpBuilder &b, ValueRange values,
                                    Type type) {
  SmallVector<Value> result(values);
  for (Value &value : result) {
    if (type.isInteger(1))
      value = LLVM::TruncOp::create(b, type, value);
    else if (value.getType().isInteger(1))
      value = LLVM::ZExtOp::create(b, type, value);
  }
  return result;
}

/// Moves registers through shared memory from byte `sharedOffset` on.
static SmallVector<Value> emitThroughShared(ImplicitLocOpBuilder &b,
                                            const SharedPlan &plan,
                                            ValueRange registers,
                                            int64_t sharedOffset) {
  Type element = registers[0].getType();
  Value base = emitSharedAddress(b, sharedOffset);
  Value owner = emitIsOwner(b, plan.source);
  SharedTile stored(b, plan.store, plan.offsetBits, element, base);
  SharedTile loaded(b, plan.load, plan.offsetBits, element, base);
  SmallVector<Value> result(plan.result.getInSize(LayoutAxis::Register));
  for (unsigned round = 0; round < plan.getNumRounds(); ++round) {
    if (round != 0)
      emitBarrier(b);
    if (plan.storeMatrices)
      emitStoreMatrix(b, *plan.storeMatrices, element, base, plan.offsetBits,
                      round, registers);
    else
      stored.store(round, registers, owner);
    emitBarrier(b);
    if (plan.loadMatrices)
      emitLoadMatrix(b, *plan.loadMatrices, element, base, plan.offsetBits,
                     round, result);
    else
      loaded.load(round, result);
  }
  return result;
}

namespace {

class ConvertLayoutLowering
    : public ConvertOpToLLVMPattern<warp::ConvertLayoutOp> {
public:
  ConvertLayoutLowering(const WarpTypeConverter &converter,
                        const NvidiaTarget &target)
      : ConvertOpToLLVMPattern(converter), target(target) {}

  LogicalResult
  matchAndRewrite(warp::ConvertLayoutOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinearLayout source = getLayoutOrScalar(op.getSource().getType());
    LinearLayout result = getLayoutOrScalar(op.getType());
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    FailureOr<SmallVector<Value>> registers =
        convert(b, op, source, result, adaptor.getSource());
    if (failed(registers))
      return failure();
    rewriter.replaceOpWithMultiple(op, {*registers});
    return success();
  }

private:
  FailureOr<SmallVector<Value>> convert(ImplicitLocOpBuilder &b,
                                        warp::ConvertLayoutOp op,
                                        const LinearLayout &source,
                                        const LinearLayout &result,
                                        ValueRange registers) const {
    if (registerMap(source, result))
      return selectRegisters(source, result, registers);
    Type type = registers[0].getType();
    if (!type.isInteger(1))
      return move(b, op, source, result, registers);
    FailureOr<SmallVector<Value>> moved =
        move(b, op, source, result, emitCasts(b, registers, b.getI8Type()));
    if (failed(moved))
      return failure();
    return emitCasts(b, *moved, type);
  }

  /// Moves elements between threads.
  FailureOr<SmallVector<Value>> move(ImplicitLocOpBuilder &b,
                                     warp::ConvertLayoutOp op,
                                     const LinearLayout &source,
                                     const LinearLayout &result,
                                     ValueRange registers) const {
    Type element = cast<RankedTensorType>(op.getType()).getElementType();
    unsigned elementBytes = warp::getElementBytes(element);
    if (chooseConversion(source, result, elementBytes) ==
        ConversionKind::Shuffle) {
      ShufflePlan plan = *planShuffle(source, result);
      auto inputs = selectRegisters(source, plan.source, registers);
      return selectRegisters(plan.result, result,
                             emitShuffles(b, plan, *inputs));
    }
    if (source.getInBits(LayoutAxis::Block) != 0)
      return op.emitOpError("moves a tile between the CTAs of a cluster");
    FailureOr<int64_t> offset = getSharedOffset(op);
    if (failed(offset))
      return failure();
    SharedPlan plan =
        planSharedMemory(source, result, elementBytes, target.hasStoreMatrix());
    auto inputs = selectRegisters(source, plan.source, registers);
    return selectRegisters(plan.result, result,
                           emitThroughShared(b, plan, *inputs, *offset));
  }

  const NvidiaTarget target;
};

} // namespace

void tilewright::populateConvertLayoutToLLVM(const WarpTypeConverter &converter,
                                             const NvidiaTarget &target,
                                             RewritePatternSet &patterns) {
  patterns.add<ConvertLayoutLowering>(converter, target);
}
