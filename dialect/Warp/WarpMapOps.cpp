#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

#define GET_OP_CLASSES
#include "dialect/Warp/WarpMapOps.cpp.inc"

LogicalResult
MapMemoryType::verify(function_ref<InFlightDiagnostic()> emitError,
                      unsigned numMaps) {
  constexpr unsigned kMaxMaps = 64;
  if (numMaps < 1 || numMaps > kMaxMaps)
    return emitError() << "holds 1 to " << kMaxMaps << " maps, got " << numMaps;
  return success();
}

/// Checks that the role of `op` has acquired `memory`.
static LogicalResult verifyRole(Operation *op, Value memory) {
  Operation *acquire = memory.getDefiningOp();
  if (isa_and_present<AcquireMapMemoryOp>(acquire) &&
      acquire->getParentRegion()->isAncestor(op->getParentRegion()) &&
      SpecializeOp::getRole(acquire->getBlock()) ==
          SpecializeOp::getRole(op->getBlock()))
    return success();
  return op->emitOpError("needs memory that the same role has acquired");
}

LogicalResult ReleaseMapMemoryOp::verify() {
  return verifyRole(*this, getMemory()); // C1
}

LogicalResult MakeTensorMapOp::verify() {
  size_t rank = getShape().size();
  if (rank < 1 || rank > 5 || getStrides().size() + 1 != rank ||
      getBox().size() != rank) // C1
    return emitOpError("needs one to five sizes, one stride less and one box "
                       "extent per size, got ")
           << rank << ", " << getStrides().size() << " and " << getBox().size();
  if (failed(verifyRole(*this, getMemory()))) // C2
    return failure();
  unsigned numMaps = getMemory().getType().getNumMaps();
  if (getIndex() >= numMaps) // C2
    return emitOpError("has index ")
           << getIndex() << " in memory for " << numMaps << " maps";
  SharedType staging = getStaging().getType();
  if (staging.getShape().size() != 1 ||
      !staging.getElementType().isInteger(8)) // C3
    return emitOpError("needs a one-dimensional staging tile of bytes, got ")
           << staging;
  if (!llvm::is_contained({0, 32, 64, 128}, int32_t(getSwizzle()))) // C4
    return emitOpError("swizzles over 0, 32, 64 or 128 bytes, got ")
           << getSwizzle();
  return success();
}

LogicalResult RingDrainOp::verify() {
  RingType type = getRing().getType();
  if (type.getCompletion() != Completion::Transactions ||
      type.getClusterSize() != 1) // C1
    return emitOpError("needs a ring of transactions that belongs to one CTA, "
                       "got ")
           << type;
  return success();
}
