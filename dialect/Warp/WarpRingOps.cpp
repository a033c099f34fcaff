#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/LayoutConversion.h"
#include "lib/Layout/TmaTiling.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Parses `: !warp.slot<cluster 2>`; a slot of one CTA has no type in the text.
static ParseResult parseSlotKind(OpAsmParser &parser, Type &type) {
  type = SlotType::get(parser.getContext());
  return succeeded(parser.parseOptionalColon()) ? parser.parseType(type)
                                                : success();
}

static void printSlotKind(OpAsmPrinter &printer, Operation *, Type type) {
  if (type != SlotType::get(type.getContext()))
    printer << " : " << type;
}

#define GET_OP_CLASSES
#include "dialect/Warp/WarpRingOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

/// Appends the type of the slot, then those of its tiles.
static LogicalResult inferSlot(ValueRange operands,
                               SmallVectorImpl<Type> &types) {
  auto ring =
      operands.empty() ? RingType() : dyn_cast<RingType>(operands[0].getType());
  if (!ring)
    return failure();
  types.push_back(SlotType::get(ring.getContext(), ring.getClusterSize()));
  llvm::append_range(types, ring.getTiles());
  return success();
}

LogicalResult RingAcquireOp::inferReturnTypes(
    MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  return inferSlot(operands, types);
}

LogicalResult RingWaitOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           ValueRange operands, DictionaryAttr,
                                           OpaqueProperties, RegionRange,
                                           SmallVectorImpl<Type> &types) {
  return inferSlot(operands, types);
}

/// Whether `value` is used at most once on each path through branches.
static bool hasOneUseEachWay(Value value) {
  for (OpOperand &use : value.getUses())
    for (OpOperand &other : value.getUses())
      if (&use != &other &&
          !insideMutuallyExclusiveRegions(use.getOwner(), other.getOwner()))
        return false;
  return true;
}

static LogicalResult verifyUsedOnce(Operation *op, Value slot) {
  // A block without an end is still being written.
  bool isComplete = op->getBlock()->mightHaveTerminator();
  if (slot.use_empty() ? !isComplete : hasOneUseEachWay(slot))
    return success();
  auto error = op->emitOpError("has a slot that is used ")
               << std::distance(slot.use_begin(), slot.use_end())
               << " times, expected once";
  for (Operation *user : slot.getUsers())
    error.attachNote(user->getLoc()) << "used here";
  return error;
}

/// Checks C2 of acquire and wait.
static LogicalResult verifyIndex(Operation *op, RingType ring, bool hasIndex) {
  bool isNamed = ring.getCompletion() == Completion::AsyncGroups;
  if (hasIndex == isNamed)
    return success();
  return op->emitOpError(isNamed ? "needs" : "takes no")
         << " index of a slot in a ring of "
         << stringifyCompletion(ring.getCompletion());
}

LogicalResult RingAcquireOp::verify() {
  RingType ring = getRing().getType();
  if (failed(verifyIndex(*this, ring, bool(getIndex())))) // C2
    return failure();
  if (getThrottled() && (getIndex() || ring.getNumSlots() < 3)) // C4
    return emitOpError(
               "is throttled in a ring of transactions of at least three "
               "slots only, got ")
           << ring;
  return verifyUsedOnce(*this, getSlot()); // C1
}

LogicalResult RingWaitOp::verify() {
  if (failed(verifyIndex(*this, getRing().getType(), bool(getIndex())))) // C2
    return failure();
  if (!getIndex() && getPending() != 0) // C4
    return emitOpError("cannot leave commits pending in a ring of "
                       "transactions, got ")
           << getPending();
  return verifyUsedOnce(*this, getSlot()); // C1
}

LogicalResult RingSkipOp::verify() {
  auto role = SpecializeOp::getRole((*this)->getBlock());
  if (!role || role->first.getNumPingPongGroups(role->second) == 1) // C1
    return emitOpError("must be in a role with ping-pong groups");
  if (getRing().getType().getCompletion() != Completion::Transactions) // C1
    return emitOpError("skips slots of a ring of async_groups, which each "
                       "ping-pong group fills itself");
  return success();
}

LogicalResult RingCommitOp::verify() {
  if (getSlot().getDefiningOp<RingWaitOp>()) // C1
    return emitOpError("takes a slot to fill, got one to read");
  return success();
}

