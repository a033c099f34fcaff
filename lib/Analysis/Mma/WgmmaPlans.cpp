#include "lib/Analysis/Mma/WgmmaPlans.h"

#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

Type tilewright::getTileElementType(Value tile) {
  if (auto shared = dyn_cast<SharedType>(tile.getType()))
    return shared.getElementType();
  return getElementTypeOrSelf(tile.getType());
}

/// The instructions of one dot.
static std::optional<WgmmaPlan> planDot(Value a, Value b, Value acc) {
  auto shared = dyn_cast<SharedType>(a.getType());
  std::optional<LinearLayout> left =
      shared ? shared.getLayout().getLayout() : getLayout(a.getType());
  std::optional<LinearLayout> result = getLayout(acc.getType());
  if (!left || !result)
    return std::nullopt;
  WgmmaObstacle obstacle;
  return planWgmma(*left, bool(shared),
                   cast<SharedType>(b.getType()).getLayout().getLayout(),
                   *result, getTileElementType(a).getIntOrFloatBitWidth(),
                   obstacle);
}

bool tilewright::isZeroAcc(Value acc) {
  return matchPattern(acc, m_AnyZeroFloat()) || matchPattern(acc, m_Zero());
}

bool tilewright::startsAtZero(WgmmaOp wgmma) {
  return llvm::all_of(wgmma.getAcc(), isZeroAcc);
}

/// The offset of `memory` in the ring slot that `slot` waits for, if it is one
/// of the slot's tiles.
static std::optional<int64_t> getOffsetInSlot(Value memory, RingWaitOp slot) {
  if (!slot)
    return std::nullopt;
  auto tiles = slot.getTiles();
  auto found = llvm::find(tiles, memory);
  if (found == tiles.end())
    return std::nullopt;
  return slot.getRing().getType().getTileOffset(found - tiles.begin());
}

std::optional<WgmmaPlan> tilewright::getWgmmaPlan(Value a, ValueRange b,
                                                  ValueRange acc) {
  if (b.size() == 1)
    return planDot(a, b.front(), acc.front());
  auto slot = getNamedMemory(b.front()).getDefiningOp<RingWaitOp>();
  SmallVector<AdjacentWgmma> adjacent;
  std::optional<int64_t> end;
  for (auto [right, each] : llvm::zip_equal(b, acc)) {
    auto start = getOffsetInSlot(getNamedMemory(right), slot);
    auto plan = planDot(a, right, each);
    if (!start || !plan || (end && *end != *start))
      return std::nullopt;
    int64_t bytes = cast<SharedType>(right.getType()).getSizeInBytes();
    adjacent.push_back({*plan, bytes});
    end = *start + bytes;
  }
  return mergeWgmmaPlans(adjacent);
}
