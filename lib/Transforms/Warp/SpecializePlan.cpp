#include "lib/Transforms/Warp/SpecializePlan.h"

#include "lib/Analysis/SharedMemory.h"
#include "lib/Support/TmaTiling.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Whether `reshape` only drops leading dimensions of size 1.
static bool dropsLeadingOnes(tile::ReshapeOp reshape) {
  ArrayRef<int64_t> from = reshape.getSource().getType().getShape();
  ArrayRef<int64_t> to = cast<RankedTensorType>(reshape.getType()).getShape();
  return from.size() > to.size() && from.take_back(to.size()) == to;
}

static Value dropLeadingOnes(Value tile) {
  if (!tile.hasOneUse())
    return tile;
  auto reshape = dyn_cast<tile::ReshapeOp>(*tile.user_begin());
  return reshape && dropsLeadingOnes(reshape) ? reshape.getResult() : tile;
}

SmallVector<AllocOp> TmaLoad::getServed() const {
  SmallVector<AllocOp> served;
  for (Operation *user : tile.getUsers())
    if (auto alloc = dyn_cast<AllocOp>(user);
        alloc && alloc.getType() == memory)
      served.push_back(alloc);
  return served;
}

/// The memory that `tile` is brought to: what a product reads it from, if it
/// can be brought there.
static SharedType chooseMemory(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  unsigned bits = type.getElementTypeBitWidth();
  for (Operation *user : tile.getUsers())
    if (auto alloc = dyn_cast<AllocOp>(user))
      if (planTma(alloc.getType().getLayout().getLayout(), bits))
        return alloc.getType();
  return SharedType::get(
      type.getContext(), type.getShape(), type.getElementType(),
      LinearAttr::get(type.getContext(), *tmaLayout(type.getShape(), bits)));
}

static TmaLoad describe(tile::DescriptorLoadOp load) {
  Value tile = dropLeadingOnes(load.getResult());
  return {load, tile, chooseMemory(tile)};
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The products that read `load` from shared memory.
static llvm::SmallPtrSet<Operation *, 4> getProducts(const TmaLoad &load) {
  llvm::SmallPtrSet<Operation *, 4> products;
  for (AllocOp alloc : load.getServed())
    for (Operation *user : getTileUsers(alloc))
      if (isa<WgmmaOp>(user))
        products.insert(user);
  return products;
}

/// Both operands of the same products come together.
static bool belongTogether(const LoadGroup &group, const TmaLoad &load) {
  auto products = getProducts(load);
  return !products.empty() && group.getBlock() == load.load->getBlock() &&
         getProducts(group.loads.front()) == products;
}

static SmallVector<LoadGroup> collectGroups(tile::FuncOp func) {
  SmallVector<LoadGroup> groups;
  func.walk([&](tile::DescriptorLoadOp op) {
    TmaLoad load = describe(op);
    auto group = llvm::find_if(groups, [&](const LoadGroup &group) {
      return belongTogether(group, load);
    });
    if (group != groups.end())
      group->loads.push_back(load);
    else
      groups.push_back({{load}, RingType()});
  });
  return groups;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static RingType getRing(const LoadGroup &group, int64_t numSlots) {
  SmallVector<SharedType> tiles;
  for (const TmaLoad &load : group.loads)
    tiles.push_back(load.memory);
  return RingType::get(group.getBlock()->getParentOp()->getContext(), numSlots,
                       tiles, Completion::Transactions);
}

/// As many slots as the loop around wants; one where there is no loop.
static int64_t getWantedSlots(const LoadGroup &group, int64_t otherwise) {
  auto loop = group.getBlock()->getParentOp();
  if (!isa<LoopLikeOpInterface>(loop))
    loop = loop->getParentOfType<LoopLikeOpInterface>();
  if (!loop)
    return 1;
  auto hint = loop->getAttrOfType<IntegerAttr>("tile.num_stages");
  return std::max<int64_t>(hint ? hint.getInt() : otherwise, 1);
}

/// The shared memory that is needed beside the rings, or a little more.
static int64_t getBytesBeside(tile::FuncOp func, ArrayRef<LoadGroup> groups) {
  llvm::SmallPtrSet<Operation *, 8> served;
  for (const LoadGroup &group : groups)
    for (const TmaLoad &load : group.loads)
      for (AllocOp alloc : load.getServed())
        served.insert(alloc);
  int64_t tiles = 0, scratch = 0;
  func.walk([&](Operation *op) {
    if (served.contains(op))
      return;
    if (isa<AllocOp>(op))
      tiles += llvm::alignTo(getSharedBytes(op), kMaxSharedAlignment);
    else
      scratch = std::max(scratch, getSharedBytes(op));
  });
  return tiles + llvm::alignTo(scratch, kMaxSharedAlignment);
}

/// Takes slots from the deepest rings until all fit, but leaves each one.
static void chooseSlots(MutableArrayRef<LoadGroup> groups, int64_t numStages,
                        int64_t bytes) {
  for (LoadGroup &group : groups)
    group.ring = getRing(group, getWantedSlots(group, numStages));
  auto getTotal = [&] {
    int64_t total = 0;
    for (const LoadGroup &group : groups)
      total += llvm::alignTo(group.ring.getSizeInBytes(), kMaxSharedAlignment);
    return total;
  };
  while (getTotal() > bytes) {
    LoadGroup *deepest =
        llvm::max_element(groups, [](const LoadGroup &a, const LoadGroup &b) {
          return a.ring.getNumSlots() < b.ring.getNumSlots();
        });
    int64_t slots = deepest->ring.getNumSlots();
    if (slots == 1)
      return;
    deepest->ring = getRing(*deepest, slots - 1);
  }
}

SpecializePlan warp::planSpecialization(tile::FuncOp func, int64_t numStages,
                                        int64_t limit) {
  SpecializePlan plan{collectGroups(func)};
  chooseSlots(plan.groups, numStages,
              limit - getBytesBeside(func, plan.groups));
  return plan;
}
