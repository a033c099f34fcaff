// Tiles in shared memory: warp.alloc, warp.local_load, warp.local_store, and
// warp.remote_load for other CTAs of the cluster. A tile becomes the address of
// its first byte.

#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedTransfer.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

/// Returns the transfer between a register tile of type `tile` and the part of
/// `memory`, at `base`, that starts at `start`.
static SharedTransfer makeTransfer(ImplicitLocOpBuilder &b, Type tile,
                                   warp::SharedType memory, Type element,
                                   Value base, ArrayRef<int64_t> start = {}) {
  return SharedTransfer(
      b, getLayoutOrScalar(tile), memory.getLayout().getLayout(), element,
      warp::getElementBytes(memory.getElementType()), base, start);
}

namespace {

/// An op that stores a tile.
template <typename Op>
class StoringPattern : public ConvertOpToLLVMPattern<Op> {
public:
  StoringPattern(const WarpTypeConverter &converter, const NvidiaTarget &target)
      : ConvertOpToLLVMPattern<Op>(converter), target(target) {}

protected:
  void emitStore(ImplicitLocOpBuilder &b, Type tile, ValueRange registers,
                 warp::SharedType memory, Value base) const {
    makeTransfer(b, tile, memory, registers[0].getType(), base)
        .store(registers, target.hasStoreMatrix());
  }

private:
  NvidiaTarget target;
};

struct AllocLowering : StoringPattern<warp::AllocOp> {
  using StoringPattern::StoringPattern;

  LogicalResult
  matchAndRewrite(warp::AllocOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<int64_t> offset = getSharedOffset(op);
    if (failed(offset))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value base = emitSharedAddress(b, *offset);
    if (op.getSource())
      emitStore(b, op.getSource().getType(), adaptor.getSource(), op.getType(),
                base);
    rewriter.replaceOp(op, base);
    return success();
  }
};

/// Whether `load` reads the first block for a dot after the first one. Without
/// a barrier the assembler would first read all blocks of all dots, into more
/// registers than there are. It moves no reads across a barrier.
static bool startsNextDot(warp::LocalLoadOp load) {
  return load.getDot().value_or(0) > 0 && load.getStart() &&
         llvm::all_of(*load.getStart(), [](int64_t at) { return at == 0; });
}

struct LocalLoadLowering : ConvertOpToLLVMPattern<warp::LocalLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::LocalLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    warp::SharedType memory = op.getMemory().getType();
    Type element = getTypeConverter()->convertType(memory.getElementType());
    if (startsNextDot(op))
      NVVM::SyncWarpOp::create(b, emitI32(b, -1));
    rewriter.replaceOpWithMultiple(
        op, {makeTransfer(b, op.getType(), memory, element,
                          adaptor.getMemory().front(),
                          op.getStart().value_or(ArrayRef<int64_t>()))
                 .load()});
    return success();
  }
};

struct RemoteLoadLowering : ConvertOpToLLVMPattern<warp::RemoteLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RemoteLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    warp::SharedType memory = op.getMemory().getType();
    Type element = getTypeConverter()->convertType(memory.getElementType());
    auto pointer =
        LLVM::LLVMPointerType::get(b.getContext(), kClusterSharedSpace);
    Value base = NVVM::MapaOp::create(b, pointer, adaptor.getMemory().front(),
                                      adaptor.getRank().front());
    rewriter.replaceOpWithMultiple(
        op,
        {makeTransfer(b, op.getType(), memory, element, base).loadRemote()});
    return success();
  }
};

struct LocalStoreLowering : StoringPattern<warp::LocalStoreOp> {
  using StoringPattern::StoringPattern;

  LogicalResult
  matchAndRewrite(warp::LocalStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    emitStore(b, op.getSource().getType(), adaptor.getSource(),
              op.getMemory().getType(), adaptor.getMemory().front());
    rewriter.eraseOp(op);
    return success();
  }
};

struct SharedTransposeLowering
    : ConvertOpToLLVMPattern<warp::SharedTransposeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::SharedTransposeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource()[0]);
    return success();
  }
};

} // namespace

void tilewright::populateSharedTileToLLVM(const WarpTypeConverter &converter,
                                          const NvidiaTarget &target,
                                          RewritePatternSet &patterns) {
  patterns.add<AllocLowering, LocalStoreLowering>(converter, target);
  patterns.add<LocalLoadLowering, RemoteLoadLowering, SharedTransposeLowering>(
      converter);
}
