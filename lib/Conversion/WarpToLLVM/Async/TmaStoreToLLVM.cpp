// warp.tma_store: panel by panel through one or two pieces of staging memory,
// each warpgroup independently if it can.

#include "lib/Conversion/WarpToLLVM/Async/TransactionRing.h"
#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Memory/MatrixTransfer.h"
#include "lib/Conversion/WarpToLLVM/Memory/SharedTile.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Memory/TmaStorePlan.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// The warps that store one part of a tile: a warpgroup, or the whole role.
class StoringWarps {
public:
  StoringWarps(ImplicitLocOpBuilder &b, unsigned numParts);

  /// The index of the part, null if there is only one.
  Value getPart() const { return part; }
  /// Whether this thread issues the copies.
  Value isLeader() const { return leader; }
  void meet() const;

private:
  ImplicitLocOpBuilder &b;
  Value part, leader, barrier;
};

/// Emits the rounds of one op.
class StoreWriter {
public:
  /// `instruction` is the copy instruction up to the number of dimensions.
  /// `staging` has `stagingBytes` bytes.
  StoreWriter(ImplicitLocOpBuilder &b, const TmaStorePlan &plan,
              std::string instruction, Value map, ArrayRef<Value> offsets,
              Value staging, int64_t stagingBytes, bool isFirst);

  void write(const LinearLayout &layout, ValueRange registers,
             unsigned elementBytes);

private:
  void copy(const TmaBox &box, Value from);

  ImplicitLocOpBuilder &b;
  const TmaStorePlan &plan;
  std::string instruction;
  StoringWarps warps;
  /// The number of rounds that have separate staging memory.
  unsigned numPieces;
  Value map, staging;
  SmallVector<Value> offsets;
  /// Whether no earlier store used the staging memory.
  bool isFirst;
};

} // namespace

StoringWarps::StoringWarps(ImplicitLocOpBuilder &b, unsigned numParts) : b(b) {
  if (numParts == 1) {
    leader = emitIsLeader(b);
    return;
  }
  auto role = warp::SpecializeOp::getRole(b.getInsertionBlock());
  int64_t firstWarp = role ? role->first.getFirstWarp(role->second) : 0;
  int64_t numRoles = role ? role->first.getRoles().size() : 0;
  Value thread = emitThreadId(b);
  part =
      LLVM::LShrOp::create(b, thread, emitI32(b, llvm::Log2_32(kGroupThreads)));
  Value inGroup = LLVM::AndOp::create(b, thread, emitI32(b, kGroupThreads - 1));
  leader =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, inGroup, emitI32(b, 0));
  int64_t first =
      getGroupBarrier(numRoles, llvm::divideCeil(firstWarp, kWarpsPerGroup));
  barrier = LLVM::AddOp::create(b, part, emitI32(b, first));
}

void StoringWarps::meet() const {
  if (!part)
    return emitBarrier(b);
  NVVM::BarrierOp::create(b, Type(), barrier, emitI32(b, kGroupThreads), {},
                          Value());
}

/// Waits until at most `pending` groups of copies still read shared memory or,
/// with `arrived`, are incomplete.
static void emitStoreWait(ImplicitLocOpBuilder &b, unsigned pending,
                          bool arrived = false) {
  StringRef instruction =
      arrived ? "cp.async.bulk.wait_group " : "cp.async.bulk.wait_group.read ";
  InlinePtx(b).emit((instruction + Twine(pending) + ";").str(),
                    /*sideEffects=*/true);
}

StoreWriter::StoreWriter(ImplicitLocOpBuilder &b, const TmaStorePlan &plan,
                         std::string instruction, Value map,
                         ArrayRef<Value> offsets, Value staging,
                         int64_t stagingBytes, bool isFirst)
    : b(b), plan(plan), instruction(std::move(instruction)),
      warps(b, plan.getNumParts()),
      numPieces(stagingBytes < plan.getStagingBytes() ? 1 : 2), map(map),
      staging(staging), offsets(offsets), isFirst(isFirst) {
  Value part = warps.getPart();
  if (!part)
    return;
  // The start of a part's memory must not depend on the tile: a warpgroup may
  // still copy from its own part for another store.
  this->staging = emitByteOffset(
      b, staging,
      LLVM::MulOp::create(b, part,
                          emitI32(b, stagingBytes / plan.getNumParts())));
  size_t rank = plan.partStarts[0].size(), leading = offsets.size() - rank;
  for (size_t dim = 0; dim < rank; ++dim) {
    SmallVector<uint64_t> columns;
    for (ArrayRef<int64_t> start : plan.partStarts)
      columns.push_back(start[dim]);
    this->offsets[leading + dim] = LLVM::AddOp::create(
        b, offsets[leading + dim], emitLinearMap(b, part, columns));
  }
}

