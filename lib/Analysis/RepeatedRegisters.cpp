#include "lib/Analysis/RepeatedRegisters.h"

#include "dialect/Warp/WarpAttributes.h"
#include "lib/Analysis/AxisInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

/// Whether the registers of `op` are computed one by one, and the analysis
/// speaks of them.
static bool isElementwiseOnIntegers(Operation &op) {
  auto tile = op.getNumResults() == 1
                  ? dyn_cast<RankedTensorType>(op.getResult(0).getType())
                  : nullptr;
  return tile && isa<arith::ArithDialect>(op.getDialect()) &&
         op.getNumOperands() != 0 && isa<IntegerType>(tile.getElementType());
}

static unsigned countRepeats(Value value, const AxisInfoAnalysis &analysis) {
  std::optional<LinearLayout> layout = warp::getLayout(value.getType());
  if (!layout)
    return 1;
  AxisInfo facts = analysis.get(value);
  int64_t repeats = 1;
  for (unsigned dim = 0, rank = layout->getRank(); dim < rank; ++dim)
    repeats = std::max(
        repeats,
        std::min(layout->getNumConsecutive(LayoutAxis::Register, dimAxis(dim)),
                 facts[dim].constancy));
  return repeats;
}

RepeatedRegisters::RepeatedRegisters(Operation *root,
                                     const AxisInfoAnalysis &analysis) {
  root->walk([&](Operation *op) {
    if (!isElementwiseOnIntegers(*op))
      return;
    if (unsigned repeats = countRepeats(op->getResult(0), analysis);
        repeats > 1)
      counts[op] = repeats;
  });
}
