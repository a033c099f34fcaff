#include "lib/Analysis/Layout/ScanPlan.h"

#include "dialect/Warp/WarpTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// The alignment of the widest access to shared memory.
static constexpr int64_t kScratchAlignment = 16;
static constexpr unsigned kLaneBits = 5;

uint64_t ScanSegment::getMask() const {
  uint64_t mask = 0;
  for (unsigned bit : bits)
    mask |= uint64_t(1) << bit;
  return mask;
}

std::optional<ScanPlan> ScanPlan::get(const LinearLayout &layout,
                                      unsigned axis) {
  ScanPlan plan;
  plan.numRegisters = layout.getInSize(LayoutAxis::Register);
  plan.numLaneBits = layout.getInBits(LayoutAxis::Lane);
  plan.numWarpBits = layout.getInBits(LayoutAxis::Warp);
  plan.copyRegisterBits = layout.getFreeBits(LayoutAxis::Register);
  plan.copyLaneBits = layout.getFreeBits(LayoutAxis::Lane);
  plan.copyWarpBits = layout.getFreeBits(LayoutAxis::Warp);
  const unsigned indexBits = layout.getOutBits(dimAxis(axis));
  SmallVector<std::optional<std::pair<LayoutAxis, unsigned>>> found(indexBits);
  for (LayoutAxis in :
       {LayoutAxis::Register, LayoutAxis::Lane, LayoutAxis::Warp}) {
    const uint64_t copies = layout.getFreeBits(in);
    for (unsigned bit = 0, e = layout.getInBits(in); bit < e; ++bit) {
      SmallVector<int64_t> basis = layout.getBasis(in, bit);
      const uint64_t along = basis[axis];
      basis[axis] = 0;
      const bool hasOthers = llvm::any_of(basis, [](int64_t v) { return v; });
      const bool isCopy = copies >> bit & 1;
      if (isCopy ? along || hasOthers : along && hasOthers)
        return std::nullopt;
      if (along == 0)
        continue;
      if (!llvm::isPowerOf2_64(along) || found[llvm::Log2_64(along)])
        return std::nullopt;
      found[llvm::Log2_64(along)] = std::pair(in, bit);
    }
  }
  for (const auto &source : found) {
    if (!source)
      return std::nullopt;
    if (plan.segments.empty() || plan.segments.back().axis != source->first)
      plan.segments.push_back({source->first, {}});
    plan.segments.back().bits.push_back(source->second);
  }
  return plan;
}

uint64_t ScanPlan::getScannedBits(LayoutAxis axis, unsigned segment) const {
  uint64_t mask = 0;
  for (const ScanSegment &before : ArrayRef(segments).take_front(segment))
    if (before.axis == axis)
      mask |= before.getMask();
  return mask;
}

SmallVector<unsigned> ScanPlan::getTotals(unsigned segment) const {
  const uint64_t skipped =
      copyRegisterBits | getScannedBits(LayoutAxis::Register, segment);
  SmallVector<unsigned> registers;
  for (unsigned reg = 0; reg < numRegisters; ++reg)
    if ((reg & skipped) == 0)
      registers.push_back(reg);
  return registers;
}

uint64_t ScanPlan::getTotalThreadBits(unsigned segment) const {
  const uint64_t lanes = llvm::maskTrailingOnes<uint64_t>(numLaneBits) &
                         ~copyLaneBits &
                         ~getScannedBits(LayoutAxis::Lane, segment);
  const uint64_t warps = llvm::maskTrailingOnes<uint64_t>(numWarpBits) &
                         ~copyWarpBits &
                         ~getScannedBits(LayoutAxis::Warp, segment + 1);
  return lanes | warps << kLaneBits;
}

SmallVector<int64_t> tilewright::getScanScratchOffsets(tile::ScanOp op) {
  SmallVector<int64_t> offsets(1, 0);
  auto first = cast<RankedTensorType>(op.getOperands().front().getType());
  std::optional<LinearLayout> layout = warp::getLayout(first);
  auto plan =
      layout ? ScanPlan::get(*layout, op.getAxis()) : std::optional<ScanPlan>();
  if (!plan)
    return offsets;
  for (auto [number, segment] : llvm::enumerate(plan->segments)) {
    if (segment.axis != LayoutAxis::Warp)
      continue;
    const int64_t totals = plan->getTotals(number).size()
                           << llvm::popcount(plan->getTotalThreadBits(number));
    for (Type type : op.getOperandTypes()) {
      const int64_t bytes = totals * segment.getSize() *
                            warp::getElementBytes(getElementTypeOrSelf(type));
      offsets.push_back(offsets.back() +
                        llvm::alignTo(bytes, kScratchAlignment));
    }
  }
  return offsets;
}

int64_t tilewright::getScanScratchBytes(tile::ScanOp op) {
  return getScanScratchOffsets(op).back();
}
