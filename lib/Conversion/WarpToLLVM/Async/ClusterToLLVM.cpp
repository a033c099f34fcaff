// Clusters: the rank of a CTA in its cluster, and cluster-wide barriers.

#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct ClusterRankLowering : ConvertOpToLLVMPattern<warp::ClusterRankOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::ClusterRankOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::ClusterId>(op, rewriter.getI32Type());
    return success();
  }
};

struct ClusterBarrierLowering : ConvertOpToLLVMPattern<warp::ClusterBarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::ClusterBarrierOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    UnitAttr aligned = rewriter.getUnitAttr();
    if (op.getRingsOnly())
      NVVM::ClusterArriveRelaxedOp::create(rewriter, op.getLoc(), aligned);
    else
      NVVM::ClusterArriveOp::create(rewriter, op.getLoc(), aligned);
    NVVM::ClusterWaitOp::create(rewriter, op.getLoc(), aligned);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilewright::populateClusterToLLVM(const WarpTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<ClusterRankLowering, ClusterBarrierLowering>(converter);
}
