#include "dialect/Warp/WarpTypes.h"

#include "dialect/Tile/TileTypes.h"
#include "dialect/Warp/WarpDialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

#include "dialect/Warp/WarpEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialect/Warp/WarpTypes.cpp.inc"

void WarpDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/Warp/WarpTypes.cpp.inc"
      >();
}

unsigned tilewright::warp::getElementBytes(Type elementType) {
  if (isa<tile::PtrType>(elementType))
    return 8;
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8u);
}

int64_t SharedType::getNumElements() const {
  return ShapedType::getNumElements(getShape());
}

int64_t SharedType::getSizeInBytes() const {
  return getNumElements() * getElementBytes(getElementType());
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 LinearAttr layout) {
  if (!elementType.isIntOrFloat() && !isa<tile::PtrType>(elementType))
    return emitError() << "shared memory holds integers, floats and pointers, "
                          "got "
                       << elementType;
  if (ShapedType::getNumElements(shape) < 2)
    return emitError() << "shared memory holds tiles of at least two elements";
  if (layout.isDistributed())
    return emitError() << "shared memory needs a layout of offsets, got "
                       << layout;
  if (failed(verifyCovers(layout.getLayout(), shape, emitError)))
    return failure();
  if (!layout.getLayout().isInjective())
    return emitError() << "two offsets hold the same element in " << layout;
  return success();
}

Type SharedType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  LinearAttr layout;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType) || parser.parseComma() ||
      parser.parseAttribute(layout) || parser.parseGreater())
    return {};
  return parser.getChecked<SharedType>(loc, parser.getContext(), shape,
                                       elementType, layout);
}

void SharedType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  printer << (getShape().empty() ? "" : "x") << getElementType() << ", "
          << getLayout() << '>';
}
