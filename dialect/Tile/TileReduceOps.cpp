#include "dialect/Tile/TileLayoutInterface.h"
#include "dialect/Tile/TileOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileReduceOps.cpp.inc"

static LogicalResult inferReduced(std::optional<Location> loc,
                                  RankedTensorType source, int64_t axis,
                                  SmallVectorImpl<Type> &types) {
  if (axis < 0 || axis >= source.getRank()) // C2
    return emitOptionalError(loc, "axis ", axis, " is outside of [0, ",
                             source.getRank(), ")");
  if (source.getRank() == 1) {
    types.push_back(source.getElementType());
    return success();
  }
  SmallVector<int64_t> shape(source.getShape());
  shape.erase(shape.begin() + axis);
  Attribute encoding;
  if (auto *layouts = getLayoutInterface(source)) {
    FailureOr<Attribute> inferred = layouts->inferReduce(source, axis);
    if (failed(inferred))
      return emitOptionalError(loc, "no layout follows from ", source);
    encoding = *inferred;
  }
  types.push_back(
      RankedTensorType::get(shape, source.getElementType(), encoding));
  return success();
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (adaptor.getOperands().empty() || !adaptor.getAxisAttr())
    return emitOptionalError(loc, "reduces at least one tile along an axis");
  for (Value operand : adaptor.getOperands()) {
    auto source = dyn_cast<RankedTensorType>(operand.getType());
    if (!source)
      return emitOptionalError(loc, "reduces tiles, got ", operand.getType());
    if (failed(inferReduced(loc, source,
                            static_cast<int32_t>(adaptor.getAxis()), types)))
      return failure();
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (getOperands().empty())
    return emitOpError("reduces at least one tile");
  auto first = cast<RankedTensorType>(getOperands().front().getType());
  for (Value operand : getOperands().drop_front()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getShape() != first.getShape() ||
        type.getEncoding() != first.getEncoding()) // C1
      return emitOpError("reduces tiles of one shape, got ")
             << first << " and " << type;
  }
  return success();
}

/// Checks C3 and C4 of reductions and scans: the region of `op` combines two
/// elements of each operand.
static LogicalResult verifyCombine(Operation *op) {
  SmallVector<Type> elements;
  for (Type type : op->getOperandTypes())
    elements.push_back(getElementTypeOrSelf(type));
  SmallVector<Type> expected(elements);
  expected.append(elements);
  Block &block = op->getRegion(0).front();
  if (TypeRange(expected) != block.getArgumentTypes()) // C3
    return op->emitOpError("combines (")
           << expected << ") but its region takes (" << block.getArgumentTypes()
           << ")";
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || TypeRange(elements) != yield.getOperandTypes()) // C4
    return op->emitOpError("combines to (")
           << elements << ") but its region yields ("
           << block.getTerminator()->getOperandTypes() << ")";
  for (Operation &inner : block.without_terminator())
    if (!isMemoryEffectFree(&inner)) { // C4
      auto error = op->emitOpError("has a combine region with side effects");
      error.attachNote(inner.getLoc()) << "'" << inner.getName() << "' is here";
      return error;
    }
  return success();
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombine(*this); }

//===-- scan --------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  if (getOperands().empty()) // C1
    return emitOpError("scans at least one tile");
  auto first = cast<RankedTensorType>(getOperands().front().getType());
  for (Value operand : getOperands().drop_front()) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (type.getShape() != first.getShape() ||
        type.getEncoding() != first.getEncoding()) // C1
      return emitOpError("scans tiles of one shape, got ")
             << first << " and " << type;
  }
  if (getOperandTypes() != getResultTypes()) // C1
    return emitOpError("needs results of its operand types (")
           << getOperandTypes() << "), got (" << getResultTypes() << ")";
  if (int32_t axis = getAxis(); axis < 0 || axis >= first.getRank()) // C2
    return emitOpError("has axis ")
           << axis << ", which is outside of [0, " << first.getRank() << ")";
  return success();
}

LogicalResult ScanOp::verifyRegions() { return verifyCombine(*this); }

//===-- map ---------------------------------------------------------------===//

LogicalResult MapOp::verify() {
  if (getOperands().empty() || getResults().empty()) // C1
    return emitOpError("needs at least one operand and one result");
  Type first = getOperand(0).getType();
  for (Value value : llvm::concat<Value>(getOperands(), getResults())) {
    Type type = value.getType();
    if (!haveSameForm(type, first)) // C1
      return emitOpError("has operands and results of one shape, got ")
             << first << " and " << type;
  }
  if (!llvm::isPowerOf2_32(getPack()) || getPack() > 32) // C2
    return emitOpError("packs a power of two up to 32 elements, got ")
           << static_cast<int32_t>(getPack());
  return success();
}

LogicalResult MapOp::verifyRegions() {
  auto getElements = [&](TypeRange types) {
    SmallVector<Type> elements;
    for (Type type : types)
      elements.append(getPack(), getElementTypeOrSelf(type));
    return elements;
  };
  SmallVector<Type> taken = getElements(getOperandTypes());
  SmallVector<Type> given = getElements(getResultTypes());
  Block &block = getFunction().front();
  if (TypeRange(taken) != block.getArgumentTypes()) // C3
    return emitOpError("maps (") << taken << ") but its region takes ("
                                 << block.getArgumentTypes() << ")";
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || TypeRange(given) != yield.getOperandTypes()) // C4
    return emitOpError("returns (")
           << given << ") but its region yields ("
           << block.getTerminator()->getOperandTypes() << ")";
  for (Operation &op : block.without_terminator()) {
    bool hasTile =
        op.walk([](Operation *inner) {
            bool isTile = llvm::any_of(inner->getResultTypes(),
                                       llvm::IsaPred<RankedTensorType>);
            return isTile ? WalkResult::interrupt() : WalkResult::advance();
          }).wasInterrupted();
    if (!hasTile && isMemoryEffectFree(&op)) // C5
      continue;
    auto error = emitOpError("has a region with ")
                 << (hasTile ? "tiles" : "side effects");
    error.attachNote(op.getLoc()) << "'" << op.getName() << "' is here";
    return error;
  }
  return success();
}
