#include "lib/Transforms/Warp/Specialize/SpecializeMemory.h"

#include "lib/Analysis/Memory/MapStaging.h"
#include "lib/Analysis/Memory/TmaStorePlan.h"
#include "lib/Analysis/SharedMemory/NumStages.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

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
  return std::max<int64_t>(getNumStages(loop, otherwise), 1);
}

namespace {
/// The shared memory that is needed beside the rings.
struct BytesBeside {
  int64_t tiles = 0, small = 0;

  /// A little more than that.
  int64_t getMost() const {
    return tiles + llvm::alignTo(small, kMaxSharedAlignment);
  }
};
} // namespace

/// How memory of tiles is counted: as if all of it were needed at once, or
/// twice what is, since later passes keep some of it longer.
enum class Count { All, Needed };

/// The memory that is needed where most of it is.
static int64_t getMostNeeded(ArrayRef<Operation *> allocs) {
  auto isNeededAt = [](Operation *alloc, Operation *place) {
    Block *block = alloc->getBlock();
    place = block->findAncestorOpInBlock(*place);
    return place == alloc ||
           (place && alloc->isBeforeInBlock(place) &&
            llvm::any_of(getTileUsers(alloc), [&](Operation *user) {
              Operation *here = block->findAncestorOpInBlock(*user);
              return !here || !here->isBeforeInBlock(place);
            }));
  };
  int64_t most = 0;
  for (Operation *place : allocs) {
    int64_t needed = 0;
    for (Operation *alloc : allocs)
      if (isNeededAt(alloc, place))
        needed += llvm::alignTo(getSharedBytes(alloc), kMaxSharedAlignment);
    most = std::max(most, needed);
  }
  return most;
}

static BytesBeside getBytesBeside(tile::FuncOp func, const SpecializePlan &plan,
                                  Count count) {
  constexpr int64_t kSmallAlignment = 128;
  llvm::SmallPtrSet<Operation *, 8> served;
  for (const LoadGroup &group : plan.groups)
    for (const TmaLoad &load : group.loads) {
      for (AllocOp alloc : load.getServed())
        served.insert(alloc);
      for (ConvertLayoutOp convert : load.getReadInstead())
        served.insert(convert);
    }
  BytesBeside bytes;
  SmallVector<Operation *> allocs;
  func.walk([&](Operation *op) {
    if (served.contains(op) || llvm::is_contained(plan.behind, op))
      return;
    if (isa<AllocOp>(op)) {
      allocs.push_back(op);
      bytes.tiles += llvm::alignTo(getSharedBytes(op), kMaxSharedAlignment);
    } else {
      bytes.small = std::max(bytes.small, getSharedBytes(op));
    }
  });
  if (count == Count::Needed)
    bytes.tiles = std::min(bytes.tiles, 2 * getMostNeeded(allocs));
  bytes.tiles += getMapStagingBytes(func);
  bytes.tiles *= plan.numGroups;
  bytes.small *= plan.numGroups;
  for (const RingScalar &value : plan.handed)
    bytes.small += llvm::alignTo(value.ring.getSizeInBytes(), kSmallAlignment);
  return bytes;
}

/// Whether one of the blocks is the other or stands in it.
static bool areNested(Block *a, Block *b) {
  return a == b || a->findAncestorOpInBlock(b->front()) ||
         b->findAncestorOpInBlock(a->front());
}

/// Whether all that needs the tiles of `group` stands in front of the loads of
/// `later`, in the same block.
static bool isDoneBefore(const LoadGroup &group, const LoadGroup &later) {
  Block *block = group.getBlock();
  Operation *first = later.loads.front().load;
  auto isBefore = [&](Operation *user) {
    Operation *here = block->findAncestorOpInBlock(*user);
    return here && here->isBeforeInBlock(first);
  };
  if (later.getBlock() != block)
    return false;
  return llvm::all_of(group.loads, [&](const TmaLoad &load) {
    return llvm::all_of(load.getServed(),
                        [&](AllocOp alloc) {
                          return llvm::all_of(getTileUsers(alloc), isBefore);
                        }) &&
           llvm::all_of(load.tile.getUsers(), isBefore);
  });
}

