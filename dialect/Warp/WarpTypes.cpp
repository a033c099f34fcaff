#include "dialect/Warp/WarpTypes.h"

#include "dialect/Tile/TileTypes.h"
#include "dialect/Warp/WarpDialect.h"
#include "lib/Layout/TileLayouts.h"
#include "lib/Layout/TmaTiling.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

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

/// Tiles that have a default layout easily fit into shared memory.
static constexpr int64_t kMaxDim = 1 << 12;
static constexpr size_t kMaxRank = 5;

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

/// Returns the default layout of a tile in shared memory, or null with an error
/// if it has none.
static LinearAttr getDefaultLayout(AsmParser &parser, SMLoc loc,
                                   ArrayRef<int64_t> shape, Type elementType) {
  bool hasLayout =
      !shape.empty() && shape.size() <= kMaxRank &&
      llvm::all_of(shape, [](int64_t size) {
        return size > 0 && size <= kMaxDim && llvm::isPowerOf2_64(size);
      });
  if (!hasLayout || !elementType.isIntOrFloat()) {
    parser.emitError(loc, "needs a layout: only tiles of numbers with "
                          "power-of-two extents have a default layout");
    return {};
  }
  unsigned bits = 8 * getElementBytes(elementType);
  std::optional<LinearLayout> layout = tmaLayout(shape, bits);
  SmallVector<int32_t> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return LinearAttr::get(parser.getContext(),
                         layout ? *layout : sharedLayout(shape, order));
}

Type SharedType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  LinearAttr layout;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(elementType))
    return {};
  if (failed(parser.parseOptionalComma()))
    layout = getDefaultLayout(parser, loc, shape, elementType);
  else if (parser.parseAttribute(layout))
    return {};
  if (!layout || parser.parseGreater())
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
