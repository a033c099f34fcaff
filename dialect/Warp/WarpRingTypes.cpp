// Rings: their text, and the offsets of the tiles of a slot.

#include "dialect/Warp/WarpTypes.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

static constexpr int64_t kLeastAlignment = 128, kMostAlignment = 1024;

static int64_t getAlignment(SharedType tile) {
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(tile.getSizeInBytes()),
                             kLeastAlignment, kMostAlignment);
}

int64_t RingType::getTileOffset(unsigned index) const {
  int64_t offset = 0;
  for (SharedType tile : getTiles().take_front(index))
    offset = llvm::alignTo(offset, getAlignment(tile)) + tile.getSizeInBytes();
  return index < getTiles().size()
             ? llvm::alignTo(offset, getAlignment(getTiles()[index]))
             : offset;
}

int64_t RingType::getSlotBytes() const {
  int64_t alignment = kLeastAlignment;
  for (SharedType tile : getTiles())
    alignment = std::max(alignment, getAlignment(tile));
  return llvm::alignTo(getTileOffset(getTiles().size()), alignment);
}

int64_t RingType::getPayloadBytes() const {
  int64_t bytes = 0;
  for (SharedType tile : getTiles())
    bytes += tile.getSizeInBytes();
  return bytes;
}

int64_t RingType::getSizeInBytes() const {
  constexpr int64_t kBarrierBytes = 8;
  int64_t slots = getBarrierOffset();
  return getCompletion() == Completion::Transactions
             ? slots + 2 * kBarrierBytes * getNumSlots()
             : slots;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Checks a cluster size; 1 means no cluster.
static LogicalResult
verifyClusterSize(function_ref<InFlightDiagnostic()> emitError, unsigned size) {
  if (llvm::isPowerOf2_32(size) && size <= kMaxClusterSize)
    return success();
  return emitError() << "a cluster size is a power of two up to "
                     << kMaxClusterSize << ", got " << size;
}

/// Parses the size in `cluster 2`, after the keyword.
static ParseResult parseClusterSize(AsmParser &parser, unsigned &size) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseInteger(size))
    return failure();
  if (size == 1)
    return parser.emitError(loc, "a cluster has at least two CTAs");
  return success();
}

LogicalResult SlotType::verify(function_ref<InFlightDiagnostic()> emitError,
                               unsigned clusterSize) {
  return verifyClusterSize(emitError, clusterSize);
}

/// Parses nothing, or `<cluster 2>`.
Type SlotType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  unsigned size = 1;
  if (succeeded(parser.parseOptionalLess()) &&
      (parser.parseKeyword("cluster") || parseClusterSize(parser, size) ||
       parser.parseGreater()))
    return {};
  return parser.getChecked<SlotType>(loc, parser.getContext(), size);
}

void SlotType::print(AsmPrinter &printer) const {
  if (getClusterSize() != 1)
    printer << "<cluster " << getClusterSize() << '>';
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t numSlots, ArrayRef<SharedType> tiles,
                               Completion completion, unsigned clusterSize) {
  if (numSlots < 1)
    return emitError() << "a ring has at least one slot, got " << numSlots;
  if (tiles.empty())
    return emitError() << "a slot holds at least one tile";
  if (clusterSize != 1 && completion != Completion::Transactions)
    return emitError() << "a ring of " << stringifyCompletion(completion)
                       << " belongs to one CTA, not to a cluster of "
                       << clusterSize;
  return verifyClusterSize(emitError, clusterSize);
}

/// Parses `3 x {!warp.shared<...>, ...}, async_groups`, and `, cluster 2`.
Type RingType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t numSlots;
  SmallVector<SharedType> tiles;
  StringRef kind;
  SMLoc kindLoc;
  unsigned clusterSize = 1;
  if (parser.parseLess() || parser.parseInteger(numSlots) ||
      parser.parseKeyword("x") ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Braces,
          [&] { return parser.parseType(tiles.emplace_back()); }) ||
      parser.parseComma() || parser.getCurrentLocation(&kindLoc) ||
      parser.parseKeyword(&kind))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("cluster") || parseClusterSize(parser, clusterSize)))
    return {};
  if (parser.parseGreater())
    return {};
  std::optional<Completion> completion = symbolizeCompletion(kind);
  if (!completion) {
    parser.emitError(kindLoc, "unknown completion kind '") << kind << "'";
    return {};
  }
  return parser.getChecked<RingType>(loc, parser.getContext(), numSlots,
                                     ArrayRef<SharedType>(tiles), *completion,
                                     clusterSize);
}

void RingType::print(AsmPrinter &printer) const {
  printer << '<' << getNumSlots() << " x {";
  llvm::interleaveComma(getTiles(), printer.getStream(),
                        [&](SharedType tile) { printer.printType(tile); });
  printer << "}, " << stringifyCompletion(getCompletion());
  if (getClusterSize() != 1)
    printer << ", cluster " << getClusterSize();
  printer << '>';
}
