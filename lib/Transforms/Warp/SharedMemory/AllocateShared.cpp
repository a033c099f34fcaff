#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
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
static LogicalResult refuse(FunctionOpInterface function, SharedMemoryPlan plan,
                            int64_t limit, llvm::StringRef target) {
  auto error = function.emitError("needs ")
               << plan.bytes << " bytes of shared memory, but a CTA of "
               << target << " has at most " << limit << "; use smaller tiles";
  llvm::sort(plan.pieces, [](const SharedPiece &a, const SharedPiece &b) {
    return std::tie(b.size, a.firstOp) < std::tie(a.size, b.firstOp);
  });
  for (const SharedPiece &piece : ArrayRef(plan.pieces).take_front(3))
    error.attachNote(piece.op->getLoc())
        << piece.size << " bytes are needed here";
  return error;
}

/// Remarks on the offset, size and lifetime of `piece`.
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
/// Returns the ring that may get more slots than requested: the only ring of
/// prefetched copies. Null if there is none.
static warp::RingOp findExtensible(FunctionOpInterface function) {
  if (!function->hasAttr(warp::WarpDialect::kTensorMapsAttr) ||
      warp::isExplicit(function))
    return {};
  warp::RingOp found;
  bool isPossible = true;
  function->walk([&](Operation *op) {
    if (auto roles = dyn_cast<warp::SpecializeOp>(op))
      isPossible &= roles.getPingPongGroups() == 1;
    auto ring = dyn_cast<warp::RingOp>(op);
    if (!ring || ring.getType().getNumSlots() < OccupancyParameters::kMinSlots)
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

/// Whether at most one CTA runs per SM.
static bool isSingleWave(FunctionOpInterface function) {
  return function->hasAttr(warp::WarpDialect::kSingleWaveAttr);
}

/// Gives `ring` as many slots as possible without lowering occupancy.
static void deepen(FunctionOpInterface function, warp::RingOp ring,
                   int64_t limit) {
  auto count = [&] {
    return Occupancy::forEstimates(limit).countCtasBySharedMemory(
        planSharedMemory(function).bytes);
  };
  int64_t numSlots = ring.getType().getNumSlots(), numCtas = count();
  if (isSingleWave(function))
    numCtas = std::min<int64_t>(numCtas, 1);
  while (numCtas != 0 && numSlots < OccupancyParameters::kMaxSlots) {
    setSlots(ring, numSlots + 1);
    if (count() < numCtas)
      break;
    ++numSlots;
  }
  setSlots(ring, numSlots);
}

/// Reserves extra slots of `ring` after `total` bytes.
static void extend(FunctionOpInterface function, warp::RingOp ring,
                   int64_t total, int64_t limit) {
  int64_t start = llvm::alignTo(total, kMaxSharedAlignment);
  int64_t each = ring.getType().getSlotBytes() + warp::kSlotBarrierBytes;
  int64_t slots =
      std::min(OccupancyParameters::kMaxSlots - ring.getType().getNumSlots(),
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
  SharedMemoryPlan plan = planForFewBarriers(function, limit);
  if (plan.bytes > limit)
    return refuse(function, std::move(plan), limit, target);
  Builder builder(function.getContext());
  for (const SharedPiece &piece : plan.pieces) {
    piece.op->setAttr(warp::WarpDialect::kSharedOffsetAttr,
                      builder.getI32IntegerAttr(piece.offset));
    remarkPiece(piece);
  }
  function->setAttr(warp::WarpDialect::kSharedSizeAttr,
                    builder.getI32IntegerAttr(plan.bytes));
  if (ring && !isSingleWave(function))
    extend(function, ring, plan.bytes, limit);
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
