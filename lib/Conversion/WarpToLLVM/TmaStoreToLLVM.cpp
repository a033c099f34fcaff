// warp.tma_store: panel by panel through two pieces of scratch memory.

#include "lib/Conversion/WarpToLLVM/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/SharedMemory.h"
#include "lib/Conversion/WarpToLLVM/SharedTile.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/TransactionRing.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/TmaStorePlan.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// Writes the rounds of one op.
class StoreWriter {
public:
  StoreWriter(ImplicitLocOpBuilder &b, const TmaStorePlan &plan, Value map,
              ArrayRef<Value> offsets, int64_t scratch)
      : b(b), plan(plan), map(map), offsets(offsets), scratch(scratch),
        isLeader(emitIsLeader(b)) {}

  void write(const LinearLayout &layout, ValueRange registers,
             unsigned elementBytes);

private:
  void wait(unsigned pending);
  void copy(const TmaBox &box, int64_t address);

  ImplicitLocOpBuilder &b;
  const TmaStorePlan &plan;
  Value map;
  ArrayRef<Value> offsets;
  int64_t scratch;
  Value isLeader;
};

} // namespace

/// Until at most `pending` of the groups of copies still read shared memory.
void StoreWriter::wait(unsigned pending) {
  InlinePtx(b).emit(
      ("cp.async.bulk.wait_group.read " + Twine(pending) + ";").str(),
      /*sideEffects=*/true);
}

void StoreWriter::copy(const TmaBox &box, int64_t address) {
  InlinePtx ptx(b);
  std::string predicate = ptx.predicate(isLeader);
  std::string to = ptx.in(map);
  std::string from = ptx.in(LLVM::PtrToIntOp::create(
      b, b.getI32Type(), emitSharedAddress(b, address)));
  // The innermost dimension comes first; those in front of the tile's have
  // size 1.
  size_t leading = offsets.size() - box.start.size();
  SmallVector<std::string> places;
  for (size_t i = offsets.size(); i-- > 0;) {
    int64_t start = i < leading ? 0 : box.start[i - leading];
    places.push_back(ptx.in(
        start == 0 ? offsets[i]
                   : LLVM::AddOp::create(b, offsets[i], emitI32(b, start))
                         .getResult()));
  }
  ptx.emit(predicate + "cp.async.bulk.tensor." +
               std::to_string(offsets.size()) +
               "d.global.shared::cta.tile.bulk_group [" + to + ", {" +
               llvm::join(places, ", ") + "}], [" + from + "];",
           /*sideEffects=*/true);
}

void StoreWriter::write(const LinearLayout &layout, ValueRange registers,
                        unsigned elementBytes) {
  SharedAccess access = getSharedAccess(layout, plan.memory, elementBytes);
  Value owner = emitIsOwner(b, layout);
  Type element = registers[0].getType();
  for (unsigned round = 0; round < plan.numRounds; ++round) {
    int64_t start = scratch + round % 2 * plan.roundBytes;
    if (round >= 2) {
      wait(/*pending=*/1);
      emitBarrier(b);
    }
    SharedTile shared(b, access, plan.offsetBits, element,
                      emitSharedAddress(b, start));
    shared.store(round, registers, owner);
    // Copies see what each thread shows them before the barrier.
    InlinePtx(b).emit("fence.proxy.async.shared::cta;", /*sideEffects=*/true);
    emitBarrier(b);
    int64_t first = round * plan.roundBytes;
    for (const TmaBox &box : plan.copies.boxes)
      if (box.offsetBytes >= first && box.offsetBytes < first + plan.roundBytes)
        copy(box, start + box.offsetBytes - first);
    InlinePtx(b).emit("cp.async.bulk.commit_group;", /*sideEffects=*/true);
  }
  wait(/*pending=*/0);
}

namespace {
struct TmaStoreLowering : ConvertOpToLLVMPattern<warp::TmaStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::TmaStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<int64_t> scratch = getSharedOffset(op);
    if (failed(scratch))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    TmaStorePlan plan = TmaStorePlan::get(op);
    SmallVector<Value> offsets;
    for (ValueRange offset : adaptor.getOffsets())
      offsets.push_back(offset.front());
    RankedTensorType type = op.getSource().getType();
    StoreWriter(b, plan, adaptor.getMap().front(), offsets, *scratch)
        .write(getLayoutOrScalar(type), adaptor.getSource(),
               warp::getElementBytes(type.getElementType()));
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tilewright::populateTmaStoreToLLVM(const WarpTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<TmaStoreLowering>(converter);
}
