#include "lib/Analysis/WgmmaPlans.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

Type tilewright::getTileElementType(Value tile) {
  if (auto shared = dyn_cast<SharedType>(tile.getType()))
    return shared.getElementType();
  return getElementTypeOrSelf(tile.getType());
}

std::optional<WgmmaPlan> tilewright::getWgmmaPlan(Value a, Value b, Value acc) {
  auto shared = dyn_cast<SharedType>(a.getType());
  std::optional<LinearLayout> left =
      shared ? shared.getLayout().getLayout() : getLayout(a.getType());
  std::optional<LinearLayout> sum = getLayout(acc.getType());
  if (!left || !sum)
    return std::nullopt;
  WgmmaObstacle obstacle;
  return planWgmma(*left, bool(shared),
                   cast<SharedType>(b.getType()).getLayout().getLayout(), *sum,
                   getTileElementType(a).getIntOrFloatBitWidth(), obstacle);
}

/// Where the memory of `tile` starts in the slot of a ring, if it is of one.
static std::optional<int64_t> getOffsetInSlot(Value tile, RingWaitOp slot) {
  while (auto view = tile.getDefiningOp<SharedTransposeOp>())
    tile = view.getSource();
  auto result = dyn_cast<OpResult>(tile);
  if (!slot || !result || result.getOwner() != slot)
    return std::nullopt;
  auto tiles = slot.getTiles();
  auto found = llvm::find(tiles, tile);
  if (found == tiles.end())
    return std::nullopt;
  return slot.getRing().getType().getTileOffset(found - tiles.begin());
}

static RingWaitOp getSlot(Value tile) {
  while (auto view = tile.getDefiningOp<SharedTransposeOp>())
    tile = view.getSource();
  return tile.getDefiningOp<RingWaitOp>();
}

std::optional<WgmmaPlan> tilewright::getWgmmaPlan(Value a, ValueRange b,
                                                  ValueRange acc) {
  RingWaitOp slot = getSlot(b.front());
  SmallVector<WgmmaNeighbour> products;
  std::optional<int64_t> end;
  for (auto [right, sum] : llvm::zip_equal(b, acc)) {
    auto start = getOffsetInSlot(right, slot);
    auto plan = getWgmmaPlan(a, right, sum);
    if (!start || !plan || (end && *end != *start))
      return std::nullopt;
    int64_t bytes = cast<SharedType>(right.getType()).getSizeInBytes();
    products.push_back({*plan, bytes});
    end = *start + bytes;
  }
  return joinWgmmaPlans(products);
}
