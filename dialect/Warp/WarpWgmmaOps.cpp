#include "dialect/Tile/TileTypes.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/WgmmaTiling.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

//===----------------------------------------------------------------------===//
// Text form
//===----------------------------------------------------------------------===//

/// Parses one operand, or several in brackets.
static ParseResult
parseDotOperands(OpAsmParser &parser,
                 SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  if (failed(parser.parseOptionalLSquare()))
    return parser.parseOperand(operands.emplace_back());
  return failure(parser.parseOperandList(operands) || parser.parseRSquare());
}

static void printDotOperands(OpAsmPrinter &printer, Operation *,
                             OperandRange operands) {
  if (operands.size() == 1)
    printer << operands.front();
  else
    printer << '[' << operands << ']';
}

/// Parses one type, or several in brackets.
static ParseResult parseDotTypes(OpAsmParser &parser,
                                 SmallVectorImpl<Type> &types) {
  if (failed(parser.parseOptionalLSquare()))
    return parser.parseType(types.emplace_back());
  return failure(parser.parseTypeList(types) || parser.parseRSquare());
}

static void printDotTypes(OpAsmPrinter &printer, Operation *, TypeRange types) {
  if (types.size() == 1)
    printer << types.front();
  else
    printer << '[' << types << ']';
}

#define GET_OP_CLASSES
#include "dialect/Warp/WarpWgmmaOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Dots
//===----------------------------------------------------------------------===//

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

/// Whether wgmma supports these element types.
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

/// Checks C2 to C5 of `warp.wgmma` for the dot of `b` and `acc`.
static LogicalResult verifyDot(WgmmaOp op, Type typeOfB, Type typeOfAcc) {
  Type types[] = {op.getA().getType(), typeOfB, typeOfAcc};
  Operand a(types[0]), b(types[1]), acc(types[2]);
  if (a.shape.size() != 2 || b.shape.size() != 2 || acc.shape.size() != 2 ||
      a.shape[0] != acc.shape[0] || a.shape[1] != b.shape[0] ||
      b.shape[1] != acc.shape[1]) // C2
    return op.emitOpError("multiplies MxK by KxN onto MxN, got ")
           << types[0] << ", " << types[1] << " and " << types[2];
  if (!areWgmmaTypes(a.element, b.element, acc.element)) // C3
    return op.emitOpError("has no tensor-core instruction for ")
           << a.element << ", " << b.element << " and " << acc.element;
  bool aInShared = isa<SharedType>(types[0]);
  bool isLaidOut = acc.layout || (!aInShared && a.layout);
  if (!isLaidOut && !hasLayouts(op))
    return success();
  if (!a.layout || !acc.layout)
    return op.emitOpError("needs tiles with a #warp.linear layout");
  WgmmaObstacle obstacle;
  if (planWgmma(*a.layout, aInShared, *b.layout, *acc.layout,
                a.element.getIntOrFloatBitWidth(), obstacle))
    return success();
  Type culprit = types[unsigned(obstacle)];
  if (isa<SharedType>(culprit)) // C5
    return op.emitOpError("has shared memory that no matrix descriptor "
                          "expresses: ")
           << culprit;
  return op.emitOpError("has a tile in registers that no wgmma takes: ") // C4
         << culprit;
}

/// Checks that all dots of `op` have the element types of the first one.
static LogicalResult verifySameTypes(WgmmaOp op) {
  Operand first(op.getB()[0].getType()), firstAcc(op.getAcc()[0].getType());
  for (auto [b, acc] : llvm::zip_equal(op.getB(), op.getAcc())) {
    Operand right(b.getType()), each(acc.getType());
    if (right.element != first.element || each.element != firstAcc.element)
      return op.emitOpError("needs the same element types in all dots, got ")
             << right.element << " onto " << each.element << " after "
             << first.element << " onto " << firstAcc.element;
  }
  return success();
}

LogicalResult WgmmaOp::verify() {
  if (getB().empty() || getB().size() != getAcc().size()) // C1
    return emitOpError("needs as many B operands as accumulators, at least "
                       "one, got ")
           << getB().size() << " and " << getAcc().size();
  for (auto [b, acc] : llvm::zip_equal(getB(), getAcc()))
    if (failed(verifyDot(*this, b.getType(), acc.getType())))
      return failure();
  if (failed(verifySameTypes(*this))) // C3
    return failure();
  if (getNumDots() > 1 && getNumColumns() > kWgmmaMaxColumns) // C6
    return emitOpError("computes at most ")
           << kWgmmaMaxColumns << " columns of several dots, got "
           << getNumColumns();
  return success();
}

static Value getSingle(ValueRange values) {
  return values.size() == 1 ? values.front() : Value();
}

Value WgmmaOp::getSingleB() { return getSingle(getB()); }

Value WgmmaOp::getSingleAcc() { return getSingle(getAcc()); }

Value WgmmaOp::getSingleResult() { return getSingle(getResults()); }

Value WgmmaOp::getTiedResult(OpOperand &acc) {
  size_t first = getMultiplicands().size(), number = acc.getOperandNumber();
  return acc.getOwner() == *this && number >= first
             ? Value(getResults()[number - first])
             : Value();
}

int64_t WgmmaOp::getNumColumns() {
  int64_t columns = 0;
  for (Value acc : getAcc())
    columns += cast<RankedTensorType>(acc.getType()).getShape().back();
  return columns;
}

void WgmmaOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (isa<SharedType>(operand.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SharedMemory::get());
}

//===----------------------------------------------------------------------===//
// Waits and pinned registers
//===----------------------------------------------------------------------===//

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
