// Gathers: the source goes to shared memory, from where every thread picks what
// it has the indices of.

#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedAccess.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedTransfer.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpTypes.h"
#include "lib/Layout/TileLayouts.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

#include <numeric>

using namespace mlir;
using namespace tilewright;

namespace {

struct GatherLowering : ConvertOpToLLVMPattern<tile::GatherOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tile::GatherOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<int64_t> offset = getSharedOffset(op);
    if (failed(offset))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType source = op.getSource().getType();
    Type element = adaptor.getSource().front().getType();
    unsigned bytes = warp::getElementBytes(source.getElementType());
    Value base = emitSharedAddress(b, *offset);
    SharedTransfer(b, getLayoutOrScalar(source), getRowMajor(source.getShape()),
                   element, bytes, base)
        .store(adaptor.getSource());
    emitBarrier(b);
    SmallVector<Value> registers;
    for (auto [place, index] :
         llvm::zip(emitIndices(b, getLayoutOrScalar(op.getType())),
                   adaptor.getIndices())) {
      place[op.getAxis()] = emitInside(b, index, source, op.getAxis());
      Value address = emitByteOffset(
          b, base, emitOffset(b, place, source.getShape(), bytes));
      registers.push_back(emitSharedLoad(b, address, element, 1)[0]);
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }

private:
  static LinearLayout getRowMajor(ArrayRef<int64_t> shape) {
    SmallVector<int32_t> order(shape.size());
    std::iota(order.rbegin(), order.rend(), 0);
    return sharedLayout(shape, order);
  }

  /// What is out of range becomes the last index.
  static Value emitInside(ImplicitLocOpBuilder &b, Value index,
                          RankedTensorType source, unsigned axis) {
    return LLVM::UMinOp::create(b, index,
                                emitI32(b, source.getDimSize(axis) - 1));
  }

  /// The place of an element in row-major order, in bytes.
  static Value emitOffset(ImplicitLocOpBuilder &b, ArrayRef<Value> place,
                          ArrayRef<int64_t> shape, unsigned bytes) {
    Value offset;
    int64_t stride = bytes;
    for (unsigned dim = shape.size(); dim-- > 0; stride *= shape[dim]) {
      Value part = LLVM::MulOp::create(b, place[dim], emitI32(b, stride));
      offset = offset ? LLVM::AddOp::create(b, offset, part).getResult() : part;
    }
    return offset;
  }
};

} // namespace

void tilewright::populateGatherToLLVM(const WarpTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<GatherLowering>(converter);
}
