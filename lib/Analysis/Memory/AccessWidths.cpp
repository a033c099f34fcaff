#include "lib/Analysis/Memory/AccessWidths.h"

#include "dialect/Warp/WarpAttributes.h"
#include "lib/Analysis/Facts/AxisInfo.h"
#include "lib/Analysis/SharedMemory/ScratchMemory.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

unsigned tilewright::getAccessWidth(const AxisInfoAnalysis &analysis, Value ptr,
                                    Value mask) {
  std::optional<LinearLayout> layout = warp::getLayout(ptr.getType());
  if (!layout)
    return 1;
  int64_t width = 1;
  for (unsigned dim = 0, rank = layout->getRank(); dim < rank; ++dim)
    width = std::max(width, std::min(layout->getNumConsecutive(
                                         LayoutAxis::Register, dimAxis(dim)),
                                     analysis.getVectorSize(ptr, mask, dim)));
  return width;
}

bool tilewright::fencesOncePerThread(tile::AtomicRMWOp op) {
  auto tile = dyn_cast<RankedTensorType>(op.getPtr().getType());
  if (!tile || op.getSem() == tile::MemorySemantic::Relaxed ||
      getOrderTableSize(op) != 0)
    return false;
  std::optional<LinearLayout> layout = warp::getLayout(tile);
  return !layout || layout->getInSize(LayoutAxis::Register) > 1;
}

bool tilewright::needsNoResult(tile::AtomicRMWOp op) {
  return op->use_empty() && getOrderTableSize(op) == 0 &&
         (!tile::acquires(op.getSem()) || fencesOncePerThread(op)) &&
         op.getKind() != tile::AtomicKind::Xchg;
}

unsigned tilewright::getAtomicWidth(tile::AtomicRMWOp op,
                                    const NvidiaTarget &target) {
  constexpr unsigned kBits = 128;
  Type element = getElementTypeOrSelf(op.getType());
  bool isHopper = target.computeCapability >= 90;
  // A loop handles ordered elements one at a time, since neighbours may have
  // different positions in the order.
  if (getOrderTableSize(op) != 0 || op.getKind() != tile::AtomicKind::FAdd ||
      element.isF64())
    return 1;
  if (isHopper && needsNoResult(op))
    return kBits / element.getIntOrFloatBitWidth();
  bool hasPairs = element.isF16() || (element.isBF16() && isHopper);
  return hasPairs ? 2 : 1;
}

AccessWidths::AccessWidths(Operation *root, const AxisInfoAnalysis &analysis) {
  root->walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRMWOp>([&](auto access) {
          widths[op] =
              getAccessWidth(analysis, access.getPtr(), access.getMask());
        });
  });
}