LogicalResult RingReleaseOp::verify() {
  if (getSlot().getDefiningOp<RingAcquireOp>()) // C1
    return emitOpError("takes a slot to read, got one to fill");
  return success();
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

unsigned TmaLoadOp::getNumParts() {
  auto acquire = getMemory().getDefiningOp<RingAcquireOp>();
  return getMulticast() && acquire
             ? acquire.getRing().getType().getClusterSize()
             : 1;
}

/// Checks C4.
static LogicalResult verifyMulticast(TmaLoadOp op) {
  if (!op.getMulticast()) {
    if (op.getShared())
      return op.emitOpError("takes a condition for 'multicast' only");
    return success();
  }
  unsigned parts = op.getNumParts();
  if (parts == 1)
    return op.emitOpError("copies for all CTAs of a cluster, but into a ring "
                          "that belongs to one CTA");
  SharedType memory = op.getMemory().getType();
  if (!planTma(memory.getLayout().getLayout(),
               8 * getElementBytes(memory.getElementType()), parts))
    return op.emitOpError("cannot be divided among ")
           << parts << " CTAs in the layout of " << memory;
  return success();
}

LogicalResult TmaLoadOp::verify() {
  SharedType memory = getMemory().getType();
  if (Operation *from = getMemory().getDefiningOp()) { // C1
    auto acquire = dyn_cast<RingAcquireOp>(from);
    if (!acquire ||
        acquire.getRing().getType().getCompletion() != Completion::Transactions)
      return emitOpError("fills a slot that was acquired from a ring of "
                         "transactions, got memory of '")
             << from->getName() << "'";
  }
  size_t rank = getOffsets().size();
  if (rank < memory.getShape().size() || rank < 1 || rank > 5) // C2
    return emitOpError("needs one to five offsets, at least one for each "
                       "dimension of ")
           << memory << ", got " << rank;
  if (!planTma(memory.getLayout().getLayout(),
               8 * getElementBytes(memory.getElementType()))) // C3
    return emitOpError("cannot be written in the layout of ") << memory;
  return verifyMulticast(*this);
}

LogicalResult RingPutScalarOp::verify() {
  auto acquire = getMemory().getDefiningOp<RingAcquireOp>();
  RingType ring = acquire ? acquire.getRing().getType() : RingType();
  if (!ring || ring.getCompletion() != Completion::Transactions ||
      ring.getTiles().size() != 1 || ring.getClusterSize() != 1) // C1
    return emitOpError("needs the only tile of a slot acquired from a ring of "
                       "transactions that belongs to one CTA");
  SharedType memory = getMemory().getType();
  Type type = getValue().getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  if (memory.getElementType() != type || (bits != 32 && bits != 64)) // C2
    return emitOpError("needs a value of 32 or 64 bits and memory of its type, "
                       "got ")
           << type << " and " << memory;
  return success();
}

LogicalResult RingGetScalarOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location>,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  auto memory = dyn_cast<SharedType>(adaptor.getMemory().getType());
  if (!memory)
    return failure();
  types.push_back(memory.getElementType());
  return success();
}

LogicalResult RingGetScalarOp::verify() {
  if (!getMemory().getDefiningOp<RingWaitOp>()) // C1
    return emitOpError("reads a slot that was waited for");
  return success();
}

static LogicalResult verifyTypes(AsyncCopyOp op) {
  auto ptr = cast<RankedTensorType>(op.getPtr().getType());
  SharedType memory = op.getMemory().getType();
  auto pointer = dyn_cast<tile::PtrType>(ptr.getElementType());
  if (!pointer || ptr.getShape() != memory.getShape() ||
      pointer.getPointee() != memory.getElementType()) // C1
    return op.emitOpError("copies through ")
           << ptr << " but the shared memory is " << memory;
  if (!getLinearAttr(ptr)) // C2
    return op.emitOpError("needs pointers with a #warp.linear layout, got ")
           << ptr;
  if (Value mask = op.getMask()) {
    auto expected = ptr.clone(IntegerType::get(op.getContext(), 1));
    if (mask.getType() != expected) // C2
      return op.emitOpError("needs a mask of type ")
             << expected << ", got " << mask.getType();
  }
  return success();
}

LogicalResult AsyncCopyOp::verify() {
  if (failed(verifyTypes(*this)))
    return failure();
  SharedType memory = getMemory().getType();
  if (Operation *from = getMemory().getDefiningOp();
      from && !isa<RingAcquireOp>(from)) // C3
    return emitOpError("copies into a slot that was acquired, got memory of '")
           << from->getName() << "'";
  int64_t bytes =
      int64_t(getVector()) * getElementBytes(memory.getElementType());
  if (bytes != 4 && bytes != 8 && bytes != 16) // C4
    return emitOpError("copies 4, 8 or 16 bytes at once, got ") << bytes;
  if (llvm::Log2_32(getVector()) >
      countConsecutiveRegisterBits(*getLayout(getPtr().getType()),
                                   memory.getLayout().getLayout())) // C5
    return emitOpError("copies ")
           << getVector() << " elements at once that are not adjacent in "
           << memory;
  return success();
}
