// Gathers: the source goes to shared memory, and every thread loads the
// elements at its indices.

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
    for (auto [coords, index] :
         llvm::zip(emitIndices(b, getLayoutOrScalar(op.getType())),
                   adaptor.getIndices())) {
      coords[op.getAxis()] = emitClamped(b, index, source, op.getAxis());
      Value address = emitByteOffset(
          b, base, emitOffset(b, coords, source.getShape(), bytes));
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

  /// Clamps indices that are out of range to the last index.
  static Value emitClamped(ImplicitLocOpBuilder &b, Value index,
                           RankedTensorType source, unsigned axis) {
    return LLVM::UMinOp::create(b, index,
                                emitI32(b, source.getDimSize(axis) - 1));
  }

  /// Returns the row-major byte offset of an element.
  static Value emitOffset(ImplicitLocOpBuilder &b, ArrayRef<Value> coords,
                          ArrayRef<int64_t> shape, unsigned bytes) {
    Value offset;
    int64_t stride = bytes;
    for (unsigned dim = shape.size(); dim-- > 0; stride *= shape[dim]) {
      Value part = LLVM::MulOp::create(b, coords[dim], emitI32(b, stride));
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
