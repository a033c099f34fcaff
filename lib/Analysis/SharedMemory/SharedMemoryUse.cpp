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

/// The use of the bytes that are allocated for `op`.
static SharedUse getAllocated(Operation *op, bool isWrite) {
  auto offset =
      op->getAttrOfType<IntegerAttr>(warp::WarpDialect::kSharedOffsetAttr);
  // Memory without an offset yet may be anywhere.
  if (!offset)
    return {0, INT64_MAX, isWrite};
  return {offset.getInt(), offset.getInt() + getSharedBytes(op), isWrite};
}

/// Whether `op` itself, without its regions, writes other memory than shared
/// memory.
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

/// The use of a slot of `ring`. A ring from a block argument may be any ring.
static SharedUse getSlot(Value ring, RingAccess access) {
  bool isWrite = access != RingAccess::Read;
  auto op = ring.getDefiningOp<warp::RingOp>();
  if (!op)
    return {0, INT64_MAX, isWrite};
  SharedUse use = getAllocated(op, isWrite);
  // The mbarriers of a ring with transactions order its uses.
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

/// The use of a tile in shared memory. A tile from a block argument may be any
/// memory.
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

/// The use of the staging memory of a TMA store. Stores through the same memory
/// are ordered among each other.
static SharedUse getStaging(Value memory, bool isWrite) {
  SharedUse use = getTile(memory, isWrite);
  use.ring = memory.getDefiningOp<warp::AllocOp>();
  return use;
}

//===----------------------------------------------------------------------===//
// Asynchronous reads
//===----------------------------------------------------------------------===//

/// The memory that the dots of one `wgmma` are read from.
static SmallVector<Value> getOperandMemory(warp::WgmmaOp op) {
  SmallVector<Value> memory(op.getB());
  if (isa<warp::SharedType>(op.getA().getType()))
    memory.push_back(op.getA());
  return memory;
}

/// The values that `acc`, the argument or the result of a loop, may be.
static SmallVector<Value> getCarried(Value acc) {
  auto loop = acc.getDefiningOp<scf::ForOp>();
  if (loop) {
    unsigned index = cast<OpResult>(acc).getResultNumber();
    return {loop.getInitArgs()[index], loop.getYieldedValues()[index]};
  }
  auto argument = dyn_cast<BlockArgument>(acc);
  loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument.getArgNumber() == 0)
    return {};
  unsigned index = argument.getArgNumber() - 1;
  return {loop.getInitArgs()[index], loop.getYieldedValues()[index]};
}

/// The wgmmas that may first be complete after `wait`, for all of its
/// accumulators.
static SmallVector<warp::WgmmaOp> getAwaited(warp::WgmmaWaitOp wait) {
  llvm::SetVector<Value> accs(wait.getAccumulators().begin(),
                              wait.getAccumulators().end());
  llvm::SetVector<warp::WgmmaOp> awaited;
  for (unsigned i = 0; i < accs.size(); ++i) {
    Value acc = accs[i];
    if (auto wgmma = acc.getDefiningOp<warp::WgmmaOp>()) {
      awaited.insert(wgmma);
      accs.insert(wgmma.getAcc()[cast<OpResult>(acc).getResultNumber()]);
    } else if (auto other = acc.getDefiningOp<warp::WgmmaWaitOp>()) {
      if (other.getPendings() != 0)
        accs.insert(
            other.getAccumulators()[cast<OpResult>(acc).getResultNumber()]);
    } else {
      for (Value carried : getCarried(acc))
        accs.insert(carried);
    }
  }
  return awaited.takeVector();
}

/// Adds to `accs` the values to which `use` forwards an accumulator in flight.
static void followAcc(OpOperand &use, llvm::SetVector<Value> &accs) {
  Operation *op = use.getOwner();
  if (auto wgmma = dyn_cast<warp::WgmmaOp>(op)) {
    if (Value result = wgmma.getTiedResult(use))
      accs.insert(result);
  } else if (auto wait = dyn_cast<warp::WgmmaWaitOp>(op)) {
    if (wait.getPendings() != 0)
      accs.insert(wait.getResult(use.getOperandNumber()));
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    accs.insert(loop.getTiedLoopRegionIterArg(&use));
    accs.insert(loop.getTiedLoopResult(&use));
  } else if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
             loop && isa<scf::YieldOp>(op)) {
    accs.insert(loop.getRegionIterArg(use.getOperandNumber()));
    accs.insert(loop.getResult(use.getOperandNumber()));
  }
}

/// Appends the waits that end the reads of `wgmma`.
static void appendWaits(warp::WgmmaOp wgmma,
                        SmallVectorImpl<Operation *> &waits) {
  llvm::SetVector<Value> accs;
  accs.insert(wgmma.result_begin(), wgmma.result_end());
  for (unsigned i = 0; i < accs.size(); ++i)
    for (OpOperand &use : accs[i].getUses()) {
      if (isa<warp::WgmmaWaitOp>(use.getOwner()))
        waits.push_back(use.getOwner());
      followAcc(use, accs);
    }
}

/// The values to which `use` forwards a slot: loop-carried values, and results
/// of a loop or a branch. Empty for other uses.
static SmallVector<Value> getForwardedTo(OpOperand &use) {
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

/// The values that a loop or a branch may forward to `slot`. Empty for other
/// slots.
static SmallVector<Value> getForwardedFrom(Value slot) {
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
    SmallVector<Value> from = getForwardedFrom(open[i]);
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
        if (SmallVector<Value> more = getForwardedTo(use); !more.empty()) {
          names.insert(more.begin(), more.end());
          continue;
        }
      users.push_back(user);
      // These results are views of the memory. A slot gives access to its
      // tiles.
      if (isa<warp::SharedTransposeOp, warp::RingAcquireOp, warp::RingWaitOp>(
              user))
        names.insert(user->result_begin(), user->result_end());
      else if (auto wgmma = dyn_cast<warp::WgmmaOp>(user))
        appendWaits(wgmma, users);
    }
  return users;
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

SmallVector<SharedUse> tilewright::getSharedUses(Operation *op) {
  SmallVector<SharedUse> reads;
  auto addReads = [&](warp::WgmmaOp wgmma) {
    for (Value memory : getOperandMemory(wgmma))
      reads.push_back(getTile(memory, /*isWrite=*/false));
  };
  if (auto wgmma = dyn_cast<warp::WgmmaOp>(op)) {
    addReads(wgmma);
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

void tilewright::applyRelease(Operation *op, MutableArrayRef<SharedUse> uses) {
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
