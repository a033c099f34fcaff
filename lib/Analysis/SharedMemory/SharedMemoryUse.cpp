#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include "lib/Analysis/SharedMemory/ScratchMemory.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

static int64_t getTileBytes(warp::SharedType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    elements *= size;
  return elements * warp::getElementBytes(type.getElementType());
}

int64_t tilewright::getSharedAlignment(int64_t size) {
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(size), kSharedAlignment,
                             kMaxSharedAlignment);
}

int64_t tilewright::getSharedBytes(Operation *op) {
  if (auto alloc = dyn_cast<warp::AllocOp>(op))
    return getTileBytes(alloc.getType());
  if (auto ring = dyn_cast<warp::RingOp>(op))
    return ring.getType().getSizeInBytes();
  return getScratchBytes(op);
}

bool tilewright::usesScratch(Operation *op) { return getScratchBytes(op) != 0; }

/// The bytes that `op` was given.
static SharedUse getAllocated(Operation *op, bool isWrite) {
  auto offset =
      op->getAttrOfType<IntegerAttr>(warp::WarpDialect::kSharedOffsetAttr);
  // What is not allocated yet may be anywhere.
  if (!offset)
    return {0, INT64_MAX, isWrite};
  return {offset.getInt(), offset.getInt() + getSharedBytes(op), isWrite};
}

/// Whether `op` itself does, without what stands in its regions.
static bool writesGlobalMemory(Operation *op) {
  if (isMemoryEffectFree(op) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances, [](const MemoryEffects::EffectInstance &e) {
    return isa<MemoryEffects::Write>(e.getEffect()) &&
           e.getResource() != warp::SharedMemory::get();
  });
}

Operation *tilewright::findGlobalWrite(Operation *op) {
  Operation *found = nullptr;
  op->walk([&](Operation *inner) {
    if (!writesGlobalMemory(inner))
      return WalkResult::advance();
    found = inner;
    return WalkResult::interrupt();
  });
  return found;
}

/// The access to a slot of `ring`, a value. A ring that came through a block
/// argument may be any.
static SharedUse getSlot(Value ring, RingAccess access) {
  bool isWrite = access != RingAccess::Read;
  auto op = ring.getDefiningOp<warp::RingOp>();
  if (!op)
    return {0, INT64_MAX, isWrite};
  SharedUse use = getAllocated(op, isWrite);
  // The barriers of a ring of transactions order what is done with it.
  if (op.getType().getCompletion() == warp::Completion::Transactions)
    return use;
  use.ring = op;
  use.access = access;
  return use;
}

Value tilewright::getNamedMemory(Value tile) {
  while (auto view = tile.getDefiningOp<warp::SharedTransposeOp>())
    tile = view.getSource();
  return tile;
}

/// The access to a tile in shared memory. One that came through a block
/// argument may be any.
static SharedUse getTile(Value tile, bool isWrite) {
  Value memory = getNamedMemory(tile);
  if (auto alloc = memory.getDefiningOp<warp::AllocOp>())
    return getAllocated(alloc, isWrite);
  if (auto acquire = memory.getDefiningOp<warp::RingAcquireOp>();
      acquire && isWrite)
    return getSlot(acquire.getRing(), RingAccess::Fill);
  if (auto wait = memory.getDefiningOp<warp::RingWaitOp>(); wait && !isWrite)
    return getSlot(wait.getRing(), RingAccess::Read);
  return {0, INT64_MAX, isWrite};
}

/// The access of a store to the memory that it goes through. Stores through the
/// same memory order each other.
static SharedUse getStaging(Value memory, bool isWrite) {
  SharedUse use = getTile(memory, isWrite);
  use.ring = memory.getDefiningOp<warp::AllocOp>();
  return use;
}

//===----------------------------------------------------------------------===//
// Asynchronous reads
//===----------------------------------------------------------------------===//

/// The memory that the products of one `wgmma` are read from.
static SmallVector<Value> getOperandMemory(warp::WgmmaOp op) {
  SmallVector<Value> memory{op.getB()};
  if (isa<warp::SharedType>(op.getA().getType()))
    memory.push_back(op.getA());
  return memory;
}

