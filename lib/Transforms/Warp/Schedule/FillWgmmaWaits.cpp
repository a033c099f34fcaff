// Moves work that does not depend on a wgmma to between its start and its wait.
//
// Threads that wait for a wgmma are idle for its latency, see
// benchmarks/notes/wgmma-scheduling.md. Stores before a wgmma delay its start.
// Conversions after its wait delay the use of its result, also if their source
// precedes the wgmma. Both move to between start and wait.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Memory/GlobalHazards.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Layout/LayoutConversion.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_FILLWGMMAWAITS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

//===----------------------------------------------------------------------===//
// Tiles in shared memory
//===----------------------------------------------------------------------===//

/// Whether threads read `memory` into the registers of `tile` with accesses of
/// at least 16 bytes.
static bool isReadWide(SharedType memory, RankedTensorType tile) {
  constexpr unsigned kWide = 16;
  unsigned bytes = getElementBytes(tile.getElementType());
  SharedAccess access =
      getSharedAccess(getLayout(tile)->dropRedundantBits(LayoutAxis::Register),
                      memory.getLayout().getLayout(), bytes);
  return (bytes << access.vectorRegisters.size()) >= kWide;
}

/// Replaces layout conversions of a tile that is stored in shared memory for
/// wgmma by loads from there.
static void readBack(AllocOp alloc, RewriterBase &b) {
  Value tile = alloc.getSource();
  if (!tile || alloc.getCluster() != 1 || isExplicit(alloc) ||
      llvm::any_of(alloc->getUsers(), llvm::IsaPred<LocalStoreOp>))
    return;
  for (Operation *user : llvm::make_early_inc_range(tile.getUsers())) {
    auto convert = dyn_cast<ConvertLayoutOp>(user);
    if (!convert || convert->getBlock() != alloc->getBlock() ||
        !alloc->isBeforeInBlock(convert) || !usesScratch(convert) ||
        !isReadWide(alloc.getType(), convert.getType()))
      continue;
    b.setInsertionPoint(convert);
    b.replaceOpWithNewOp<LocalLoadOp>(convert, convert.getType(), alloc);
  }
}

//===----------------------------------------------------------------------===//
// Chains of wgmmas
//===----------------------------------------------------------------------===//

/// Whether a wait for all wgmmas follows `wgmma` before a slot is released or a
/// ping-pong group passes.
static bool isAwaited(WgmmaOp wgmma) {
  for (Operation *op = wgmma->getNextNode(); op; op = op->getNextNode()) {
    if (op->getNumRegions() != 0 || isa<RingReleaseOp, PingPongPassOp>(op))
      return false;
    if (auto wait = dyn_cast<WgmmaWaitOp>(op); wait && wait.getPendings() == 0)
      return true;
  }
  return false;
}

/// Whether `wait` is redundant:
/// 1. Its only use is as the accumulator of another wgmma.
/// 2. No op between the two touches memory.
/// 3. Another wait follows that wgmma.
static bool isRedundant(WgmmaWaitOp wait) {
  if (isExplicit(wait) || wait.getPendings() != 0 ||
      wait.getNumResults() != 1 || !wait.getResult(0).hasOneUse() ||
      !wait.getAccumulators()[0].getDefiningOp<WgmmaOp>())
    return false;
  auto next = dyn_cast<WgmmaOp>(*wait->user_begin());
  if (!next || next.getSingleAcc() != wait.getResult(0) ||
      next->getBlock() != wait->getBlock())
    return false;
  for (Operation *op = wait->getNextNode(); op != next; op = op->getNextNode())
    if (!isMemoryEffectFree(op) || usesScratch(op))
      return false;
  return isAwaited(next);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

namespace {

class Filler {
public:
  Filler(Block &block, GlobalHazards &hazards)
      : block(block), hazards(hazards) {}

  void run();

private:
  void sinkWait(RingWaitOp wait);
  void hoistConversions(WgmmaWaitOp wait, WgmmaOp wgmma);
  void sinkStores(WgmmaWaitOp wait, WgmmaOp wgmma);
  bool addSlice(Operation *op, llvm::SetVector<Operation *> &slice);
  bool mayPass(tile::StoreOp store, Operation *op);
  void sink(tile::StoreOp store, Operation *&before);

  Block &block;
  GlobalHazards &hazards;
};

} // namespace

/// Returns the last wgmma before `wait` if no other wait is between them.
static WgmmaOp findDot(WgmmaWaitOp wait) {
  for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto wgmma = dyn_cast<WgmmaOp>(op))
      return wgmma;
    if (isa<WgmmaWaitOp>(op) || op->getNumRegions() != 0)
      return {};
  }
  return {};
}

