// Ping-pong groups: warpgroups of a role that run a code section by turns. Each
// group has a hardware barrier, at which the previous group passes the turn to
// it.

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/Shuffle.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/WgmmaTiling.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// Returns the first barrier of the ping-pong order, after those of all
/// warpgroups.
static int64_t getFirstOrderBarrier(warp::SpecializeOp roles) {
  unsigned numRoles = roles.getRoles().size();
  return getGroupBarrier(
      numRoles, llvm::divideCeil(roles.getFirstWarp(numRoles), kWarpsPerGroup));
}

namespace {

struct PingPongLeadsLowering : ConvertOpToLLVMPattern<warp::PingPongLeadsOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::PingPongLeadsOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    // The shuffle tells the assembler that the value is uniform in the warp.
    Value group = emitShuffleIndex(b, emitPingPongGroup(b), emitI32(b, 0));
    rewriter.replaceOpWithNewOp<LLVM::ICmpOp>(op, LLVM::ICmpPredicate::eq,
                                              group, emitI32(b, 0));
    return success();
  }
};

/// The waiting group and the group that passes the turn meet at one barrier.
template <typename OpT>
struct PingPongOrderLowering : ConvertOpToLLVMPattern<OpT> {
  using ConvertOpToLLVMPattern<OpT>::ConvertOpToLLVMPattern;
  using OneToNOpAdaptor = typename ConvertOpToLLVMPattern<OpT>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(OpT op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr unsigned kThreads = 2 * kGroupThreads;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto [roles, number] = *warp::SpecializeOp::getRole(op->getBlock());
    Value first = emitI32(b, getFirstOrderBarrier(roles));
    Value group = emitPingPongGroup(b);
    if (std::is_same_v<OpT, warp::PingPongWaitOp>) {
      NVVM::BarrierOp::create(b, Type(), LLVM::AddOp::create(b, group, first),
                              emitI32(b, kThreads), {}, Value());
    } else {
      Value next = LLVM::AddOp::create(b, group, emitI32(b, 1));
      Value wraps =
          LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, next,
                               emitI32(b, roles.getNumPingPongGroups(number)));
      next = LLVM::SelectOp::create(b, wraps, emitI32(b, 0), next);
      InlinePtx ptx(b);
      std::string barrier = ptx.in(LLVM::AddOp::create(b, next, first));
      ptx.emit(("bar.arrive " + barrier + ", " + Twine(kThreads) + ";").str(),
               /*sideEffects=*/true);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilewright::populatePingPongToLLVM(const WarpTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns
      .add<PingPongLeadsLowering, PingPongOrderLowering<warp::PingPongWaitOp>,
           PingPongOrderLowering<warp::PingPongPassOp>>(converter);
}
