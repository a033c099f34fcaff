#include "lib/Analysis/SharedMemory/ScratchMemory.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Layout/ReductionPlan.h"
#include "lib/Analysis/Layout/ScanPlan.h"
#include "lib/Layout/LayoutConversion.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

bool tilewright::needsResultExchange(Operation *atomic) {
  Value result = atomic->getResult(0);
  if (result.use_empty())
    return false;
  std::optional<LinearLayout> layout = warp::getLayout(result.getType());
  // One thread executes a scalar atomic, and all threads use its result.
  if (!layout)
    return !isa<RankedTensorType>(result.getType());
  return layout->getFreeBits(LayoutAxis::Lane) != 0 ||
         layout->getFreeBits(LayoutAxis::Warp) != 0;
}

/// Whether one thread performs `op` for the program, with a memory order for
/// which `has` is true.
static bool isScalarAtomic(Operation *op,
                           llvm::function_ref<bool(tile::MemorySemantic)> has) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>([&](auto atomic) {
        return !isa<RankedTensorType>(atomic.getPtr().getType()) &&
               has(atomic.getSem());
      })
      .Default([](Operation *) { return false; });
}

bool tilewright::beginsWithBarrier(Operation *op) {
  return isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op) &&
         (op->hasAttr(warp::WarpDialect::kOrderedAttr) ||
          isScalarAtomic(op, tile::releases));
}

bool tilewright::endsWithBarrier(Operation *op) {
  return isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op) &&
         (op->hasAttr(warp::WarpDialect::kOrderedAttr) ||
          isScalarAtomic(op, tile::acquires) || needsResultExchange(op));
}

int64_t tilewright::getOrderTableSize(Operation *atomic) {
  constexpr uint64_t kLeast = 32, kMost = 8192;
  auto tile = dyn_cast<RankedTensorType>(atomic->getResult(0).getType());
  if (!tile || !atomic->hasAttr(warp::WarpDialect::kByElementAttr))
    return 0;
  return std::clamp(llvm::PowerOf2Ceil(2 * tile.getNumElements()), kLeast,
                    kMost);
}

static int64_t getExchangeBytes(Operation *atomic) {
  if (!needsResultExchange(atomic))
    return 0;
  Type type = atomic->getResult(0).getType();
  auto tile = dyn_cast<RankedTensorType>(type);
  return warp::getElementBytes(getElementTypeOrSelf(type)) *
         (tile ? tile.getNumElements() : 1);
}

/// The table of the order and the exchanged results share the same bytes.
static int64_t getAtomicScratchBytes(Operation *atomic) {
  constexpr int64_t kNumberBytes = 4;
  return std::max(getExchangeBytes(atomic),
                  kNumberBytes * getOrderTableSize(atomic));
}

static int64_t getConversionScratchBytes(warp::ConvertLayoutOp op) {
  RankedTensorType type = op.getSource().getType();
  std::optional<LinearLayout> source = warp::getLayout(type);
  std::optional<LinearLayout> result = warp::getLayout(op.getType());
  if (!source || !result)
    return 0;
  return getScratchBytes(*source, *result,
                         warp::getElementBytes(type.getElementType()));
}

/// The size of a tile that has a layout.
static int64_t getTileBytes(RankedTensorType type) {
  if (!warp::getLayout(type))
    return 0;
  return type.getNumElements() * warp::getElementBytes(type.getElementType());
}

/// The whole source, from which every thread gathers.
static int64_t getGatherScratchBytes(tile::GatherOp gather) {
  return getTileBytes(gather.getSource().getType());
}

/// The bins, to which all threads add.
static int64_t getHistogramScratchBytes(tile::HistogramOp histogram) {
  return getTileBytes(histogram.getType());
}

int64_t tilewright::getScratchBytes(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](tile::ReduceOp reduce) { return getReduceScratchBytes(reduce); })
      .Case([](tile::ScanOp scan) { return getScanScratchBytes(scan); })
      .Case<tile::AtomicRMWOp, tile::AtomicCASOp>(
          [](Operation *atomic) { return getAtomicScratchBytes(atomic); })
      .Case([](tile::GatherOp gather) { return getGatherScratchBytes(gather); })
      .Case([](tile::HistogramOp histogram) {
        return getHistogramScratchBytes(histogram);
      })
      .Case([](warp::ConvertLayoutOp convert) {
        return getConversionScratchBytes(convert);
      })
      .Default([](Operation *) { return 0; });
}