void StoreWriter::copy(const TmaBox &box, Value from) {
  InlinePtx ptx(b);
  std::string predicate = ptx.predicate(warps.isLeader());
  std::string to = ptx.in(map);
  std::string source = ptx.in(from);
  // The innermost dimension comes first. Dimensions before the tile's have size
  // 1.
  size_t leading = offsets.size() - box.start.size();
  SmallVector<std::string> coords;
  for (size_t i = offsets.size(); i-- > 0;) {
    int64_t start = i < leading ? 0 : box.start[i - leading];
    coords.push_back(ptx.in(
        start == 0 ? offsets[i]
                   : LLVM::AddOp::create(b, offsets[i], emitI32(b, start))
                         .getResult()));
  }
  ptx.emit(predicate + instruction + " [" + to + ", {" +
               llvm::join(coords, ", ") + "}], [" + source + "];",
           /*sideEffects=*/true);
}

/// Drops the bits of the part's index, which the staging address already has.
static void dropParts(LinearLayout &offsets, unsigned numParts) {
  if (numParts == 1)
    return;
  unsigned bits = offsets.getInBits(LayoutAxis::Warp) - llvm::Log2_32(numParts);
  offsets = offsets.selectBits(LayoutAxis::Warp, (uint64_t(1) << bits) - 1);
}

void StoreWriter::write(const LinearLayout &layout, ValueRange registers,
                        unsigned elementBytes) {
  SharedAccess access = getSharedAccess(layout, plan.memory, elementBytes);
  dropParts(access.offsets, plan.getNumParts());
  Value owner = emitIsOwner(b, layout);
  Type element = registers[0].getType();
  auto matrices = planMatrixTransfer(access.offsets, element, elementBytes);
  auto emitAddress = [&](int64_t offset) {
    return emitByteOffset(b, staging, emitI32(b, offset));
  };
  for (unsigned round = 0; round < plan.numRounds; ++round) {
    int64_t start = round % numPieces * plan.roundBytes;
    // The first rounds overwrite memory that an earlier store may still copy.
    // The wait before the first round covers the second one too.
    if (round == 0 ? !isFirst : round >= numPieces) {
      emitStoreWait(b, /*pending=*/round == 0 ? 0 : numPieces - 1);
      warps.meet();
    }
    if (matrices && !owner)
      emitStoreMatrix(b, *matrices, element, emitAddress(start),
                      plan.offsetBits, round, registers);
    else
      SharedTile(b, access, plan.offsetBits, element, emitAddress(start))
          .store(round, registers, owner);
    // Makes this thread's stores visible to TMA before the barrier.
    InlinePtx(b).emit("fence.proxy.async.shared::cta;", /*sideEffects=*/true);
    warps.meet();
    int64_t first = round * plan.roundBytes;
    for (const TmaBox &box : plan.copies.boxes)
      if (box.offsetBytes >= first && box.offsetBytes < first + plan.roundBytes)
        copy(box, emitAddress(start + box.offsetBytes - first));
    InlinePtx(b).emit("cp.async.bulk.commit_group;", /*sideEffects=*/true);
  }
}

/// Whether another part of the same tile is stored after `op`.
static bool isFollowed(warp::TmaStoreOp op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (isa<warp::TmaStoreOp>(next))
      return true;
  return false;
}

/// Returns the instruction that copies or reduces a box. The element type is in
/// the map.
static std::string getInstruction(warp::TmaStoreOp op) {
  std::string prefix =
      "async.bulk.tensor." + std::to_string(op.getOffsets().size()) + "d";
  std::optional<tile::AtomicKind> reduction = op.getReduction();
  if (!reduction)
    return "cp." + prefix + ".global.shared::cta.tile.bulk_group";
  StringRef kind = tile::stringifyAtomicKind(*reduction);
  // fadd and add are one kind in PTX, as are umax and max.
  if (*reduction == tile::AtomicKind::FAdd ||
      *reduction == tile::AtomicKind::UMax ||
      *reduction == tile::AtomicKind::UMin)
    kind = kind.drop_front();
  return "cp.reduce." + prefix + ".global.shared::cta." + kind.str() +
         ".tile.bulk_group";
}

namespace {
struct TmaStoreLowering : ConvertOpToLLVMPattern<warp::TmaStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::TmaStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType type = op.getSource().getType();
    TmaStorePlan plan = TmaStorePlan::get(type);
    int64_t bytes = op.getStaging().getType().getShape()[0];
    if (bytes % plan.getLeastBytes() != 0)
      return op.emitOpError("needs a multiple of ")
             << plan.getLeastBytes() << " bytes to go through, got " << bytes;
    SmallVector<Value> offsets;
    for (ValueRange offset : adaptor.getOffsets())
      offsets.push_back(offset.front());
    StoreWriter(b, plan, getInstruction(op), adaptor.getMap().front(), offsets,
                adaptor.getStaging().front(), bytes, op.getFirst())
        .write(getLayoutOrScalar(type), adaptor.getSource(),
               warp::getElementBytes(type.getElementType()));
    // A tile that takes most of a thread's registers is stored part by part, so
    // that the values of one part die with it. Without the barrier ptxas would
    // hoist the computation of the next part and spill.
    if (isFollowed(op))
      emitOrderPoint(b);
    rewriter.eraseOp(op);
    return success();
  }
};

struct TmaStoreWaitLowering : ConvertOpToLLVMPattern<warp::TmaStoreWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::TmaStoreWaitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    emitStoreWait(b, /*pending=*/0, op.getArrived());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tilewright::populateTmaStoreToLLVM(const WarpTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<TmaStoreLowering, TmaStoreWaitLowering>(converter);
}