/// The values that `sum`, the argument or the result of a loop, may be.
static SmallVector<Value> getCarried(Value sum) {
  auto loop = sum.getDefiningOp<scf::ForOp>();
  if (loop) {
    unsigned index = cast<OpResult>(sum).getResultNumber();
    return {loop.getInitArgs()[index], loop.getYieldedValues()[index]};
  }
  auto argument = dyn_cast<BlockArgument>(sum);
  loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument.getArgNumber() == 0)
    return {};
  unsigned index = argument.getArgNumber() - 1;
  return {loop.getInitArgs()[index], loop.getYieldedValues()[index]};
}

/// The products that `wait` may be the first to wait for all of.
static SmallVector<warp::WgmmaOp> getAwaited(warp::WgmmaWaitOp wait) {
  llvm::SetVector<Value> sums(wait.getAccumulators().begin(),
                              wait.getAccumulators().end());
  SmallVector<warp::WgmmaOp> awaited;
  for (unsigned i = 0; i < sums.size(); ++i) {
    Value sum = sums[i];
    if (auto product = sum.getDefiningOp<warp::WgmmaOp>()) {
      awaited.push_back(product);
      sums.insert(product.getAcc());
    } else if (auto other = sum.getDefiningOp<warp::WgmmaWaitOp>()) {
      if (other.getPendings() != 0)
        sums.insert(
            other.getAccumulators()[cast<OpResult>(sum).getResultNumber()]);
    } else {
      for (Value carried : getCarried(sum))
        sums.insert(carried);
    }
  }
  return awaited;
}

/// Adds to `sums` what `use` makes of an unfinished sum.
static void followSum(OpOperand &use, llvm::SetVector<Value> &sums) {
  Operation *op = use.getOwner();
  if (isa<warp::WgmmaOp>(op)) {
    sums.insert(op->getResult(0));
  } else if (auto wait = dyn_cast<warp::WgmmaWaitOp>(op)) {
    if (wait.getPendings() != 0)
      sums.insert(wait.getResult(use.getOperandNumber()));
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    sums.insert(loop.getTiedLoopRegionIterArg(&use));
    sums.insert(loop.getTiedLoopResult(&use));
  } else if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
             loop && isa<scf::YieldOp>(op)) {
    sums.insert(loop.getRegionIterArg(use.getOperandNumber()));
    sums.insert(loop.getResult(use.getOperandNumber()));
  }
}

/// The waits that end the reads of `product`.
static void appendWaits(warp::WgmmaOp product,
                        SmallVectorImpl<Operation *> &waits) {
  llvm::SetVector<Value> sums;
  sums.insert(product.getResult());
  for (unsigned i = 0; i < sums.size(); ++i)
    for (OpOperand &use : sums[i].getUses()) {
      if (isa<warp::WgmmaWaitOp>(use.getOwner()))
        waits.push_back(use.getOwner());
      followSum(use, sums);
    }
}

/// What a slot is called where `use` hands it on to: the next iteration, and
/// what follows a loop or a branch. Nothing for other uses.
static SmallVector<Value> getHandedOn(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return {loop.getTiedLoopRegionIterArg(&use), loop.getTiedLoopResult(&use)};
  if (!isa<scf::YieldOp>(op))
    return {};
  unsigned number = use.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
    return {loop.getRegionIterArg(number), loop.getResult(number)};
  if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()))
    return {branch.getResult(number)};
  return {};
}

/// The slots that `slot`, of a loop or a branch, may be. Nothing for others.
static SmallVector<Value> getHandedIn(Value slot) {
  Operation *op = slot.getDefiningOp();
  auto argument = dyn_cast<BlockArgument>(slot);
  if (auto branch = dyn_cast_if_present<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(slot).getResultNumber();
    return {branch.thenYield().getOperand(number),
            branch.elseYield().getOperand(number)};
  }
  auto loop =
      dyn_cast<scf::ForOp>(op ? op : argument.getOwner()->getParentOp());
  if (!loop)
    return {};
  unsigned number = op ? cast<OpResult>(slot).getResultNumber()
                       : argument.getArgNumber() - loop.getNumInductionVars();
  return {loop.getInitArgs()[number], loop.getYieldedValues()[number]};
}