/// Whether the wait for copies, `wait`, cannot move past `op`.
static bool endsSink(Operation *op, RingWaitOp wait) {
  return op->getNumRegions() != 0 || usesScratch(op) ||
         isa<RingAcquireOp, RingWaitOp, RingCommitOp, RingReleaseOp, WgmmaOp,
             WgmmaWaitOp, LocalLoadOp, BarrierOp>(op) ||
         op->hasTrait<OpTrait::IsTerminator>() ||
         llvm::is_contained(op->getOperands(), wait.getSlot()) ||
         llvm::any_of(wait.getTiles(), [&](Value tile) {
           return llvm::is_contained(op->getOperands(), tile);
         });
}

/// Moves a wait for the threads' own copies, with its barrier, to after the
/// stores of computed operands, which need a barrier too.
void Filler::sinkWait(RingWaitOp wait) {
  auto barrier = dyn_cast_or_null<BarrierOp>(wait->getNextNode());
  if (!barrier || !wait.getIndex())
    return;
  Operation *last = nullptr, *op = barrier->getNextNode();
  for (; !endsSink(op, wait); op = op->getNextNode())
    if (isa<AllocOp>(op))
      last = op;
  if (!last || !isa<WgmmaOp>(op))
    return;
  wait->moveAfter(last);
  barrier->moveAfter(wait);
}

/// Hoists conversions from after `wait` to before it if their source precedes
/// `wgmma`.
void Filler::hoistConversions(WgmmaWaitOp wait, WgmmaOp wgmma) {
  SmallVector<ConvertLayoutOp> conversions;
  for (Operation *op = wait->getNextNode(); op; op = op->getNextNode()) {
    if (op->getNumRegions() != 0 || isa<WgmmaOp>(op))
      break;
    auto convert = dyn_cast<ConvertLayoutOp>(op);
    if (!convert || !usesScratch(convert))
      continue;
    Operation *source = convert.getSource().getDefiningOp();
    if ((!source || source->getBlock() != &block ||
         source->isBeforeInBlock(wgmma)) &&
        getLayout(convert.getType())->getInSize(LayoutAxis::Register) <=
            OccupancyParameters::kMaxHoistedConversion)
      conversions.push_back(convert);
  }
  for (ConvertLayoutOp convert : conversions)
    convert->moveBefore(wait);
}

/// Whether `value` is in the registers of an accumulator.
static bool isAccumulator(Value value) {
  return value.getDefiningOp<WgmmaWaitOp>() ||
         llvm::any_of(value.getUsers(), [&](Operation *user) {
           auto wgmma = dyn_cast<WgmmaOp>(user);
           return wgmma && llvm::is_contained(wgmma.getAcc(), value);
         });
}

/// Whether `op` has the same result wherever it is: its memory is stored to
/// only once.
static bool isFixedRead(Operation *op) {
  if (isa<ConvertLayoutOp>(op))
    return true;
  auto load = dyn_cast<LocalLoadOp>(op);
  auto alloc = load ? load.getMemory().getDefiningOp<AllocOp>() : AllocOp();
  return alloc && alloc.getSource() && alloc.getCluster() == 1 &&
         llvm::none_of(alloc->getUsers(), llvm::IsaPred<LocalStoreOp>);
}

