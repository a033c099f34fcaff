// Scalars that one role passes to another through a ring slot.
//
// The thread that writes the scalar arrives at the slot's full barrier with
// release semantics, and the wait for the slot acquires it. Asynchronous copies
// read through another proxy than threads, so a fence orders the two.

#include "lib/Conversion/WarpToLLVM/Async/TransactionRing.h"
#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedAccess.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct RingPutScalarLowering : ConvertOpToLLVMPattern<warp::RingPutScalarOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingPutScalarOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<Value> barrier = getFilledBarrier(op, op.getMemory(), rewriter);
    if (failed(barrier))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value isLeader = emitIsLeader(b);
    emitSharedStore(b, adaptor.getMemory().front(), adaptor.getValue().front(),
                    isLeader);
    emitFilled(b, *barrier, isLeader);
    rewriter.eraseOp(op);
    return success();
  }
};

struct RingGetScalarLowering : ConvertOpToLLVMPattern<warp::RingGetScalarOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingGetScalarOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value taken = emitSharedLoad(b, adaptor.getMemory().front(),
                                 op.getResult().getType(), /*count=*/1)[0];
    InlinePtx(b).emit("fence.proxy.async;", /*sideEffects=*/true);
    rewriter.replaceOp(op, taken);
    return success();
  }
};

} // namespace

void tilewright::populateRingScalarToLLVM(const WarpTypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<RingPutScalarLowering, RingGetScalarLowering>(converter);
}
