#include "dialect/Tile/TileOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileAtomicOps.cpp.inc"

template <typename Adaptor>
static LogicalResult inferFromPointer(std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  Type type = getPointeeType(adaptor.getPtr().getType());
  if (!type)
    return emitOptionalError(loc, "needs pointers, got ",
                             adaptor.getPtr().getType());
  types.push_back(type);
  return success();
}

static void
readAndWrite(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

std::optional<MemorySemantic> tilewright::tile::getProgramOrder(Operation *op) {
  if (op->getNumOperands() == 0 || !isa<PtrType>(op->getOperand(0).getType()))
    return std::nullopt;
  if (auto rmw = dyn_cast<AtomicRMWOp>(op))
    return rmw.getSem();
  if (auto swap = dyn_cast<AtomicCASOp>(op))
    return swap.getSem();
  return std::nullopt;
}

//===-- atomic_rmw --------------------------------------------------------===//

LogicalResult AtomicRMWOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferFromPointer(loc, adaptor, types);
}

static bool takesFloat(AtomicKind kind) {
  return kind == AtomicKind::FAdd || kind == AtomicKind::FMax ||
         kind == AtomicKind::FMin;
}

LogicalResult AtomicRMWOp::verifyKind(Operation *op, AtomicKind kind,
                                      Type element) {
  if (!element.isIntOrFloat())
    return op->emitOpError("combines integers or floats, got ") << element;
  bool isFloat = isa<FloatType>(element);
  if (kind != AtomicKind::Xchg && isFloat != takesFloat(kind)) // C3
    return op->emitOpError("'")
           << stringifyAtomicKind(kind) << "' does not take " << element;
  unsigned width = element.getIntOrFloatBitWidth();
  bool is16Bit = takesFloat(kind) && (element.isF16() || element.isBF16());
  if (width != 32 && width != 64 && !is16Bit) // C4
    return op->emitOpError("'") << stringifyAtomicKind(kind)
                                << "' takes 32 or 64 bits, got " << element;
  return success();
}

LogicalResult AtomicRMWOp::verify() {
  return verifyKind(*this, getKind(), getElementTypeOrSelf(getType()));
}

void AtomicRMWOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  readAndWrite(effects);
}

//===-- atomic_cas --------------------------------------------------------===//

LogicalResult AtomicCASOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferFromPointer(loc, adaptor, types);
}

LogicalResult AtomicCASOp::verify() {
  Type element = getElementTypeOrSelf(getType());
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 16) // C2
    return emitOpError("compares 16, 32 or 64 bits, got ") << element;
  return success();
}

void AtomicCASOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  readAndWrite(effects);
}
