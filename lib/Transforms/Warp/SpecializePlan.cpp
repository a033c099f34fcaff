#include "lib/Transforms/Warp/SpecializePlan.h"

#include "lib/Analysis/MapMemory.h"
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

/// The products that read `load` from shared memory, those of threads piece by
/// piece.
static llvm::SmallPtrSet<Operation *, 4> getProducts(const TmaLoad &load) {
  llvm::SmallPtrSet<Operation *, 4> products;
  for (AllocOp alloc : load.getServed())
    for (Operation *user : getTileUsers(alloc))
      if (isa<WgmmaOp>(user))
        products.insert(user);
      else if (isa<LocalLoadOp>(user))
        for (Operation *reader : user->getUsers())
          if (isa<tile::DotOp>(reader))
            products.insert(reader);
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
      groups.push_back({{load}});
  });
  return groups;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

SmallVector<SharedType> LoadGroup::getTiles() const {
  SmallVector<SharedType> tiles;
  for (const TmaLoad &load : loads)
    tiles.push_back(load.memory);
  return tiles;
}

static RingType withSlots(RingType ring, int64_t numSlots) {
  return RingType::get(ring.getContext(), numSlots, ring.getTiles(),
                       ring.getCompletion(), ring.getClusterSize());
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
  int64_t tiles = getMapStagingBytes(func), scratch = 0;
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

/// Whether one of the blocks is the other or stands in it.
static bool areNested(Block *a, Block *b) {
  return a == b || a->findAncestorOpInBlock(b->front()) ||
         b->findAncestorOpInBlock(a->front());
}

/// Groups of the same tiles that are not loaded in turn, such as those of a
/// loop that was split in two, take turns with one ring.
static void assignRings(SpecializePlan &plan, int64_t numStages) {
  for (LoadGroup &group : plan.groups) {
    SmallVector<SharedType> tiles = group.getTiles();
    group.ring = 0;
    auto isTaken = [&](unsigned ring) {
      return plan.rings[ring].getTiles() != ArrayRef(tiles) ||
             llvm::any_of(plan.groups, [&](const LoadGroup &other) {
               return &other < &group && other.ring == ring &&
                      areNested(other.getBlock(), group.getBlock());
             });
    };
    while (group.ring < plan.rings.size() && isTaken(group.ring))
      ++group.ring;
    int64_t wanted = group.wantedSlots = getWantedSlots(group, numStages);
    if (group.ring == plan.rings.size())
      plan.rings.push_back(RingType::get(tiles[0].getContext(), wanted, tiles,
                                         Completion::Transactions));
    else
      plan.rings[group.ring] =
          withSlots(plan.rings[group.ring],
                    std::max(wanted, plan.rings[group.ring].getNumSlots()));
  }
}

/// Takes slots from the deepest rings until all fit, but leaves each one.
static void chooseSlots(MutableArrayRef<RingType> rings, int64_t bytes) {
  auto getTotal = [&] {
    int64_t total = 0;
    for (RingType ring : rings)
      total += llvm::alignTo(ring.getSizeInBytes(), kMaxSharedAlignment);
    return total;
  };
  while (!rings.empty() && getTotal() > bytes) {
    RingType *deepest = llvm::max_element(rings, [](RingType a, RingType b) {
      return a.getNumSlots() < b.getNumSlots();
    });
    if (deepest->getNumSlots() == 1)
      return;
    *deepest = withSlots(*deepest, deepest->getNumSlots() - 1);
  }
}

SpecializePlan warp::planSpecialization(tile::FuncOp func, int64_t numStages,
                                        int64_t limit) {
  SpecializePlan plan{collectGroups(func), {}};
  assignRings(plan, numStages);
  chooseSlots(plan.rings, limit - getBytesBeside(func, plan.groups));
  return plan;
}
