#include "lib/Analysis/TmaStorePlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// Whether the registers of a thread alone decide in which round an element is
/// stored.
static bool areRoundsInRegisters(const LinearLayout &offsets,
                                 unsigned offsetBits) {
  for (LayoutAxis axis : {LayoutAxis::Lane, LayoutAxis::Warp})
    for (uint64_t column : offsets.getColumns(axis))
      if (column >> offsetBits)
        return false;
  return true;
}

TmaStorePlan TmaStorePlan::get(warp::TmaStoreOp store) {
  RankedTensorType type = store.getSource().getType();
  int64_t bytes = warp::getElementBytes(type.getElementType());
  TmaStorePlan plan;
  plan.memory = *tmaLayout(type.getShape(), 8 * bytes);
  plan.copies = *planTma(plan.memory, 8 * bytes);
  // A round is a panel: as many rows as the tile has, of the width of a box.
  int64_t panel =
      type.getNumElements() / type.getShape().back() * plan.copies.box.back();
  LinearLayout offsets = warp::getLayout(type)->then(plan.memory.inverse());
  plan.offsetBits = llvm::Log2_64(panel);
  if (!areRoundsInRegisters(offsets, plan.offsetBits))
    plan.offsetBits = llvm::Log2_64(type.getNumElements());
  plan.numRounds = type.getNumElements() >> plan.offsetBits;
  plan.roundBytes = bytes << plan.offsetBits;
  return plan;
}
