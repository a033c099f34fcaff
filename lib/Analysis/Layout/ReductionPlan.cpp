#include "lib/Analysis/Layout/ReductionPlan.h"

#include "dialect/Warp/WarpTypes.h"
#include "lib/Analysis/Facts/Commutation.h"
#include "lib/Analysis/Layout/ScanPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// The alignment of the widest access to shared memory.
static constexpr int64_t kScratchAlignment = 16;
/// Larger partial results go through shared memory in rounds.
static constexpr int64_t kMaxScratchBytes = 32 * 1024;

/// The bits of `axis` that distinguish no `results`, except `copies`.
static uint64_t getReducedBits(const LinearLayout &results, LayoutAxis axis,
                               uint64_t copies) {
  uint64_t mask = 0;
  for (auto [bit, column] : llvm::enumerate(results.getColumns(axis)))
    if (column == 0)
      mask |= uint64_t(1) << bit;
  return mask & ~copies;
}

/// The bytes of one partial result for each element of the results of `op`.
static int64_t getResultBytes(tile::ReduceOp op) {
  int64_t bytes = 0;
  for (Value operand : op.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    bytes += type.getNumElements() / type.getDimSize(op.getAxis()) *
             warp::getElementBytes(type.getElementType());
  }
  return bytes;
}

std::optional<ReductionPlan> ReductionPlan::get(tile::ReduceOp op) {
  std::optional<LinearLayout> source =
      warp::getLayout(op.getOperands().front().getType());
  if (!source)
    return std::nullopt;
  const unsigned axis = op.getAxis();
  ReductionPlan plan;
  plan.results = source->sliceDim(axis);
  plan.copyRegisterBits = source->getFreeBits(LayoutAxis::Register);
  plan.copyLaneBits = source->getFreeBits(LayoutAxis::Lane);
  plan.copyWarpBits = source->getFreeBits(LayoutAxis::Warp);
  plan.registerBits =
      getReducedBits(plan.results, LayoutAxis::Register, plan.copyRegisterBits);
  plan.laneBits =
      getReducedBits(plan.results, LayoutAxis::Lane, plan.copyLaneBits);
  plan.warpBits =
      getReducedBits(plan.results, LayoutAxis::Warp, plan.copyWarpBits);
  // The reduction is complete if the bits span the whole dimension.
  int64_t reduced = llvm::popcount(plan.registerBits) +
                    llvm::popcount(plan.laneBits) +
                    llvm::popcount(plan.warpBits);
  if (reduced != source->getOutBits(dimAxis(axis)))
    return std::nullopt;
  if (commutes(op)) {
    for (uint64_t rest = plan.warpBits; rest; rest &= rest - 1)
      plan.exchanged.push_back({LayoutAxis::Warp, llvm::countr_zero(rest)});
    return plan;
  }
  if (!plan.order(*source, axis))
    return std::nullopt;
  auto isTooMuch = [&] {
    return plan.getNumPartials() * getResultBytes(op) > kMaxScratchBytes;
  };
  for (auto [from, bit] : llvm::reverse(plan.exchanged)) {
    if (from != LayoutAxis::Register || !isTooMuch())
      break;
    ++plan.roundBits;
  }
  return plan;
}

bool ReductionPlan::order(const LinearLayout &source, unsigned axis) {
  std::optional<ScanPlan> scan = ScanPlan::get(source, axis);
  if (!scan)
    return false;
  isOrdered = true;
  SmallVector<std::pair<LayoutAxis, unsigned>> indexBits;
  for (const ScanSegment &segment : scan->segments)
    for (unsigned bit : segment.bits)
      indexBits.push_back({segment.axis, bit});
  auto next = indexBits.begin();
  for (; next != indexBits.end() && next->first != LayoutAxis::Warp; ++next) {
    const uint64_t mask = uint64_t(1) << next->second;
    if (next->first == LayoutAxis::Register) {
      steps.push_back({mask, 0});
      continue;
    }
    OrderedStep step{0, mask};
    for (auto &later : llvm::reverse(llvm::make_range(next, indexBits.end())))
      if (later.first == LayoutAxis::Register) {
        step.registerBit = uint64_t(1) << later.second;
        later = *next;
        break;
      }
    steps.push_back(step);
  }
  exchanged.assign(next, indexBits.end());
  return true;
}

int64_t ReductionPlan::getNumPartials() const {
  return int64_t(1) << (exchanged.size() - roundBits);
}

uint64_t ReductionPlan::getPartialIndex(unsigned reg) const {
  uint64_t index = 0;
  for (auto [i, bit] : llvm::enumerate(exchanged))
    if (bit.first == LayoutAxis::Register && (reg >> bit.second & 1))
      index |= uint64_t(1) << i;
  return index;
}

SmallVector<uint64_t> ReductionPlan::getPartialColumns(LayoutAxis axis) const {
  SmallVector<uint64_t> columns(results.getInBits(axis), 0);
  for (auto [i, bit] : llvm::enumerate(exchanged))
    if (bit.first == axis)
      columns[bit.second] = uint64_t(1) << i;
  return columns;
}

uint64_t ReductionPlan::getExchangedBits(LayoutAxis axis) const {
  uint64_t mask = 0;
  for (auto [from, bit] : exchanged)
    if (from == axis)
      mask |= uint64_t(1) << bit;
  return mask;
}

SmallVector<unsigned> ReductionPlan::getResultRegisters() const {
  SmallVector<unsigned> registers;
  for (unsigned reg = 0, e = results.getInSize(LayoutAxis::Register); reg < e;
       ++reg)
    if ((reg & (registerBits | copyRegisterBits)) == 0)
      registers.push_back(reg);
  return registers;
}

SmallVector<int64_t> tilewright::getReduceScratchOffsets(tile::ReduceOp op) {
  SmallVector<int64_t> offsets(1, 0);
  auto plan = ReductionPlan::get(op);
  for (Value operand : op.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t bytes = 0;
    if (plan && !plan->exchanged.empty())
      bytes = plan->getNumPartials() *
              (type.getNumElements() / type.getDimSize(op.getAxis())) *
              warp::getElementBytes(type.getElementType());
    bytes += bytes / kScratchRowBytes * kScratchRoomBytes;
    offsets.push_back(offsets.back() + llvm::alignTo(bytes, kScratchAlignment));
  }
  return offsets;
}

int64_t tilewright::getReduceScratchBytes(tile::ReduceOp op) {
  return getReduceScratchOffsets(op).back();
}
