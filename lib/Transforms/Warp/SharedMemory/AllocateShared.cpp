#include "lib/Transforms/Warp/Passes.h"
#include "lib/Transforms/Warp/SharedMemory/SharedMemoryPlan.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/ExtraSlots.h"
#include "dialect/Warp/WarpAttributes.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_ALLOCATESHARED
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp
static LogicalResult refuse(FunctionOpInterface function,
                            SharedPlacement placement, int64_t limit,
                            llvm::StringRef target) {
  auto error = function.emitError("needs ")
               << placement.bytes << " bytes of shared memory, a block of "
               << target << " has at most " << limit << "; use smaller tiles";
  llvm::sort(placement.pieces, [](const SharedPiece &a, const SharedPiece &b) {
    return std::tie(b.size, a.firstOp) < std::tie(a.size, b.firstOp);
  });
  for (const SharedPiece &piece : ArrayRef(placement.pieces).take_front(3))
    error.attachNote(piece.op->getLoc())
        << piece.size << " bytes are needed here";
  return error;
}

/// The map of shared memory, over the numbers of the ops that need each piece.
static void remarkPiece(const SharedPiece &piece) {
  constexpr auto kRemark =
      remark::RemarkOpts::name("SharedMemory").category("warp-allocate-shared");
  remark::detail::InFlightRemark remark =
      remark::analysis(piece.op->getLoc(), kRemark);
  if (auto ring = dyn_cast<warp::RingOp>(piece.op))
    remark << remark::add("{0} bytes of shared memory for a ring of {1} slots",
                          piece.size, ring.getType().getNumSlots())
           << remark::metric("Slots", ring.getType().getNumSlots())
           << remark::metric("SlotBytes", ring.getType().getSlotBytes());
  else
    remark << remark::add("{0} bytes of shared memory for {1}", piece.size,
                          usesScratch(piece.op) ? "scratch" : "a tile");
  remark << remark::metric("Op", piece.op->getName().getStringRef().str())
         << remark::metric("Offset", piece.offset)
         << remark::metric("Size", piece.size)
         << remark::metric("First", piece.firstOp)
         << remark::metric("Last", piece.lastOp);
}
/// The ring that may have more slots than were asked for: the only one of
/// copies that run ahead.
static warp::RingOp findExtensible(FunctionOpInterface function) {
  constexpr int64_t kAhead = 3;
  if (!function->hasAttr(warp::WarpDialect::kTensorMapsAttr) ||
      warp::isExplicit(function))
    return {};
  warp::RingOp found;
  bool isPossible = true;
  function->walk([&](Operation *op) {
    if (auto roles = dyn_cast<warp::SpecializeOp>(op))
      isPossible &= roles.getPingPongGroups() == 1;
    auto ring = dyn_cast<warp::RingOp>(op);
    if (!ring || ring.getType().getNumSlots() < kAhead)
      return;
    isPossible &=
        !found && ring.getType().getClusterSize() == 1 &&
        ring.getType().getCompletion() == warp::Completion::Transactions &&
        llvm::all_of(ring->getUsers(), [](Operation *user) {
          return isa<warp::RingAcquireOp, warp::RingWaitOp>(user);
        });
    found = ring;
  });
  return isPossible ? found : warp::RingOp();
}

static void setSlots(warp::RingOp ring, int64_t numSlots) {
  warp::RingType type = ring.getType();
  ring.getResult().setType(
      warp::RingType::get(type.getContext(), numSlots, type.getTiles(),
                          type.getCompletion(), type.getClusterSize()));
}

/// The slots that a ring has at most: with more, copies do not run further
/// ahead than memory takes.
static constexpr int64_t kMostSlots = 8;

/// Whether there is no other program to leave memory for.
static bool isAlone(FunctionOpInterface function) {
  return function->hasAttr(warp::WarpDialect::kSingleWaveAttr);
}

/// Gives `ring` the slots that cost no other program its place on the
/// multiprocessor.
static void deepen(FunctionOpInterface function, warp::RingOp ring,
                   int64_t limit) {
  auto count = [&] {
    return countPrograms(placePieces(function).bytes, limit);
  };
  int64_t numSlots = ring.getType().getNumSlots(), programs = count();
  if (isAlone(function))
    programs = std::min<int64_t>(programs, 1);
  while (programs != 0 && numSlots < kMostSlots) {
    setSlots(ring, numSlots + 1);
    if (count() < programs)
      break;
    ++numSlots;
  }
  setSlots(ring, numSlots);
}

/// Leaves room behind `total` bytes for more slots of `ring`.
static void extend(FunctionOpInterface function, warp::RingOp ring,
                   int64_t total, int64_t limit) {
  int64_t start = llvm::alignTo(total, kMaxSharedAlignment);
  int64_t each = ring.getType().getSlotBytes() + warp::kSlotBarrierBytes;
  int64_t slots = std::min(kMostSlots - ring.getType().getNumSlots(),
                           (limit - start) / each);
  if (slots <= 0)
    return;
  Builder b(function.getContext());
  int64_t bytes = start + slots * each;
  ring->setAttr(warp::kExtraSlotsAttr,
                b.getDenseI64ArrayAttr({slots, start, bytes}));
  function->setAttr(warp::kExtraSizeAttr, b.getI32IntegerAttr(bytes - total));
}

static LogicalResult allocate(FunctionOpInterface function, int64_t limit,
                              llvm::StringRef target) {
  warp::RingOp ring = findExtensible(function);
  if (ring)
    deepen(function, ring, limit);
  SharedPlacement placement = placePiecesApart(function, limit);
  if (placement.bytes > limit)
    return refuse(function, std::move(placement), limit, target);
  Builder builder(function.getContext());
  for (const SharedPiece &piece : placement.pieces) {
    piece.op->setAttr(warp::WarpDialect::kSharedOffsetAttr,
                      builder.getI32IntegerAttr(piece.offset));
    remarkPiece(piece);
  }
  function->setAttr(warp::WarpDialect::kSharedSizeAttr,
                    builder.getI32IntegerAttr(placement.bytes));
  if (ring && !isAlone(function))
    extend(function, ring, placement.bytes, limit);
  return success();
}

namespace {
struct AllocateShared : warp::impl::AllocateSharedBase<AllocateShared> {
  using AllocateSharedBase::AllocateSharedBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(allocate(function, limit, target)))
        signalPassFailure();
  }
};
} // namespace
