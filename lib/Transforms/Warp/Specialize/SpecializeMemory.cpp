#include "lib/Transforms/Warp/Specialize/SpecializeMemory.h"

#include "lib/Analysis/Memory/MapStaging.h"
#include "lib/Analysis/Memory/TmaStorePlan.h"
#include "lib/Analysis/SharedMemory/NumStages.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"

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

/// Returns the slots that the enclosing loop asks for; 1 without a loop.
static int64_t getWantedSlots(const LoadGroup &group, int64_t otherwise) {
  auto loop = group.getBlock()->getParentOp();
  if (!isa<LoopLikeOpInterface>(loop))
    loop = loop->getParentOfType<LoopLikeOpInterface>();
  if (!loop)
    return 1;
  return std::max<int64_t>(getNumStages(loop, otherwise), 1);
}

namespace {
/// The shared memory that is needed in addition to the rings.
struct OtherBytes {
  int64_t tiles = 0, small = 0;

  /// Returns an upper bound of their sum after alignment.
  int64_t getBound() const {
    return tiles + llvm::alignTo(small, kMaxSharedAlignment);
  }
};
} // namespace

/// How to count the memory of tiles. `All` assumes that all tiles are live at
/// once. `Needed` counts twice the peak of live tiles, because later passes
/// extend lifetimes.
enum class Count { All, Needed };

/// Returns the peak of live memory over all allocations.
static int64_t getPeakBytes(ArrayRef<Operation *> allocs) {
  auto isLiveAt = [](Operation *alloc, Operation *point) {
    Block *block = alloc->getBlock();
    point = block->findAncestorOpInBlock(*point);
    return point == alloc ||
           (point && alloc->isBeforeInBlock(point) &&
            llvm::any_of(getTileUsers(alloc), [&](Operation *user) {
              Operation *here = block->findAncestorOpInBlock(*user);
              return !here || !here->isBeforeInBlock(point);
            }));
  };
  int64_t most = 0;
  for (Operation *point : allocs) {
    int64_t needed = 0;
    for (Operation *alloc : allocs)
      if (isLiveAt(alloc, point))
        needed += llvm::alignTo(getSharedBytes(alloc), kMaxSharedAlignment);
    most = std::max(most, needed);
  }
  return most;
}

static OtherBytes getOtherBytes(tile::FuncOp func, const SpecializePlan &plan,
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
  OtherBytes bytes;
  SmallVector<Operation *> allocs;
  func.walk([&](Operation *op) {
    if (served.contains(op) || llvm::is_contained(plan.reusesSlots, op))
      return;
    if (isa<AllocOp>(op)) {
      allocs.push_back(op);
      bytes.tiles += llvm::alignTo(getSharedBytes(op), kMaxSharedAlignment);
    } else {
      bytes.small = std::max(bytes.small, getSharedBytes(op));
    }
  });
  if (count == Count::Needed)
    bytes.tiles = std::min(bytes.tiles, 2 * getPeakBytes(allocs));
  bytes.tiles += getMapStagingBytes(func);
  bytes.tiles *= plan.numGroups;
  bytes.small *= plan.numGroups;
  for (const RingScalar &value : plan.scalars)
    bytes.small += llvm::alignTo(value.ring.getSizeInBytes(), kSmallAlignment);
  return bytes;
}

/// Whether the blocks are the same or one contains the other.
static bool areNested(Block *a, Block *b) {
  return a == b || a->findAncestorOpInBlock(b->front()) ||
         b->findAncestorOpInBlock(a->front());
}

/// Whether all uses of the tiles of `group` come before the loads of `later` in
/// the same block.
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
/// Which groups of the same tile types share a ring. Each value includes those
/// before it.
///   1. `Disjoint`: neither block contains the other, as after a loop split.
///   2. `Once`: the groups follow each other in a block that runs once.
///   3. `Any`: the groups follow each other in any block.
/// In the last two cases the loads of the later group wait for the last use of
/// the earlier one.
enum class Sharing { Disjoint, Once, Any };
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

