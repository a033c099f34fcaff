// Rings: a ring value is the address of slot 0, a slot value the addresses of
// its tiles. A ring of transactions has more, see TransactionRing.h.

#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Conversion/WarpToLLVM/Async/TransactionRing.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/SmallSet.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Returns the addresses of the tiles of slot number `index`.
static SmallVector<Value> emitTiles(ImplicitLocOpBuilder &b,
                                    const RingSlots &slots, Value ring,
                                    Value index) {
  warp::RingType type = slots.type;
  Value slot = emitByteOffset(b, ring, slots.emitSlotOffset(b, index));
  SmallVector<Value> tiles;
  for (unsigned i = 0; i < type.getTiles().size(); ++i)
    tiles.push_back(
        LLVM::GEPOp::create(b, slot.getType(), b.getI8Type(), slot,
                            LLVM::GEPArg(int32_t(type.getTileOffset(i)))));
  return tiles;
}

static bool isTransactions(warp::RingType type) {
  return type.getCompletion() == warp::Completion::Transactions;
}

/// Replaces an op whose result is a slot, with the value `slot`.
template <typename OpT>
static void replaceWithSlot(ConversionPatternRewriter &rewriter, OpT op,
                            Value slot, ArrayRef<Value> tiles) {
  SmallVector<ValueRange> results = {ValueRange(slot)};
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
    Value base = emitSharedAddress(b, *offset);
    if (!isTransactions(op.getType())) {
      rewriter.replaceOp(op, base);
      return success();
    }
    std::optional<int64_t> consumers = countConsumers(op);
    if (!consumers)
      return op.emitOpError("of transactions is waited for outside of roles");
    auto ring = TransactionRing::create(b, RingSlots(op.getResult()), base,
                                        *consumers, countInitWarps(op));
    SmallVector<Value> handle = {ring.base, ring.producerCursor,
                                 ring.consumerCursor, ring.count};
    rewriter.replaceOpWithMultiple(op, {handle});
    return success();
  }

private:
  /// Returns the number of warps that initialise the barriers of a ring: those
  /// of the first role, which has no other work before its first slot.
  static int64_t countInitWarps(warp::RingOp op) {
    constexpr int64_t kMost = 4;
    for (Operation *user : op->getUsers())
      if (auto role = warp::SpecializeOp::getRole(user->getBlock()))
        return std::min<int64_t>(role->first.getWarps().front(), kMost);
    return 1;
  }

  /// Returns the number of warps in the roles that wait for each slot, or
  /// nothing if a wait is outside of roles.
  static std::optional<int64_t> countConsumers(warp::RingOp op) {
    llvm::SmallSet<std::pair<Operation *, unsigned>, 2> roles;
    int64_t warps = 0;
    for (Operation *user : op->getUsers()) {
      auto role = warp::SpecializeOp::getRole(user->getBlock());
      if (!isa<warp::RingWaitOp>(user))
        continue;
      if (!role)
        return std::nullopt;
      if (roles.insert({role->first, role->second}).second)
        warps += role->first.getWarpsPerPingPongGroup(role->second);
    }
    return warps;
  }
};

struct RingAcquireLowering : ConvertOpToLLVMPattern<warp::RingAcquireOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  /// Whether a thread fills the slot and itself arrives at the full barrier.
  static bool isFilledByThread(warp::RingAcquireOp op) {
    return llvm::any_of(op.getTiles(), [](Value tile) {
      return llvm::any_of(tile.getUsers(),
                          llvm::IsaPred<warp::RingPutScalarOp>);
    });
  }

  LogicalResult
  matchAndRewrite(warp::RingAcquireOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RingSlots slots(op.getRing());
    Value base = adaptor.getRing().front();
    NextSlot slot;
    if (isTransactions(slots.type))
      slot = emitAcquire(b, slots, TransactionRing(adaptor.getRing()),
                         op.getThrottled() ? adaptor.getThrottled().front()
                                           : Value(),
                         /*announces=*/!isFilledByThread(op));
    else
      slot = {adaptor.getIndex().front(), emitI32(b, 0)};
    replaceWithSlot(rewriter, op, slot.barrier,
                    emitTiles(b, slots, base, slot.index));
    return success();
  }
};