namespace {
/// Which groups of the same tiles take turns with one ring: those that are not
/// loaded in turn, such as those of a loop that was split in two; also those
/// that follow each other in a block that runs once, or in any block. The later
/// one's loads then wait for the earlier one's last use.
enum class Sharing { Apart, Once, Any };
} // namespace

static bool canShare(const LoadGroup &group, const LoadGroup &earlier,
                     Sharing sharing) {
  if (!areNested(earlier.getBlock(), group.getBlock()))
    return true;
  bool runsOnce = isa<tile::FuncOp>(earlier.getBlock()->getParentOp());
  return sharing >= (runsOnce ? Sharing::Once : Sharing::Any) &&
         isDoneBefore(earlier, group);
}

static void shareRings(SpecializePlan &plan, int64_t numStages,
                       Sharing sharing) {
  plan.rings.clear();
  for (LoadGroup &group : plan.groups) {
    SmallVector<SharedType> tiles = group.getTiles();
    group.ring = 0;
    auto isTaken = [&](unsigned ring) {
      return plan.rings[ring].getTiles() != ArrayRef(tiles) ||
             llvm::any_of(plan.groups, [&](const LoadGroup &other) {
               return &other < &group && other.ring == ring &&
                      !canShare(group, other, sharing);
             });
    };
    while (group.ring < plan.rings.size() && isTaken(group.ring))
      ++group.ring;
    int64_t wanted = group.wantedSlots = getWantedSlots(group, numStages);
    if (group.ring == plan.rings.size())
      plan.rings.push_back(RingType::get(tiles[0].getContext(), wanted, tiles,
                                         Completion::Transactions));
    else if (RingType &ring = plan.rings[group.ring]; sharing == Sharing::Any)
      ring = withSlots(ring, ring.getNumSlots() + wanted);
    else
      ring = withSlots(ring, std::max(wanted, ring.getNumSlots()));
  }
}

static int64_t getBytes(ArrayRef<RingType> rings) {
  int64_t total = 0;
  for (RingType ring : rings)
    total += llvm::alignTo(ring.getSizeInBytes(), kMaxSharedAlignment);
  return total;
}

/// What a ring leaves free in front of the next one.
static int64_t getRoomBetween(ArrayRef<RingType> rings) {
  int64_t room = 0;
  for (RingType ring : rings)
    room = std::max<int64_t>(
        room, llvm::offsetToAlignment(ring.getSizeInBytes(),
                                      llvm::Align(kMaxSharedAlignment)));
  return room;
}

/// Takes slots from the deepest rings until all fit, but leaves each one.
static void chooseSlots(MutableArrayRef<RingType> rings, int64_t bytes) {
  while (!rings.empty() && getBytes(rings) > bytes) {
    RingType *deepest = llvm::max_element(rings, [](RingType a, RingType b) {
      return a.getNumSlots() < b.getNumSlots();
    });
    if (deepest->getNumSlots() == 1)
      return;
    *deepest = withSlots(*deepest, deepest->getNumSlots() - 1);
  }
}

//===----------------------------------------------------------------------===//
// Memory of stores
//===----------------------------------------------------------------------===//

using Shrunk = SmallVector<std::pair<AllocOp, int64_t>>;

/// The memory of stores that could be smaller, and how small.
static Shrunk findShrinkable(tile::FuncOp func, const SpecializePlan &plan) {
  Shrunk found;
  func.walk([&](AllocOp alloc) {
    if (llvm::is_contained(plan.behind, alloc.getOperation()))
      return;
    int64_t least = 0;
    for (Operation *user : alloc->getUsers())
      if (auto store = dyn_cast<TmaStoreOp>(user))
        least = std::max(
            least,
            TmaStorePlan::get(store.getSource().getType()).getLeastBytes());
    if (least != 0 && least < getSharedBytes(alloc))
      found.push_back({alloc, least});
  });
  return found;
}

