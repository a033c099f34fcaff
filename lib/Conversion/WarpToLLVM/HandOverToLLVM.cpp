// Numbers that one role hands to another, through a slot of a ring.
//
// The thread that writes the number arrives at the slot's full barrier, and
// that releases what it knows; who waits for the slot acquires it. What copies
// read comes another way than what threads know, so a fence joins the two.

#include "lib/Conversion/WarpToLLVM/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/SharedAccess.h"
#include "lib/Conversion/WarpToLLVM/TransactionRing.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct HandLowering : ConvertOpToLLVMPattern<warp::HandOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::HandOp op, OneToNOpAdaptor adaptor,
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

struct TakeLowering : ConvertOpToLLVMPattern<warp::TakeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::TakeOp op, OneToNOpAdaptor adaptor,
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

void tilewright::populateHandOverToLLVM(const WarpTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<HandLowering, TakeLowering>(converter);
}