/// Adds `op` to `slice`, and ops of the block that only ops of `slice` use.
/// Stored values add their conversions alone, so that live values stay small.
/// Addresses and masks add all of their ops. Returns whether `op` reads no
/// accumulator registers.
bool Filler::addSlice(Operation *op, llvm::SetVector<Operation *> &slice) {
  slice.insert(op);
  for (unsigned i = 0; i < slice.size(); ++i)
    for (Value operand : slice[i]->getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (!from || from->getBlock() != &block || from->getNumRegions() != 0 ||
          from->hasTrait<OpTrait::ConstantLike>())
        continue;
      bool isAddress = !isa<FloatType>(getElementTypeOrSelf(operand.getType()));
      if ((isFixedRead(from) ||
           (isAddress && isMemoryEffectFree(from) && !usesScratch(from))) &&
          llvm::none_of(from->getOperands(), isAccumulator) &&
          llvm::all_of(from->getUsers(),
                       [&](Operation *user) { return slice.contains(user); }))
        slice.insert(from);
    }
  return llvm::none_of(op->getOperands(), isAccumulator);
}

/// Whether `store` may move to after `op`.
bool Filler::mayPass(tile::StoreOp store, Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  if (isMemoryEffectFree(op))
    return true;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !load.getIsVolatile() &&
           !hazards.mayOverlap(store.getPtr(), load.getPtr());
  if (auto copy = dyn_cast<AsyncCopyOp>(op))
    return !hazards.mayOverlap(store.getPtr(), copy->getOperand(0));
  if (auto other = dyn_cast<tile::StoreOp>(op))
    return !hazards.mayOverlap(store.getPtr(), other.getPtr());
  return isa<WgmmaOp, AllocOp, LocalLoadOp, LocalStoreOp, RingAcquireOp,
             RingCommitOp, RingWaitOp, SharedTransposeOp>(op);
}

/// Moves `store` and its slice to before `before`, and sets `before` to the
/// first moved op. Does nothing if an op in between forbids the move.
void Filler::sink(tile::StoreOp store, Operation *&before) {
  llvm::SetVector<Operation *> slice;
  if (!addSlice(store, slice))
    return;
  for (Operation *op = store->getNextNode(); op != before;
       op = op->getNextNode())
    if (!mayPass(store, op))
      return;
  SmallVector<Operation *> ordered = slice.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ordered)
    op->moveBefore(before);
  before = ordered.front();
}

/// Sinks stores between the previous wait and `wgmma` to before `wait`.
void Filler::sinkStores(WgmmaWaitOp wait, WgmmaOp wgmma) {
  SmallVector<tile::StoreOp> stores;
  for (Operation *op = wgmma->getPrevNode(); op && !isa<WgmmaWaitOp>(op);
       op = op->getPrevNode())
    if (auto store = dyn_cast<tile::StoreOp>(op))
      stores.push_back(store);
  Operation *before = wait;
  // From last to first, so that they keep their order.
  for (tile::StoreOp store : stores)
    sink(store, before);
}

void Filler::run() {
  for (auto wait : llvm::to_vector(block.getOps<WgmmaWaitOp>()))
    if (WgmmaOp wgmma = findDot(wait)) {
      sinkStores(wait, wgmma);
      hoistConversions(wait, wgmma);
    }
  for (auto wait : llvm::to_vector(block.getOps<RingWaitOp>()))
    sinkWait(wait);
}

namespace {
struct FillWgmmaWaits : warp::impl::FillWgmmaWaitsBase<FillWgmmaWaits> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto function : getOperation().getOps<tile::FuncOp>())
      visit(function, rewriter);
  }

  void visit(tile::FuncOp function, RewriterBase &rewriter) {
    SmallVector<AllocOp> allocs;
    SmallVector<WgmmaWaitOp> waits;
    function.walk([&](AllocOp alloc) { allocs.push_back(alloc); });
    function.walk([&](WgmmaWaitOp wait) { waits.push_back(wait); });
    for (AllocOp alloc : allocs)
      readBack(alloc, rewriter);
    for (WgmmaWaitOp wait : waits)
      if (isRedundant(wait))
        rewriter.replaceOp(wait, wait.getAccumulators());
    GlobalHazards hazards(function);
    llvm::SetVector<Block *> blocks;
    function.walk([&](WgmmaWaitOp wait) {
      if (!isExplicit(wait))
        blocks.insert(wait->getBlock());
    });
    for (Block *block : blocks)
      Filler(*block, hazards).run();
  }
};
} // namespace
