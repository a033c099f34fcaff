#include "dialect/Warp/WarpAttributes.h"

#include "dialect/Warp/WarpDialect.h"
#include "lib/Layout/TileLayouts.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

#define GET_ATTRDEF_CLASSES
#include "dialect/Warp/WarpAttributes.cpp.inc"

static constexpr LayoutAxis kDistributedAxes[] = {
    LayoutAxis::Register, LayoutAxis::Lane, LayoutAxis::Warp,
    LayoutAxis::Block};

/// Maximum bits of a tile along one axis or dimension. It keeps sums of bits
/// far below the 64 bits that the algebra can represent.
static constexpr unsigned kMaxAxisBits = 16;
static constexpr unsigned kMaxTileBits = 32;

void WarpDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/Warp/WarpAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// LinearAttr
//===----------------------------------------------------------------------===//

LinearLayout tilewright::warp::withAllAxes(LinearLayout layout) {
  if (layout.hasIn(LayoutAxis::Offset))
    return layout;
  for (LayoutAxis axis : kDistributedAxes)
    if (!layout.hasIn(axis))
      layout *= LinearLayout({{axis, 0}}, {}, {});
  return layout;
}

bool LinearAttr::isDistributed() const {
  return !getLayout().hasIn(LayoutAxis::Offset);
}

LogicalResult LinearAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 LinearLayout layout) {
  if (layout.hasIn(LayoutAxis::Offset) && layout.getIns().size() > 1)
    return emitError() << "a layout has offsets or registers, not both";
  for (const Extent &in : layout.getIns())
    if (isDimAxis(in.axis))
      return emitError() << "a layout maps from hardware indices or offsets, "
                            "not from dimensions";
  if (layout.getRank() != layout.getOuts().size())
    return emitError() << "a layout maps to the dimensions of a tile";
  return success();
}

LogicalResult
LinearAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (!isDistributed())
    return emitError() << "a tensor is held in registers, got a layout of "
                          "offsets";
  if (getLayout().getInBits(LayoutAxis::Lane) != kLaneBits)
    return emitError() << "a warp has 32 lanes, got "
                       << getLayout().getInSize(LayoutAxis::Lane);
  return verifyCovers(getLayout(), shape, emitError);
}

LogicalResult
PinnedAccAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      unsigned bank, LinearAttr layout) {
  if (bank >= kMaxBanks)
    return emitError() << "there are " << kMaxBanks
                       << " banks of pinned registers, got number " << bank;
  return success();
}

LogicalResult PinnedAccAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type elementType,
    function_ref<InFlightDiagnostic()> emitError) const {
  return getLayout().verifyEncoding(shape, elementType, emitError);
}

LogicalResult
tilewright::warp::verifyCovers(const LinearLayout &layout,
                               ArrayRef<int64_t> shape,
                               function_ref<InFlightDiagnostic()> emitError) {
  if (layout.getRank() != shape.size())
    return emitError() << "layout of rank " << layout.getRank()
                       << " on a tile of rank " << shape.size();
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!llvm::isPowerOf2_64(size))
      return emitError() << "dimension " << d << " has size " << size
                         << ", which is not a power of two";
    if (layout.getOutSize(dimAxis(d)) != size)
      return emitError() << "layout reaches " << layout.getOutSize(dimAxis(d))
                         << " elements along dimension " << d << " of size "
                         << size;
  }
  if (!layout.isSurjective())
    return emitError() << "layout does not cover all elements of the tile";
  return success();
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

using AxisBases = LinearLayout::AxisBases;

static std::optional<LayoutAxis> parseAxisName(StringRef name) {
  for (LayoutAxis axis :
       {LayoutAxis::Register, LayoutAxis::Lane, LayoutAxis::Warp,
        LayoutAxis::Block, LayoutAxis::Offset})
    if (name == getAxisName(axis))
      return axis;
  return std::nullopt;
}

/// Parses `[1, 0]`.
static ParseResult parseBasis(AsmParser &parser, SmallVector<int64_t> &basis) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc loc = parser.getCurrentLocation();
        int64_t value;
        if (parser.parseInteger(value))
          return failure();
        if (value < 0 || value >= int64_t(1) << kMaxAxisBits)
          return parser.emitError(loc, "basis ")
                 << value << " is outside of [0, " << (1 << kMaxAxisBits)
                 << ")";
        basis.push_back(value);
        return success();
      });
}

