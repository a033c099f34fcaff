// Rings: a handle is the address of slot 0, a slot the addresses of its tiles.
// A ring of transactions has more, see TransactionRing.h.

#include "lib/Analysis/SharedMemory.h"
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
                                    const RingPlaces &places, Value ring,
                                    Value index) {
  warp::RingType type = places.type;
  Value slot = emitByteOffset(b, ring, places.emitSlotOffset(b, index));
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
    std::optional<int64_t> consumers = countConsumers(op);
    if (!consumers)
      return op.emitOpError("of transactions is waited for outside of roles");
    auto ring = TransactionRing::create(b, RingPlaces(op.getResult()), base,
                                        *consumers);
    SmallVector<Value> handle = {ring.base, ring.producerCursor,
                                 ring.consumerCursor, ring.count};
    rewriter.replaceOpWithMultiple(op, {handle});
    return success();
  }

private:
  /// The warps of the roles that wait for each slot; nothing where it is no
  /// role that does.
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
        warps += role->first.getTeamWarps(role->second);
    }
    return warps;
  }
};

struct RingAcquireLowering : ConvertOpToLLVMPattern<warp::RingAcquireOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  /// Whether a thread fills the slot, and tells so itself.
  static bool isHandedOver(warp::RingAcquireOp op) {
    return llvm::any_of(op.getTiles(), [](Value tile) {
      return llvm::any_of(tile.getUsers(), llvm::IsaPred<warp::HandOp>);
    });
  }

  LogicalResult
  matchAndRewrite(warp::RingAcquireOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RingPlaces places(op.getRing());
    Value base = adaptor.getRing().front();
    SlotInTurn slot;
    if (isTransactions(places.type))
      slot = emitAcquire(b, places, TransactionRing(adaptor.getRing()),
                         /*announces=*/!isHandedOver(op));
    else
      slot = {adaptor.getIndex().front(), emitI32(b, 0)};
    replaceWithSlot(rewriter, op, slot.barrier,
                    emitTiles(b, places, base, slot.index));
    return success();
  }
};

struct RingWaitLowering : ConvertOpToLLVMPattern<warp::RingWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RingPlaces places(op.getRing());
    Value base = adaptor.getRing().front();
    SlotInTurn slot;
    if (isTransactions(places.type)) {
      slot = emitWait(b, places, TransactionRing(adaptor.getRing()));
    } else {
      NVVM::CpAsyncWaitGroupOp::create(b, op.getPending());
      slot = {adaptor.getIndex().front(), emitI32(b, 0)};
    }
    replaceWithSlot(rewriter, op, slot.barrier,
                    emitTiles(b, places, base, slot.index));
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

/// Writes the copies of one `warp.tma_load`.
class LoadWriter {
public:
  LoadWriter(ImplicitLocOpBuilder &b, Value map, ArrayRef<Value> offsets,
             Value address, Value barrier)
      : b(b), map(map), offsets(offsets), address(address), barrier(barrier) {}

  /// Brings each of `boxes` to this block, where `predicate` holds.
  void copy(ArrayRef<TmaBox> boxes, Value predicate) {
    for (const TmaBox &box : boxes)
      emit(move(box), predicate, /*clusterSize=*/1);
  }

  /// Brings this block's part of `boxes` to all blocks of the cluster, where
  /// `predicate` holds.
  void multicast(ArrayRef<TmaBox> boxes, Value predicate, unsigned clusterSize);

private:
  /// Where a copy goes and, of each dimension of the array, where it starts.
  struct Place {
    Value address;
    SmallVector<Value> starts;
  };

  Place move(const TmaBox &box);
  void emit(const Place &place, Value predicate, unsigned clusterSize);
  Value add(Value value, int64_t by) {
    return by == 0 ? value : LLVM::AddOp::create(b, value, emitI32(b, by));
  }
  /// `value` moved `rank` times by `step`.
  Value addSteps(Value value, Value rank, int64_t step) {
    if (step == 0)
      return value;
    Value distance = LLVM::MulOp::create(b, rank, emitI32(b, step));
    return LLVM::AddOp::create(b, value, distance);
  }