SmallVector<warp::RingWaitOp> tilewright::getSlotWaits(Value slot) {
  llvm::SetVector<warp::RingWaitOp> waits;
  llvm::SetVector<Value> open;
  open.insert(slot);
  for (unsigned i = 0; i < open.size(); ++i) {
    if (auto wait = open[i].getDefiningOp<warp::RingWaitOp>()) {
      waits.insert(wait);
      continue;
    }
    SmallVector<Value> from = getHandedIn(open[i]);
    open.insert(from.begin(), from.end());
    if (from.empty() && !open[i].getDefiningOp<warp::RingNoSlotOp>())
      slot.getParentRegion()->getParentOfType<FunctionOpInterface>()->walk(
          [&](warp::RingWaitOp wait) { waits.insert(wait); });
  }
  return waits.takeVector();
}

SmallVector<Operation *> tilewright::getTileUsers(Operation *alloc) {
  SmallVector<Operation *> users;
  llvm::SetVector<Value> names(alloc->result_begin(), alloc->result_end());
  for (unsigned i = 0; i < names.size(); ++i)
    for (OpOperand &use : names[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<warp::SlotType>(names[i].getType()))
        if (SmallVector<Value> more = getHandedOn(use); !more.empty()) {
          names.insert(more.begin(), more.end());
          continue;
        }
      users.push_back(user);
      // Other names of the memory; who has a slot has its tiles.
      if (isa<warp::SharedTransposeOp, warp::RingAcquireOp, warp::RingWaitOp>(
              user))
        names.insert(user->result_begin(), user->result_end());
      else if (auto product = dyn_cast<warp::WgmmaOp>(user))
        appendWaits(product, users);
    }
  return users;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

SmallVector<SharedUse> tilewright::getSharedUses(Operation *op) {
  SmallVector<SharedUse> reads;
  auto addReads = [&](warp::WgmmaOp product) {
    for (Value memory : getOperandMemory(product))
      reads.push_back(getTile(memory, /*isWrite=*/false));
  };
  if (auto product = dyn_cast<warp::WgmmaOp>(op)) {
    addReads(product);
    return reads;
  }
  if (auto wait = dyn_cast<warp::WgmmaWaitOp>(op)) {
    llvm::for_each(getAwaited(wait), addReads);
    return reads;
  }
  if (auto store = dyn_cast<warp::TmaStoreOp>(op))
    return {getStaging(store.getStaging(), /*isWrite=*/true)};
  if (auto wait = dyn_cast<warp::TmaStoreWaitOp>(op))
    return {getStaging(wait.getStaging(), /*isWrite=*/false)};
  if (auto load = dyn_cast<warp::LocalLoadOp>(op))
    return {getTile(load.getMemory(), /*isWrite=*/false)};
  if (auto load = dyn_cast<warp::RemoteLoadOp>(op))
    return {getTile(load.getMemory(), /*isWrite=*/false)};
  if (auto store = dyn_cast<warp::LocalStoreOp>(op))
    return {getTile(store.getMemory(), /*isWrite=*/true)};
  if (auto copy = dyn_cast<warp::AsyncCopyOp>(op))
    return {getTile(copy.getMemory(), /*isWrite=*/true)};
  if (auto wait = dyn_cast<warp::RingWaitOp>(op); wait && wait.getIndex())
    return {getSlot(wait.getRing(), RingAccess::Wait)};
  if (auto alloc = dyn_cast<warp::AllocOp>(op); alloc && !alloc.getSource())
    return {};
  if (isa<warp::RingOp>(op))
    return {};
  if (getSharedBytes(op))
    return {getAllocated(op, /*isWrite=*/true)};
  return {};
}

SmallVector<SharedUse> tilewright::getUsesAfter(Operation *op) {
  if (usesScratch(op))
    return {getAllocated(op, /*isWrite=*/false)};
  return getSharedUses(op);
}

void tilewright::passRelease(Operation *op, MutableArrayRef<SharedUse> uses) {
  if (!isa<warp::RingReleaseOp>(op))
    return;
  for (SharedUse &use : uses)
    if (use.access == RingAccess::Read)
      use.access = RingAccess::Released;
}

bool tilewright::synchronizes(Operation *op) {
  if (auto meeting = dyn_cast<warp::ClusterBarrierOp>(op))
    return !meeting.getRingsOnly();
  return isa<warp::BarrierOp>(op) || usesScratch(op);
}
