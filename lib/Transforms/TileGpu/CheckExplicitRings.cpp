// Checks the rings of explicit kernels: their producers, consumers and slots.

#include "lib/Transforms/TileGpu/CheckExplicit.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Memory/TmaAccess.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

/// Returns the number of the role around `op`. Emits an error outside roles.
static FailureOr<unsigned> getRole(Operation *op) {
  if (auto role = SpecializeOp::getRole(op->getBlock()))
    return role->second;
  return op->emitError("ring slots can be used only inside roles");
}

static LogicalResult checkRing(RingOp ring) {
  if (!isa<tile::FuncOp>(ring->getParentOp()))
    return ring.emitError(
        "a ring must be created at the top level of a kernel, "
        "before its roles");
  RingAcquireOp producer;
  bool isRead = false;
  // Use lists are in reverse order.
  const SmallVector<Operation *> users = llvm::to_vector(ring->getUsers());
  for (Operation *user : llvm::reverse(users)) {
    FailureOr<unsigned> role = getRole(user);
    if (failed(role))
      return failure();
    isRead |= isa<RingWaitOp>(user);
    auto acquire = dyn_cast<RingAcquireOp>(user);
    if (!acquire)
      continue;
    if (producer && *getRole(producer) != *role) {
      auto error =
          acquire.emitError("another role produces into this ring; use "
                            "one ring per producer role");
      error.attachNote(producer.getLoc()) << "it is filled here";
      return error;
    }
    producer = acquire;
  }
  if (!producer)
    return ring.emitError("no role acquires slots of this ring to fill them");
  if (!isRead)
    return ring.emitError("no role waits for slots of this ring to read them");
  return success();
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Whether `use` is an initial or a yielded value of an `scf.for`.
static bool isCarried(OpOperand &use) {
  return isa<scf::ForOp>(use.getOwner()) ||
         (isa<scf::YieldOp>(use.getOwner()) &&
          isa<scf::ForOp>(use.getOwner()->getParentOp()));
}

/// Checks that a slot held in `block` is committed or released there, exactly
/// once.
static LogicalResult checkSlot(Value slot, Block *block, bool isFilled,
                               Location loc) {
  StringRef end = isFilled ? "committed" : "released";
  if (slot.use_empty())
    return emitError(loc, "this slot is never ") << end;
  if (!slot.hasOneUse())
    return emitError(loc, "this slot is ") << end << " more than once";
  OpOperand &use = *slot.use_begin();
  Operation *user = use.getOwner();
  bool ends = isFilled ? isa<RingCommitOp>(user)
                       : isa<RingReleaseOp>(user) || isCarried(use);
  if (!ends)
    return user->emitError("a slot must be ")
           << end << ", not passed through branches or loops other than 'for'";
  if (user->getBlock() == block)
    return success();
  auto error = user->emitError("a slot must be ")
               << end << " where it is held, not under another condition or in "
               << "another loop";
  error.attachNote(loc) << "the slot comes from here";
  return error;
}

/// Checks the slots among the results and block arguments of `op`.
static LogicalResult checkSlots(Operation *op) {
  bool isFilled = isa<RingAcquireOp>(op);
  auto check = [&](Value value, Block *block) {
    if (!isa<SlotType>(value.getType()) || value.getDefiningOp<RingNoSlotOp>())
      return success();
    return checkSlot(value, block, isFilled, op->getLoc());
  };
  for (Value result : op->getResults())
    if (failed(check(result, op->getBlock())))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        if (failed(check(argument, &block)))
          return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

static LogicalResult checkCopy(TmaLoadOp load, const AxisInfoAnalysis &axes) {
  StringRef reason = getCopyObstacle(load.getMap(), load.getOffsets(), axes);
  if (reason.empty())
    return success();
  return load.emitError("the tensor memory accelerator cannot copy this: ")
         << reason;
}

/// Checks that each tile of the slot is filled once, before it is committed.
static LogicalResult checkFilled(RingAcquireOp acquire) {
  Operation *commit = *acquire.getSlot().user_begin();
  for (auto [number, tile] : llvm::enumerate(acquire.getTiles())) {
    SmallVector<Operation *> loads;
    for (Operation *user : tile.getUsers())
      if (isa<TmaLoadOp>(user))
        loads.push_back(user);
    if (loads.size() != 1)
      return commit->emitError(
                 "each block of a slot must be loaded once before "
                 "the slot is committed; block ")
             << number << " is loaded " << loads.size() << " times";
    bool isInTime = loads[0]->getBlock() == acquire->getBlock() &&
                    loads[0]->isBeforeInBlock(commit);
    if (!isInTime)
      return loads[0]->emitError("a slot must be loaded after it is acquired "
                                 "and before it is committed, under no other "
                                 "condition");
  }
  return success();
}

/// Checks one op. Rings as a whole are checked afterwards.
static LogicalResult checkUse(Operation *op, const AxisInfoAnalysis &axes) {
  if (auto load = dyn_cast<TmaLoadOp>(op))
    return checkCopy(load, axes);
  if (failed(checkSlots(op)))
    return failure();
  auto acquire = dyn_cast<RingAcquireOp>(op);
  return acquire ? checkFilled(acquire) : success();
}

LogicalResult tile_gpu::checkRings(tile::FuncOp func) {
  AxisInfoAnalysis axes(func);
  WalkResult uses = func.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { return WalkResult(checkUse(op, axes)); });
  if (uses.wasInterrupted())
    return failure();
  WalkResult rings =
      func.walk([](RingOp ring) { return WalkResult(checkRing(ring)); });
  return failure(rings.wasInterrupted());
}