static int64_t countSaved(ArrayRef<std::pair<AllocOp, int64_t>> shrunk) {
  int64_t saved = 0;
  for (auto [alloc, bytes] : shrunk)
    saved += llvm::alignTo(getSharedBytes(alloc), kMaxSharedAlignment) -
             llvm::alignTo(bytes, kMaxSharedAlignment);
  return saved;
}

/// Whether a ring is deeper that is too shallow to hide what loads take. Of
/// `teams` any slot is worth it: beside another one's products it costs nothing
/// that a store takes longer.
static bool isDeeper(ArrayRef<RingType> rings, ArrayRef<RingType> others,
                     bool teams) {
  constexpr int64_t kDeepEnough = 5;
  return llvm::any_of(llvm::zip_equal(rings, others), [&](auto pair) {
    auto [ring, other] = pair;
    return (teams || other.getNumSlots() < kDeepEnough) &&
           ring.getNumSlots() > other.getNumSlots();
  });
}

/// Chooses slots for the rings, and whether stores get less memory for that.
/// Gives the number of programs for which memory is left on a multiprocessor.
static int64_t divideMemory(SpecializePlan &plan, tile::FuncOp func,
                            int64_t limit, Count count) {
  BytesBeside beside = getBytesBeside(func, plan, count);
  SmallVector<RingType> deeper = plan.rings;
  chooseSlots(plan.rings, limit - beside.getMost());
  Shrunk shrunk = findShrinkable(func, plan);
  int64_t saved = plan.numGroups * countSaved(shrunk);
  chooseSlots(deeper, limit - beside.getMost() + saved);
  auto fit = [&](ArrayRef<RingType> rings, int64_t less) {
    bool fitsBetween = beside.small <= getRoomBetween(rings);
    return countPrograms(getBytes(rings) - less +
                             (fitsBetween ? beside.tiles : beside.getMost()),
                         limit);
  };
  int64_t programs = fit(plan.rings, 0), more = fit(deeper, saved);
  bool fitsAnother = !plan.isTight && more > programs;
  if (!isDeeper(deeper, plan.rings, plan.numGroups > 1) && !fitsAnother)
    return programs;
  plan.rings = std::move(deeper);
  plan.shrunk = std::move(shrunk);
  return more;
}

/// Whether a group has a ring that is too shallow and would be deeper in
/// `other`.
static bool makesDeeper(const SpecializePlan &plan,
                        const SpecializePlan &other) {
  return llvm::any_of(
      llvm::zip_equal(plan.groups, other.groups), [&](auto pair) {
        auto &[group, otherGroup] = pair;
        return isDeeper(other.rings[otherGroup.ring], plan.rings[group.ring],
                        plan.numGroups > 1);
      });
}

bool warp::areDeep(const SpecializePlan &plan, int64_t slots) {
  return llvm::all_of(plan.groups, [&](const LoadGroup &group) {
    return plan.rings[group.ring].getNumSlots() >=
           std::min(group.wantedSlots, slots);
  });
}

int64_t warp::planMemory(SpecializePlan &plan, tile::FuncOp func,
                         int64_t numStages, int64_t limit) {
  const SpecializePlan apart = plan;
  int64_t programs = divideMemory(plan, func, limit, Count::All);
  auto share = [&](Sharing sharing, Count count) {
    SpecializePlan shared = apart;
    shareRings(shared, numStages, sharing);
    if (shared.rings.size() == apart.rings.size())
      return;
    int64_t more = divideMemory(shared, func, limit, count);
    bool fitsMore = more > programs && (!plan.isTight || programs == 0);
    if (!fitsMore && !makesDeeper(plan, shared))
      return;
    plan = std::move(shared);
    programs = more;
  };
  share(Sharing::Once, Count::All);
  if (programs == 0)
    share(Sharing::Any, Count::Needed);
  return programs;
}

void warp::assignRings(SpecializePlan &plan, int64_t numStages) {
  shareRings(plan, numStages, Sharing::Apart);
}
