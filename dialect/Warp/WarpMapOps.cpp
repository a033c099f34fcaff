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

/// That `memory` belongs to the warps that run `op`.
static LogicalResult verifyRole(Operation *op, Value memory) {
  Operation *made = memory.getDefiningOp();
  if (isa_and_present<AcquireMapMemoryOp>(made) &&
      made->getParentRegion()->isAncestor(op->getParentRegion()) &&
      SpecializeOp::getRole(made->getBlock()) ==
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
    return emitOpError("needs one to five sizes, one stride less and as many "
                       "sides of a box, got ")
           << rank << ", " << getStrides().size() << " and " << getBox().size();
  if (failed(verifyRole(*this, getMemory()))) // C2
    return failure();
  unsigned numMaps = getMemory().getType().getNumMaps();
  if (getIndex() >= numMaps) // C2
    return emitOpError("is made at ")
           << getIndex() << " in memory for " << numMaps << " maps";
  SharedType staging = getStaging().getType();
  if (staging.getShape().size() != 1 ||
      !staging.getElementType().isInteger(8)) // C3
    return emitOpError("goes through a row of bytes, got ") << staging;
  if (!llvm::is_contained({0, 32, 64, 128}, int32_t(getSwizzle()))) // C4
    return emitOpError("swizzles over 0, 32, 64 or 128 bytes, got ")
           << getSwizzle();
  return success();
}

LogicalResult RingDrainOp::verify() {
  RingType type = getRing().getType();
  if (type.getCompletion() != Completion::Transactions ||
      type.getClusterSize() != 1) // C1
    return emitOpError("waits for the copies of a ring of transactions of one "
                       "block, got ")
           << type;
  return success();
}
