#include "lib/Analysis/Facts/RepeatedRegisters.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpAttributes.h"
#include "lib/Analysis/Facts/AxisInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

/// Whether `op` is elementwise and AxisInfo covers its result.
static bool isElementwiseOnIntegers(Operation &op) {
  auto tile = op.getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op.getResult(0).getType())
                  : nullptr;
  return tile && isa<arith::ArithDialect>(op.getDialect()) &&
         op.getNumOperands() != 0 && isa<IntegerType>(tile.getElementType());
}

/// Whether registers that differ in bit `bit` hold equal values: the bit stays
/// within the groups of equal elements along each dimension.
static bool repeats(const LinearLayout &layout, unsigned bit,
                    const AxisInfo &facts) {
  for (auto [dim, step] :
       llvm::enumerate(layout.getBasis(LayoutAxis::Register, bit)))
    if (uint64_t(step) >= llvm::bit_floor(uint64_t(facts[dim].constancy)))
      return false;
  return true;
}

static unsigned countRepeats(Value value, const AxisInfoAnalysis &analysis) {
  std::optional<LinearLayout> layout = warp::getLayout(value.getType());
  if (!layout)
    return 1;
  AxisInfo facts = analysis.get(value);
  unsigned bit = 0;
  while (bit < layout->getInBits(LayoutAxis::Register) &&
         repeats(*layout, bit, facts))
    ++bit;
  return 1u << bit;
}

/// Loads of one address under one condition. The value for masked-off elements
/// has to be uniform, too.
static unsigned countRepeats(tile::LoadOp load,
                             const AxisInfoAnalysis &analysis) {
  if (load.getIsVolatile())
    return 1;
  unsigned repeats = countRepeats(load.getPtr(), analysis);
  if (load.getMask() && repeats > 1)
    repeats = std::min(repeats, countRepeats(load.getMask(), analysis));
  Value other = load.getOther();
  bool isOneOther = !other || other.getDefiningOp<tile::SplatOp>() ||
                    matchPattern(other, m_Constant<SplatElementsAttr>(nullptr));
  return isOneOther ? repeats : 1;
}

static unsigned countRun(Value value, const AxisInfoAnalysis &analysis) {
  std::optional<LinearLayout> layout = warp::getLayout(value.getType());
  if (!layout)
    return 1;
  AxisInfo facts = analysis.get(value);
  int64_t run = 1;
  for (unsigned dim = 0; dim < facts.getRank(); ++dim)
    run = std::max(run, std::min(layout->getNumConsecutive(LayoutAxis::Register,
                                                           dimAxis(dim)),
                                 facts[dim].contiguity));
  return run;
}

RepeatedRegisters::RepeatedRegisters(Operation *root,
                                     const AxisInfoAnalysis &analysis) {
  root->walk([&](Operation *op) {
    unsigned repeats = 1;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      repeats = countRepeats(load, analysis);
    else if (isElementwiseOnIntegers(*op))
      repeats = countRepeats(op->getResult(0), analysis);
    if (repeats > 1)
      counts[op] = repeats;
    else if (isa<arith::RemSIOp, arith::RemUIOp>(op))
      runs[op] = countRun(op->getResult(0), analysis);
  });
}