/// Returns the largest alignment gap after a ring.
static int64_t getLargestGap(ArrayRef<RingType> rings) {
  int64_t gap = 0;
  for (RingType ring : rings)
    gap = std::max<int64_t>(
        gap, llvm::offsetToAlignment(ring.getSizeInBytes(),
                                     llvm::Align(kMaxSharedAlignment)));
  return gap;
}

/// Removes slots from the deepest rings until all fit; each ring keeps one.
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
// Staging buffers of stores
//===----------------------------------------------------------------------===//

using Shrunk = SmallVector<std::pair<AllocOp, int64_t>>;

/// Returns the staging buffers that could be smaller, and their least size.
static Shrunk findShrinkable(tile::FuncOp func, const SpecializePlan &plan) {
  Shrunk found;
  func.walk([&](AllocOp alloc) {
    if (llvm::is_contained(plan.reusesSlots, alloc.getOperation()))
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

/// Whether `rings` has more slots than `others` in a ring that is too shallow
/// to hide the latency of loads. With ping-pong groups any additional slot
/// counts: a slower store costs nothing while the other group runs its dots.
/// See benchmarks/notes/ring-depth.md and ping-pong.md.
static bool isDeeper(ArrayRef<RingType> rings, ArrayRef<RingType> others,
                     bool isPingPong) {
  return llvm::any_of(llvm::zip_equal(rings, others), [&](auto pair) {
    auto [ring, other] = pair;
    return (isPingPong ||
            other.getNumSlots() < OccupancyParameters::kDeepSlots) &&
           ring.getNumSlots() > other.getNumSlots();
  });
}

/// Chooses the slots of the rings, and whether stores shrink in exchange.
/// Returns the number of CTAs per SM that fit.
static int64_t divideMemory(SpecializePlan &plan, tile::FuncOp func,
                            int64_t limit, Count count) {
  OtherBytes others = getOtherBytes(func, plan, count);
  SmallVector<RingType> deeper = plan.rings;
  chooseSlots(plan.rings, limit - others.getBound());
  Shrunk shrunk = findShrinkable(func, plan);
  int64_t saved = plan.numGroups * countSaved(shrunk);
  chooseSlots(deeper, limit - others.getBound() + saved);
  auto fit = [&](ArrayRef<RingType> rings, int64_t less) {
    bool fitsGap = others.small <= getLargestGap(rings);
    return Occupancy::forEstimates(limit).countCtasBySharedMemory(
        getBytes(rings) - less + (fitsGap ? others.tiles : others.getBound()));
  };
  int64_t numCtas = fit(plan.rings, 0), more = fit(deeper, saved);
  bool fitsAnother = !plan.isTight && more > numCtas;
  if (!isDeeper(deeper, plan.rings, plan.numGroups > 1) && !fitsAnother)
    return numCtas;
  plan.rings = std::move(deeper);
  plan.shrunk = std::move(shrunk);
  return more;
}

/// Whether a group whose ring is too shallow has a deeper one in `other`.
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
  const SpecializePlan start = plan;
  int64_t numCtas = divideMemory(plan, func, limit, Count::All);
  auto share = [&](Sharing sharing, Count count) {
    SpecializePlan shared = start;
    shareRings(shared, numStages, sharing);
    if (shared.rings.size() == start.rings.size())
      return;
    int64_t more = divideMemory(shared, func, limit, count);
    bool fitsMore = more > numCtas && (!plan.isTight || numCtas == 0);
    if (!fitsMore && !makesDeeper(plan, shared))
      return;
    plan = std::move(shared);
    numCtas = more;
  };
  share(Sharing::Once, Count::All);
  if (numCtas == 0)
    share(Sharing::Any, Count::Needed);
  return numCtas;
}

void warp::assignRings(SpecializePlan &plan, int64_t numStages) {
  shareRings(plan, numStages, Sharing::Disjoint);
}
