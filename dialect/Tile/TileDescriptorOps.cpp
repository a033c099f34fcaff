#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileDescriptorOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult MakeDescriptorOp::verify() {
  DescType type = getResult().getType();
  if (getShape().size() != type.getRank() ||
      getStrides().size() + 1 != type.getRank()) // C1
    return emitOpError("needs ")
           << type.getRank() << " sizes and " << type.getRank() - 1
           << " strides, got " << getShape().size() << " and "
           << getStrides().size();
  if (getBase().getType().getPointee() != type.getElementType()) // C2
    return emitOpError("describes an array of ")
           << type.getElementType() << " but the base is "
           << getBase().getType();
  if (getPadding() == Padding::NaN &&
      !isa<FloatType>(type.getElementType())) // C3
    return emitOpError("pads with NaN an array of ") << type.getElementType();
  return success();
}

/// Checks C1 and C2 of the ops on blocks.
static LogicalResult verifyBlock(Operation *op, DescType type,
                                 ValueRange offsets, Value block) {
  if (offsets.size() != type.getRank())
    return op->emitOpError("needs ")
           << type.getRank() << " offsets, got " << offsets.size();
  auto tile = cast<RankedTensorType>(block.getType());
  if (tile.getShape() != type.getShape() ||
      tile.getElementType() != type.getElementType())
    return op->emitOpError("copies blocks of ")
           << type.getBlockType() << ", got " << tile;
  return success();
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyBlock(*this, getDesc().getType(), getOffsets(), getResult());
}

LogicalResult DescriptorStoreOp::verify() {
  if (failed(verifyBlock(*this, getDesc().getType(), getOffsets(), getValue())))
    return failure();
  if (!getReduction())
    return success();
  if (*getReduction() == AtomicKind::Xchg) // C3
    return emitOpError("cannot reduce with 'xchg'; use a store without a "
                       "reduction");
  return AtomicRMWOp::verifyKind(*this, *getReduction(),
                                 getDesc().getType().getElementType());
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

void DescriptorLoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
}

void DescriptorStoreOp::getEffects(Effects &effects) {
  if (getReduction())
    effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}
