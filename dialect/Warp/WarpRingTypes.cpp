// Rings: their text and where the tiles of a slot stand.

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

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t numSlots, ArrayRef<SharedType> tiles,
                               Completion completion) {
  // Who fills a slot while reading another one needs two.
  int64_t least = completion == Completion::AsyncGroups ? 2 : 1;
  if (numSlots < least)
    return emitError() << "a ring of " << stringifyCompletion(completion)
                       << " has at least " << least << " slots, got "
                       << numSlots;
  if (tiles.empty())
    return emitError() << "a slot holds at least one tile";
  return success();
}

/// `3 x {!warp.shared<...>, ...}, async_groups`
Type RingType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t numSlots;
  SmallVector<SharedType> tiles;
  StringRef kind;
  SMLoc kindLoc;
  if (parser.parseLess() || parser.parseInteger(numSlots) ||
      parser.parseKeyword("x") ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Braces,
          [&] { return parser.parseType(tiles.emplace_back()); }) ||
      parser.parseComma() || parser.getCurrentLocation(&kindLoc) ||
      parser.parseKeyword(&kind) || parser.parseGreater())
    return {};
  std::optional<Completion> completion = symbolizeCompletion(kind);
  if (!completion) {
    parser.emitError(kindLoc, "unknown completion kind '") << kind << "'";
    return {};
  }
  return parser.getChecked<RingType>(loc, parser.getContext(), numSlots,
                                     ArrayRef<SharedType>(tiles), *completion);
}

void RingType::print(AsmPrinter &printer) const {
  printer << '<' << getNumSlots() << " x {";
  llvm::interleaveComma(getTiles(), printer.getStream(),
                        [&](SharedType tile) { printer.printType(tile); });
  printer << "}, " << stringifyCompletion(getCompletion()) << '>';
}