struct RingWaitLowering : ConvertOpToLLVMPattern<warp::RingWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RingSlots slots(op.getRing());
    Value base = adaptor.getRing().front();
    NextSlot slot;
    if (isTransactions(slots.type)) {
      slot = emitWait(b, slots, TransactionRing(adaptor.getRing()));
    } else {
      NVVM::CpAsyncWaitGroupOp::create(b, op.getPending());
      slot = {adaptor.getIndex().front(), emitI32(b, 0)};
    }
    replaceWithSlot(rewriter, op, slot.barrier,
                    emitTiles(b, slots, base, slot.index));
    return success();
  }
};

struct RingCommitLowering : ConvertOpToLLVMPattern<warp::RingCommitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingCommitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Transactions complete by themselves.
    auto acquire = op.getSlot().getDefiningOp<warp::RingAcquireOp>();
    if (!acquire || !isTransactions(acquire.getRing().getType()))
      NVVM::CpAsyncCommitGroupOp::create(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

struct RingReleaseLowering : ConvertOpToLLVMPattern<warp::RingReleaseOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingReleaseOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    emitRelease(b, op.getSlot().getType(), adaptor.getSlot().front(),
                op.getCondition() ? adaptor.getCondition().front() : Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct RingSkipLowering : ConvertOpToLLVMPattern<warp::RingSkipOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingSkipOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value lower = adaptor.getLower().front();
    Value upper = adaptor.getUpper().front();
    Value step = adaptor.getStep().front();
    bool isUnsigned = op.getUnsignedCmp();
    Value runs = LLVM::ICmpOp::create(
        b, isUnsigned ? LLVM::ICmpPredicate::ult : LLVM::ICmpPredicate::slt,
        lower, upper);
    Value one = LLVM::ConstantOp::create(b, step.getType(),
                                         b.getIntegerAttr(step.getType(), 1));
    Value zero = LLVM::ConstantOp::create(b, step.getType(),
                                          b.getIntegerAttr(step.getType(), 0));
    Value span =
        LLVM::SubOp::create(b, LLVM::SubOp::create(b, upper, lower), one);
    Value trips =
        LLVM::AddOp::create(b, LLVM::UDivOp::create(b, span, step), one);
    emitSkip(b, op.getRing().getType(), TransactionRing(adaptor.getRing()),
             LLVM::SelectOp::create(b, runs, trips, zero));
    rewriter.eraseOp(op);
    return success();
  }
};

struct RingNoSlotLowering : ConvertOpToLLVMPattern<warp::RingNoSlotOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingNoSlotOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, emitI32(b, 0));
    return success();
  }
};

} // namespace

LogicalResult tilewright::dropReleasesOfCopies(ModuleOp module) {
  SmallVector<warp::RingReleaseOp> dropped;
  WalkResult result = module.walk([&](warp::RingReleaseOp op) {
    SmallVector<warp::RingWaitOp> waits = getSlotWaits(op.getSlot());
    auto isCopied = [](warp::RingWaitOp wait) {
      return !isTransactions(wait.getRing().getType());
    };
    if (llvm::none_of(waits, isCopied))
      return WalkResult::advance();
    if (!llvm::all_of(waits, isCopied)) {
      op.emitOpError(
          "releases a slot that may belong to a ring of transactions "
          "or to one of async_groups");
      return WalkResult::interrupt();
    }
    dropped.push_back(op);
    return WalkResult::advance();
  });
  for (warp::RingReleaseOp op : dropped)
    op.erase();
  return failure(result.wasInterrupted());
}

void tilewright::populateRingToLLVM(const WarpTypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<RingLowering, RingAcquireLowering, RingWaitLowering,
               RingCommitLowering, RingReleaseLowering, RingSkipLowering,
               RingNoSlotLowering>(converter);
}
