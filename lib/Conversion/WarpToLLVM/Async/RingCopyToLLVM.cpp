// Copies into ring slots: by TMA, or by the threads with cp.async.

#include "lib/Conversion/WarpToLLVM/Async/TransactionRing.h"
#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedTile.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/TmaTiling.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;

namespace {
/// Writes the copies of one `warp.tma_load`.
class LoadWriter {
public:
  LoadWriter(ImplicitLocOpBuilder &b, Value map, ArrayRef<Value> offsets,
             Value address, Value barrier)
      : b(b), map(map), offsets(offsets), address(address), barrier(barrier) {}

  /// Copies each of `boxes` to this CTA if `predicate` holds.
  void copy(ArrayRef<TmaBox> boxes, Value predicate) {
    for (const TmaBox &box : boxes)
      emit(move(box), predicate, /*clusterSize=*/1);
  }

  /// Copies this CTA's part of `boxes` to all CTAs of the cluster if
  /// `predicate` holds.
  void multicast(ArrayRef<TmaBox> boxes, Value predicate, unsigned clusterSize);

private:
  /// The destination of a copy and its start in each dimension of the array.
  struct Target {
    Value address;
    SmallVector<Value> starts;
  };

  Target move(const TmaBox &box);
  void emit(const Target &target, Value predicate, unsigned clusterSize);
  Value add(Value value, int64_t by) {
    return by == 0 ? value : LLVM::AddOp::create(b, value, emitI32(b, by));
  }
  /// Returns `value` + `rank` * `step`.
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

/// Dimensions before those of the tile have size 1.
LoadWriter::Target LoadWriter::move(const TmaBox &box) {
  size_t leading = offsets.size() - box.start.size();
  Target target{add(address, box.offsetBytes), {}};
  for (auto [i, offset] : llvm::enumerate(offsets))
    target.starts.push_back(
        add(offset, i < leading ? 0 : box.start[i - leading]));
  return target;
}

void LoadWriter::multicast(ArrayRef<TmaBox> boxes, Value predicate,
                           unsigned clusterSize) {
  size_t each = boxes.size() / clusterSize;
  const TmaBox &first = boxes[0], &second = boxes[each];
  size_t leading = offsets.size() - first.start.size();
  Value rank = NVVM::ClusterId::create(b, b.getI32Type());
  for (const TmaBox &box : boxes.take_front(each)) {
    Target target = move(box);
    target.address =
        addSteps(target.address, rank, second.offsetBytes - first.offsetBytes);
    for (size_t i = 0; i < first.start.size(); ++i)
      target.starts[leading + i] = addSteps(target.starts[leading + i], rank,
                                            second.start[i] - first.start[i]);
    emit(target, predicate, clusterSize);
  }
}

void LoadWriter::emit(const Target &target, Value predicate,
                      unsigned clusterSize) {
  InlinePtx ptx(b);
  std::string condition = ptx.predicate(predicate);
  std::string to = ptx.in(target.address);
  std::string from = ptx.in(map), full = ptx.in(barrier);
  // The innermost dimension comes first.
  SmallVector<std::string> starts;
  for (Value start : llvm::reverse(target.starts))
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
    FailureOr<Value> barrier = getFilledBarrier(op, op.getMemory(), rewriter);
    if (failed(barrier))
      return failure();
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
    LoadWriter writer(b, adaptor.getMap().front(), offsets, address, *barrier);
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

/// Emits one cp.async. If `mask` (null: always true) is false it reads nothing
/// and writes zeros. If `predicate` (null: always true) is false it does
/// nothing.
static void emitCopy(ImplicitLocOpBuilder &b, Value to, Value from,
                     int64_t bytes, Value mask, Value predicate) {
  InlinePtx ptx(b);
  // Only 16-byte accesses may bypass the L1 cache.
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

void tilewright::populateRingCopyToLLVM(const WarpTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<AsyncCopyLowering, TmaLoadLowering>(converter);
}
