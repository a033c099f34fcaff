#include "dialect/Tile/TileTypes.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/WgmmaTiling.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

#define GET_OP_CLASSES
#include "dialect/Warp/WarpWgmmaOps.cpp.inc"

namespace {
/// An operand of wgmma, in registers or in shared memory.
struct Operand {
  ArrayRef<int64_t> shape;
  Type element;
  std::optional<LinearLayout> layout;

  explicit Operand(Type type) {
    if (auto shared = dyn_cast<SharedType>(type)) {
      shape = shared.getShape();
      element = shared.getElementType();
      layout = shared.getLayout().getLayout();
    } else {
      auto tensor = cast<RankedTensorType>(type);
      shape = tensor.getShape();
      element = tensor.getElementType();
      layout = getLayout(tensor);
    }
  }
};
} // namespace

/// Whether wgmma supports these element types (C2).
static bool areWgmmaTypes(Type a, Type b, Type acc) {
  bool isFloat = acc.isF32() || acc.isF16();
  if (tile::isFloat8(a) && tile::isFloat8(b))
    return isFloat;
  if (a != b)
    return false;
  if (a.isF16())
    return isFloat;
  if (a.isBF16() || a.isF32())
    return acc.isF32();
  return a.isSignlessInteger(8) && acc.isSignlessInteger(32);
}

/// Checks C1 to C4 of `warp.wgmma` for one dot of `op`.
static LogicalResult verifyDot(Operation *op, ArrayRef<Type> types) {
  Operand a(types[0]), b(types[1]), acc(types[2]);
  if (a.shape.size() != 2 || b.shape.size() != 2 || acc.shape.size() != 2 ||
      a.shape[0] != acc.shape[0] || a.shape[1] != b.shape[0] ||
      b.shape[1] != acc.shape[1]) // C1
    return op->emitOpError("multiplies MxK by KxN onto MxN, got ")
           << types[0] << ", " << types[1] << " and " << types[2];
  if (!areWgmmaTypes(a.element, b.element, acc.element)) // C2
    return op->emitOpError("has no tensor-core instruction for ")
           << a.element << ", " << b.element << " and " << acc.element;
  bool aInShared = isa<SharedType>(types[0]);
  bool isLaidOut = acc.layout || (!aInShared && a.layout);
  if (!isLaidOut && !hasLayouts(op))
    return success();
  if (!a.layout || !acc.layout)
    return op->emitOpError("needs tiles with a #warp.linear layout");
  WgmmaObstacle obstacle;
  if (planWgmma(*a.layout, aInShared, *b.layout, *acc.layout,
                a.element.getIntOrFloatBitWidth(), obstacle))
    return success();
  Type culprit = types[unsigned(obstacle)];
  if (isa<SharedType>(culprit)) // C4
    return op->emitOpError("has shared memory that no matrix descriptor "
                           "expresses: ")
           << culprit;
  return op->emitOpError("has a tile in registers that no wgmma takes: ") // C3
         << culprit;
}

LogicalResult WgmmaOp::verify() {
  return verifyDot(*this,
                   {getA().getType(), getB().getType(), getAcc().getType()});
}

LogicalResult WgmmaMergedOp::verify() {
  if (getB().size() < 2 || getB().size() != getAcc().size()) // C1
    return emitOpError("needs at least two dots, got ")
           << getB().size() << " B operands and " << getAcc().size()
           << " accumulators";
  int64_t columns = 0;
  for (auto [b, acc] : llvm::zip_equal(getB(), getAcc())) {
    if (failed(
            verifyDot(*this, {getA().getType(), b.getType(), acc.getType()})))
      return failure();
    columns += cast<SharedType>(b.getType()).getShape()[1];
  }
  if (columns > kWgmmaMaxColumns) // C2
    return emitOpError("has instructions of at most 256 columns, got ")
           << columns;
  return success();
}

static void addReads(MutableArrayRef<OpOperand> operands,
                     SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : operands)
    if (isa<SharedType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SharedMemory::get());
}

void WgmmaOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addReads(getOperation()->getOpOperands(), effects);
}

void WgmmaMergedOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addReads(getOperation()->getOpOperands(), effects);
}

LogicalResult WgmmaWaitOp::verify() {
  if (getAccumulators().empty()) // C2
    return emitOpError("needs an accumulator to wait for");
  return success();
}

/// Whether the types differ only in their registers, of which only the second's
/// are pinned.
static bool isPinnedAs(Type plain, Type pinned) {
  auto tile = cast<RankedTensorType>(plain);
  auto other = cast<RankedTensorType>(pinned);
  return !getPinnedAccAttr(tile) && getPinnedAccAttr(other) &&
         getLinearAttr(tile) == getLinearAttr(other) &&
         tile.getShape() == other.getShape() &&
         tile.getElementType() == other.getElementType();
}

/// Checks C1 of `warp.acc_store` and `warp.acc_load`.
static LogicalResult verifyMove(Operation *op, Type plain, Type pinned) {
  if (!isPinnedAs(plain, pinned))
    return op->emitOpError("moves a tile between ordinary and pinned "
                           "registers, got ")
           << op->getOperand(0).getType() << " and "
           << op->getResult(0).getType();
  return success();
}

LogicalResult AccStoreOp::verify() {
  return verifyMove(*this, getSource().getType(), getType());
}

LogicalResult AccLoadOp::verify() {
  return verifyMove(*this, getType(), getSource().getType());
}

LogicalResult ScaleOp::verify() {
  if (!isPinnedAs(getFactor().getType(), getType())) // C1
    return emitOpError("scales a tile in pinned registers by one in ordinary "
                       "registers, got ")
           << getType() << " and " << getFactor().getType();
  if (!getElementTypeOrSelf(getType()).isF32()) // C2
    return emitOpError("scales f32, got ") << getType();
  return success();
}
