// Rings: a handle is the address of slot 0, a slot the addresses of its tiles.
// A ring of transactions has more, see TransactionRing.h.

#include "lib/Conversion/WarpToLLVM/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/SharedMemory.h"
#include "lib/Conversion/WarpToLLVM/SharedTile.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/TransactionRing.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Support/TmaTiling.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringExtras.h"
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

static bool isTransactions(warp::RingType type) {
  return type.getCompletion() == warp::Completion::Transactions;
}

/// Replaces an op that gives a slot, whose value is `slot`.
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
    auto ring =
        TransactionRing::create(b, op.getType(), base, countConsumers(op));
    SmallVector<Value> handle = {ring.base, ring.producerCursor,
                                 ring.consumerCursor};
    rewriter.replaceOpWithMultiple(op, {handle});
    return success();
  }

private:
  /// The warps of the roles that wait for slots.
  static int64_t countConsumers(warp::RingOp op) {
    llvm::SmallSet<std::pair<Operation *, unsigned>, 2> roles;
    int64_t warps = 0;
    for (Operation *user : op->getUsers()) {
      auto role = warp::SpecializeOp::getRole(user->getBlock());
      if (!isa<warp::RingWaitOp>(user))
        continue;
      if (!role)
        return op->getParentOfType<FunctionOpInterface>()
            ->getAttrOfType<IntegerAttr>(warp::WarpDialect::kNumWarpsAttr)
            .getInt();
      if (roles.insert({role->first, role->second}).second)
        warps += role->first.getWarps()[role->second];
    }
    return warps;
  }
};

struct RingAcquireLowering : ConvertOpToLLVMPattern<warp::RingAcquireOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingAcquireOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    warp::RingType type = op.getRing().getType();
    Value base = adaptor.getRing().front();
    SlotInTurn slot;
    if (isTransactions(type))
      slot = emitAcquire(b, type, TransactionRing(adaptor.getRing()));
    else
      slot = {adaptor.getIndex().front(), emitI32(b, 0)};
    replaceWithSlot(rewriter, op, slot.barrier,
                    emitTiles(b, type, base, slot.index));
    return success();
  }
};

struct RingWaitLowering : ConvertOpToLLVMPattern<warp::RingWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    warp::RingType type = op.getRing().getType();
    Value base = adaptor.getRing().front();
    SlotInTurn slot;
    if (isTransactions(type)) {
      slot = emitWait(b, type, TransactionRing(adaptor.getRing()));
    } else {
      NVVM::CpAsyncWaitGroupOp::create(b, op.getPending());
      slot = {adaptor.getIndex().front(), emitI32(b, 0)};
    }
    replaceWithSlot(rewriter, op, slot.barrier,
                    emitTiles(b, type, base, slot.index));
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
    // Threads that fill a slot themselves are told by the block's barriers.
    auto wait = op.getSlot().getDefiningOp<warp::RingWaitOp>();
    if (!wait || isTransactions(wait.getRing().getType())) {
      ImplicitLocOpBuilder b(op.getLoc(), rewriter);
      emitRelease(b, adaptor.getSlot().front(),
                  op.getCondition() ? adaptor.getCondition().front() : Value());
    }
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

struct TmaLoadLowering : ConvertOpToLLVMPattern<warp::TmaLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::TmaLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto acquire = op.getMemory().getDefiningOp<warp::RingAcquireOp>();
    if (!acquire)
      return op.emitOpError("fills memory of unknown origin");
    Value barrier = rewriter.getRemappedValue(acquire.getSlot());
    warp::SharedType memory = op.getMemory().getType();
    auto plan = planTma(memory.getLayout().getLayout(),
                        8 * warp::getElementBytes(memory.getElementType()));
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(),
                                             adaptor.getMemory().front());
    Value isLeader = emitIsLeader(b);
    SmallVector<Value> offsets;
    for (ValueRange offset : adaptor.getOffsets())
      offsets.push_back(offset.front());
    for (const TmaBox &box : plan->boxes)
      emitCopy(b, box, adaptor.getMap().front(), offsets, address, barrier,
               isLeader);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void emitCopy(ImplicitLocOpBuilder &b, const TmaBox &box, Value map,
                       ArrayRef<Value> offsets, Value address, Value barrier,
                       Value isLeader) {
    auto moved = [&](Value value, int64_t by) -> Value {
      return by == 0 ? value : LLVM::AddOp::create(b, value, emitI32(b, by));
    };
    InlinePtx ptx(b);
    std::string predicate = ptx.predicate(isLeader);
    std::string to = ptx.in(moved(address, box.offsetBytes));
    std::string from = ptx.in(map), full = ptx.in(barrier);
    // The innermost dimension comes first; those in front of the tile's have
    // size 1.
    size_t leading = offsets.size() - box.start.size();
    SmallVector<std::string> places;
    for (size_t i = offsets.size(); i-- > 0;)
      places.push_back(
          ptx.in(moved(offsets[i], i < leading ? 0 : box.start[i - leading])));
    ptx.emit(
        predicate + "cp.async.bulk.tensor." + std::to_string(offsets.size()) +
            "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [" +
            to + "], [" + from + ", {" + llvm::join(places, ", ") + "}], [" +
            full + "];",
        /*sideEffects=*/true);
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
               RingCommitLowering, RingReleaseLowering, RingNoSlotLowering,
               AsyncCopyLowering, TmaLoadLowering>(converter);
}