  ImplicitLocOpBuilder &b;
  Value map;
  ArrayRef<Value> offsets;
  Value address, barrier;
};

} // namespace

/// Those in front of the tile's dimensions have size 1.
LoadWriter::Place LoadWriter::move(const TmaBox &box) {
  size_t leading = offsets.size() - box.start.size();
  Place place{add(address, box.offsetBytes), {}};
  for (auto [i, offset] : llvm::enumerate(offsets))
    place.starts.push_back(
        add(offset, i < leading ? 0 : box.start[i - leading]));
  return place;
}

void LoadWriter::multicast(ArrayRef<TmaBox> boxes, Value predicate,
                           unsigned clusterSize) {
  size_t each = boxes.size() / clusterSize;
  const TmaBox &first = boxes[0], &second = boxes[each];
  size_t leading = offsets.size() - first.start.size();
  Value rank = NVVM::ClusterId::create(b, b.getI32Type());
  for (const TmaBox &box : boxes.take_front(each)) {
    Place place = move(box);
    place.address =
        addSteps(place.address, rank, second.offsetBytes - first.offsetBytes);
    for (size_t i = 0; i < first.start.size(); ++i)
      place.starts[leading + i] = addSteps(place.starts[leading + i], rank,
                                           second.start[i] - first.start[i]);
    emit(place, predicate, clusterSize);
  }
}

void LoadWriter::emit(const Place &place, Value predicate,
                      unsigned clusterSize) {
  InlinePtx ptx(b);
  std::string condition = ptx.predicate(predicate);
  std::string to = ptx.in(place.address);
  std::string from = ptx.in(map), full = ptx.in(barrier);
  // The innermost dimension comes first.
  SmallVector<std::string> starts;
  for (Value start : llvm::reverse(place.starts))
    starts.push_back(ptx.in(start));
  std::string kind, blocks;
  if (clusterSize > 1) {
    kind = ".multicast::cluster";
    Value all = LLVM::ConstantOp::create(
        b, b.getI16Type(),
        b.getI16IntegerAttr(int16_t((1u << clusterSize) - 1)));
    blocks = ", " + ptx.in(all);
  }
  ptx.emit(condition + "cp.async.bulk.tensor." +
               std::to_string(offsets.size()) +
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" +
               kind + " [" + to + "], [" + from + ", {" +
               llvm::join(starts, ", ") + "}], [" + full + "]" + blocks + ";",
           /*sideEffects=*/true);
}

namespace {

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
    unsigned numParts = op.getNumParts();
    auto plan =
        planTma(memory.getLayout().getLayout(),
                8 * warp::getElementBytes(memory.getElementType()), numParts);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(),
                                             adaptor.getMemory().front());
    SmallVector<Value> offsets;
    for (ValueRange offset : adaptor.getOffsets())
      offsets.push_back(offset.front());
    LoadWriter writer(b, adaptor.getMap().front(), offsets, address, barrier);
    Value isLeader = emitIsLeader(b);
    if (numParts == 1) {
      writer.copy(plan->boxes, isLeader);
    } else if (!op.getShared()) {
      writer.multicast(plan->boxes, isLeader, numParts);
    } else {
      Value shared = adaptor.getShared().front();
      Value together = LLVM::AndOp::create(b, isLeader, shared);
      Value alone = LLVM::XOrOp::create(b, isLeader, together);
      writer.multicast(plan->boxes, together, numParts);
      writer.copy(plan->boxes, alone);
    }
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
      op.emitOpError("gives back a slot that may be one of transactions or one "
                     "of async_groups");
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
               RingNoSlotLowering, AsyncCopyLowering, TmaLoadLowering>(
      converter);
}
