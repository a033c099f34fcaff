// Rings: a handle is the address of slot 0, a slot the addresses of its tiles.

#include "lib/Conversion/WarpToLLVM/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/SharedMemory.h"
#include "lib/Conversion/WarpToLLVM/SharedTile.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// The addresses of the tiles of slot number `index`.
static SmallVector<Value> emitTiles(ImplicitLocOpBuilder &b,
                                    warp::RingType type, Value ring,
                                    Value index) {
  Value offset = LLVM::MulOp::create(b, index, emitI32(b, type.getSlotBytes()));
  Value slot = emitByteOffset(b, ring, offset);
  SmallVector<Value> tiles;
  for (unsigned i = 0; i < type.getTiles().size(); ++i)
    tiles.push_back(
        LLVM::GEPOp::create(b, slot.getType(), b.getI8Type(), slot,
                            LLVM::GEPArg(int32_t(type.getTileOffset(i)))));
  return tiles;
}

/// Replaces an op that gives a slot. The slot itself is no value.
template <typename OpT>
static void replaceWithSlot(ConversionPatternRewriter &rewriter, OpT op,
                            ArrayRef<Value> tiles) {
  SmallVector<ValueRange> results = {ValueRange()};
  for (const Value &tile : tiles)
    results.push_back(ValueRange(tile));
  rewriter.replaceOpWithMultiple(op, std::move(results));
}

namespace {

struct RingLowering : ConvertOpToLLVMPattern<warp::RingOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<int64_t> offset = getSharedOffset(op);
    if (failed(offset))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitSharedAddress(b, *offset));
    return success();
  }
};

struct RingAcquireLowering : ConvertOpToLLVMPattern<warp::RingAcquireOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingAcquireOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    replaceWithSlot(rewriter, op,
                    emitTiles(b, op.getRing().getType(),
                              adaptor.getRing().front(),
                              adaptor.getIndex().front()));
    return success();
  }
};

struct RingWaitLowering : ConvertOpToLLVMPattern<warp::RingWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    NVVM::CpAsyncWaitGroupOp::create(b, op.getPending());
    replaceWithSlot(rewriter, op,
                    emitTiles(b, op.getRing().getType(),
                              adaptor.getRing().front(),
                              adaptor.getIndex().front()));
    return success();
  }
};

struct RingCommitLowering : ConvertOpToLLVMPattern<warp::RingCommitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingCommitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::CpAsyncCommitGroupOp::create(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Barriers do what there is to do.
struct RingReleaseLowering : ConvertOpToLLVMPattern<warp::RingReleaseOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingReleaseOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// One cp.async. Where `mask` (null: always true) is false it reads nothing and
/// writes zero; where `predicate` (null: always true) is false it does nothing.
static void emitCopy(ImplicitLocOpBuilder &b, Value to, Value from,
                     int64_t bytes, Value mask, Value predicate) {
  InlinePtx ptx(b);
  // Only accesses of 16 bytes may pass by the L1 cache.
  std::string text = ptx.predicate(predicate) + "cp.async." +
                     (bytes == 16 ? "cg" : "ca") + ".shared.global.L2::128B [" +
                     ptx.in(to) + "], [" + ptx.in(from) + "], " +
                     std::to_string(bytes);
  if (mask) {
    Value read =
        LLVM::SelectOp::create(b, mask, emitI32(b, bytes), emitI32(b, 0));
    text += ", " + ptx.in(read);
  }
  ptx.emit(text + ";", /*sideEffects=*/true);
}

static Value emitAnd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return LLVM::AndOp::create(b, lhs, rhs);
}

namespace {

struct AsyncCopyLowering : ConvertOpToLLVMPattern<warp::AsyncCopyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::AsyncCopyOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    warp::SharedType memory = op.getMemory().getType();
    LinearLayout layout = getLayoutOrScalar(op.getPtr().getType());
    SharedAccess access;
    access.offsets = layout.then(memory.getLayout().getLayout().inverse());
    Type element = getTypeConverter()->convertType(memory.getElementType());
    SharedTile tile(b, access, layout.getTotalOutBits(), element,
                    adaptor.getMemory().front());
    Value enable = op.getEnable() ? adaptor.getEnable().front() : Value();
    Value predicate = emitAnd(b, emitIsOwner(b, layout), enable);
    unsigned vector = op.getVector();
    int64_t bytes = vector * warp::getElementBytes(memory.getElementType());
    for (unsigned reg = 0; reg < adaptor.getPtr().size(); reg += vector)
      if (isOwnerRegister(layout, reg))
        emitCopy(b, tile.getAddressOf(reg), adaptor.getPtr()[reg], bytes,
                 op.getMask() ? adaptor.getMask()[reg] : Value(), predicate);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilewright::populateRingToLLVM(const WarpTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<RingLowering, RingAcquireLowering, RingWaitLowering,
               RingCommitLowering, RingReleaseLowering, AsyncCopyLowering>(
      converter);
}