/// Parses `lane = [[1, 0], [2, 0]]`.
static ParseResult parseAxis(AsmParser &parser,
                             SmallVectorImpl<AxisBases> &axes) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name) || parser.parseEqual())
    return failure();
  std::optional<LayoutAxis> axis = parseAxisName(name);
  if (!axis)
    return parser.emitError(loc, "unknown axis '") << name << "'";
  if (llvm::any_of(axes, [&](auto &a) { return a.axis == *axis; }))
    return parser.emitError(loc, "axis '") << name << "' is given twice";
  AxisBases &bases = axes.emplace_back(AxisBases{*axis, {}});
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseBasis(parser, bases.bases.emplace_back());
      }))
    return failure();
  if (bases.bases.size() > kMaxAxisBits)
    return parser.emitError(loc, "axis '")
           << name << "' has more than " << kMaxAxisBits << " bits";
  return success();
}

/// Returns the shape that the bases span: each dimension up to the highest bit
/// of any basis. A layout that covers its tile spans exactly the tile.
static FailureOr<SmallVector<int64_t>> getReach(AsmParser &parser, SMLoc loc,
                                                ArrayRef<AxisBases> axes) {
  SmallVector<int64_t> highest;
  bool first = true;
  for (const AxisBases &axis : axes)
    for (ArrayRef<int64_t> basis : axis.bases) {
      if (first)
        highest.assign(basis.size(), 0);
      first = false;
      if (basis.size() != highest.size())
        return parser.emitError(loc, "bases have different ranks: ")
               << highest.size() << " and " << basis.size();
      for (auto [h, value] : llvm::zip_equal(highest, basis))
        h |= value;
    }
  if (highest.size() > kMaxLayoutRank)
    return parser.emitError(loc, "layout of rank ")
           << highest.size() << " is above the largest, " << kMaxLayoutRank;
  unsigned bits = 0;
  for (int64_t &h : highest) {
    h = llvm::PowerOf2Ceil(h + 1);
    bits += llvm::Log2_64(h);
  }
  if (bits > kMaxTileBits)
    return parser.emitError(loc, "layout of a tile of 2^")
           << bits << " elements; at most 2^" << kMaxTileBits;
  return highest;
}

Attribute LinearAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<AxisBases> axes;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces,
                                     [&] { return parseAxis(parser, axes); }) ||
      parser.parseGreater())
    return {};
  FailureOr<SmallVector<int64_t>> reach = getReach(parser, loc, axes);
  if (failed(reach))
    return {};
  return parser.getChecked<LinearAttr>(loc, parser.getContext(),
                                       LinearLayout::fromBases(axes, *reach));
}

void LinearAttr::print(AsmPrinter &printer) const {
  auto printBasis = [&](ArrayRef<int64_t> basis) {
    printer << '[';
    llvm::interleaveComma(basis, printer.getStream());
    printer << ']';
  };
  printer << "<{";
  llvm::interleaveComma(
      getLayout().getIns(), printer.getStream(), [&](const Extent &in) {
        printer << getAxisName(in.axis) << " = [";
        llvm::interleaveComma(llvm::seq<unsigned>(0, in.bits),
                              printer.getStream(), [&](unsigned bit) {
                                printBasis(getLayout().getBasis(in.axis, bit));
                              });
        printer << ']';
      });
  printer << "}>";
}

//===----------------------------------------------------------------------===//
// Layouts of types
//===----------------------------------------------------------------------===//

LinearAttr tilewright::warp::getLinearAttr(Type type) {
  if (PinnedAccAttr pinned = getPinnedAccAttr(type))
    return pinned.getLayout();
  auto tensor = dyn_cast_if_present<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<LinearAttr>(tensor.getEncoding())
                : LinearAttr();
}

PinnedAccAttr tilewright::warp::getPinnedAccAttr(Type type) {
  auto tensor = dyn_cast_if_present<RankedTensorType>(type);
  return tensor ? dyn_cast_if_present<PinnedAccAttr>(tensor.getEncoding())
                : PinnedAccAttr();
}

std::optional<LinearLayout> tilewright::warp::getLayout(Type type) {
  LinearAttr attr = getLinearAttr(type);
  return attr ? std::optional(attr.getLayout()) : std::nullopt;
}

RankedTensorType tilewright::warp::withLayout(RankedTensorType type,
                                              const LinearLayout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               LinearAttr::get(type.getContext(), layout));
}
