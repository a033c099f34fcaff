// Tiles in shared memory: warp.alloc, warp.local_load, warp.local_store. A
// handle becomes the address of its first byte.

#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/SharedMemory.h"
#include "lib/Conversion/WarpToLLVM/SharedTile.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Support/LayoutInference.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

/// The way between a tile without copies in the registers of a thread and
/// shared memory.
static SharedAccess getAccess(const LinearLayout &tile,
                              warp::SharedType memory) {
  return getSharedAccess(tile, memory.getLayout().getLayout(),
                         warp::getElementBytes(memory.getElementType()));
}

static void emitStoreTile(ImplicitLocOpBuilder &b, Type tileType,
                          ValueRange registers, warp::SharedType memory,
                          Value base) {
  LinearLayout all = getLayoutOrScalar(tileType);
  LinearLayout tile = all.dropRedundantBits(LayoutAxis::Register);
  std::optional<LinearLayout> kept = registerMap(all, tile);
  SmallVector<Value> values;
  for (unsigned reg = 0; reg < tile.getInSize(LayoutAxis::Register); ++reg)
    values.push_back(registers[kept->applyFlat(reg)]);
  SharedAccess access = getAccess(tile, memory);
  SharedTile(b, access, tile.getTotalOutBits(), values[0].getType(), base)
      .store(/*round=*/0, values, emitIsOwner(b, tile));
}

static SmallVector<Value> emitLoadTile(ImplicitLocOpBuilder &b, Type tileType,
                                       Type element, warp::SharedType memory,
                                       Value base) {
  LinearLayout all = getLayoutOrScalar(tileType);
  LinearLayout tile = all.dropRedundantBits(LayoutAxis::Register);
  SmallVector<Value> values(tile.getInSize(LayoutAxis::Register));
  SharedAccess access = getAccess(tile, memory);
  SharedTile(b, access, tile.getTotalOutBits(), element, base)
      .load(/*round=*/0, values);
  std::optional<LinearLayout> spread = registerMap(tile, all);
  SmallVector<Value> registers;
  for (unsigned reg = 0; reg < all.getInSize(LayoutAxis::Register); ++reg)
    registers.push_back(values[spread->applyFlat(reg)]);
  return registers;
}

namespace {

struct AllocLowering : ConvertOpToLLVMPattern<warp::AllocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::AllocOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<int64_t> offset = getSharedOffset(op);
    if (failed(offset))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value base = emitSharedAddress(b, *offset);
    if (op.getSource())
      emitStoreTile(b, op.getSource().getType(), adaptor.getSource(),
                    op.getType(), base);
    rewriter.replaceOp(op, base);
    return success();
  }
};

struct LocalLoadLowering : ConvertOpToLLVMPattern<warp::LocalLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::LocalLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    warp::SharedType memory = op.getMemory().getType();
    Type element = getTypeConverter()->convertType(memory.getElementType());
    rewriter.replaceOpWithMultiple(
        op, {emitLoadTile(b, op.getType(), element, memory,
                          adaptor.getMemory().front())});
    return success();
  }
};

struct LocalStoreLowering : ConvertOpToLLVMPattern<warp::LocalStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::LocalStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    emitStoreTile(b, op.getSource().getType(), adaptor.getSource(),
                  op.getMemory().getType(), adaptor.getMemory().front());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilewright::populateSharedTileToLLVM(const WarpTypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<AllocLowering, LocalLoadLowering, LocalStoreLowering>(converter);
}
