#include "dialect/Tile/TileDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tile;

#include "dialect/Tile/TileEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Tile/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Tile/TileTypes.cpp.inc"
      >();
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type pointee) {
  if (isa<PtrType, FloatType>(pointee))
    return success();
  if (auto integer = dyn_cast<IntegerType>(pointee)) {
    if (integer.isInteger(1))
      return emitError() << "booleans are stored as bytes: point to i8, not i1";
    if (integer.isSignless())
      return success();
  }
  return emitError()
         << "pointee must be a signless integer, a float or a pointer, got "
         << pointee;
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

RankedTensorType DescType::getBlockType() const {
  return RankedTensorType::get(getShape(), getElementType());
}

LogicalResult DescType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType) {
  if (shape.empty() || shape.size() > 5)
    return emitError() << "an array has one to five dimensions, got "
                       << shape.size();
  for (int64_t size : shape)
    if (size < 1)
      return emitError() << "a block needs extents of at least 1, got " << size;
  if (!elementType.isIntOrFloat())
    return emitError() << "an array holds integers or floats, got "
                       << elementType;
  return success();
}

/// Parses `128x64xf16`.
Type DescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseGreater())
    return {};
  return parser.getChecked<DescType>(loc, parser.getContext(),
                                     ArrayRef<int64_t>(shape), elementType);
}

void DescType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << 'x' << getElementType() << '>';
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

Type tilewright::tile::withElementType(Type type, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.clone(element);
  return element;
}

Type tilewright::tile::getPointeeType(Type type) {
  auto ptr = dyn_cast<PtrType>(getElementTypeOrSelf(type));
  return ptr ? withElementType(type, ptr.getPointee()) : Type();
}

Type tilewright::tile::getBoolTypeLike(Type type) {
  return withElementType(type, IntegerType::get(type.getContext(), 1));
}

bool tilewright::tile::haveSameForm(Type a, Type b) {
  auto tile = dyn_cast<RankedTensorType>(a);
  auto other = dyn_cast<RankedTensorType>(b);
  if (!tile || !other)
    return !tile && !other;
  return tile.getShape() == other.getShape() &&
         tile.getEncoding() == other.getEncoding();
}

bool tilewright::tile::isFloat8(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

bool tilewright::tile::areDotShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                                    ArrayRef<int64_t> acc) {
  size_t rank = acc.size();
  if ((rank != 2 && rank != 3) || a.size() != rank || b.size() != rank)
    return false;
  bool sameBatch = rank == 2 || (a[0] == acc[0] && b[0] == acc[0]);
  return sameBatch && a[rank - 1] == b[rank - 2] &&
         a[rank - 2] == acc[rank - 2] && b[rank - 1] == acc[rank - 1];
}
