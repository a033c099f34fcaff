#include "lib/Analysis/ReductionPlan.h"

#include "dialect/Warp/WarpTypes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

// What the widest access to shared memory asks for.
static constexpr int64_t kScratchAlignment = 16;

/// The bits of `axis` that tell elements of `source` but not `results` apart.
static uint64_t getReducedBits(const LinearLayout &source,
                               const LinearLayout &results, LayoutAxis axis) {
  uint64_t mask = 0;
  for (unsigned bit = 0, e = source.getInBits(axis); bit < e; ++bit)
    if (results.getColumns(axis)[bit] == 0)
      mask |= uint64_t(1) << bit;
  return mask & ~source.getFreeBits(axis);
}

std::optional<ReductionPlan> ReductionPlan::get(const LinearLayout &source,
                                                unsigned axis) {
  ReductionPlan plan;
  plan.results = source.sliceDim(axis);
  plan.copyRegisterBits = source.getFreeBits(LayoutAxis::Register);
  plan.copyLaneBits = source.getFreeBits(LayoutAxis::Lane);
  plan.copyWarpBits = source.getFreeBits(LayoutAxis::Warp);
  plan.registerBits =
      getReducedBits(source, plan.results, LayoutAxis::Register);
  plan.laneBits = getReducedBits(source, plan.results, LayoutAxis::Lane);
  plan.warpBits = getReducedBits(source, plan.results, LayoutAxis::Warp);
  // The reduction is complete if the bits span the whole dimension.
  int64_t reduced = llvm::popcount(plan.registerBits) +
                    llvm::popcount(plan.laneBits) +
                    llvm::popcount(plan.warpBits);
  if (reduced != source.getOutBits(dimAxis(axis)))
    return std::nullopt;
  return plan;
}

int64_t ReductionPlan::getNumPartials() const {
  return int64_t(1) << llvm::popcount(warpBits);
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
  for (Value operand : op.getOperands()) {
    auto type = cast<RankedTensorType>(operand.getType());
    std::optional<LinearLayout> layout = warp::getLayout(type);
    auto plan = layout ? ReductionPlan::get(*layout, op.getAxis())
                       : std::optional<ReductionPlan>();
    int64_t bytes = 0;
    if (plan && plan->warpBits != 0)
      bytes = plan->getNumPartials() *
              (type.getNumElements() / type.getDimSize(op.getAxis())) *
              warp::getElementBytes(type.getElementType());
    offsets.push_back(offsets.back() + llvm::alignTo(bytes, kScratchAlignment));
  }
  return offsets;
}

int64_t tilewright::getReduceScratchBytes(tile::ReduceOp op) {
  return getReduceScratchOffsets(op).back();
}
