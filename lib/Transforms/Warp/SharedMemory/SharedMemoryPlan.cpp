#include "lib/Transforms/Warp/SharedMemory/SharedMemoryPlan.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpAttributes.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/RingUses.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Layout/WgmmaTiling.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// Whether the ops are in different roles, which run concurrently.
static bool areInConcurrentRoles(Operation *a, Operation *b) {
  auto roleA = warp::SpecializeOp::getRole(a->getBlock());
  auto roleB = warp::SpecializeOp::getRole(b->getBlock());
  return roleA && roleB && roleA->first == roleB->first &&
         roleA->second != roleB->second;
}

bool SharedPiece::livesWith(const SharedPiece &other) const {
  return (firstOp <= other.lastOp && other.firstOp <= lastOp) ||
         areInConcurrentRoles(op, other.op);
}

int64_t SharedPiece::getPinnedStart(const SharedPiece &other) const {
  return other.idleRings.contains(op)
             ? cast<warp::RingOp>(op).getType().getBarrierOffset()
             : 0;
}

namespace {

/// Numbers the ops of a function in order. The range of an op with regions
/// covers the ops in them.
class OpNumbers {
public:
  explicit OpNumbers(Operation *function) {
    function->walk<WalkOrder::PreOrder>(
        [&](Operation *op) { first[op] = count++; });
    function->walk([&](Operation *op) {
      last[op] = first[op];
      for (Region &region : op->getRegions())
        for (Operation &inner : region.getOps())
          last[op] = std::max(last[op], last[&inner]);
    });
  }
  unsigned getFirst(Operation *op) const { return first.lookup(op); }
  unsigned getLast(Operation *op) const { return last.lookup(op); }

private:
  llvm::DenseMap<Operation *, unsigned> first, last;
  unsigned count = 0;
};

} // namespace
/// Returns the first and last op that may need the memory of `alloc`, a tile or
/// a ring.
static std::pair<unsigned, unsigned> getLifetime(Operation *alloc,
                                                 const OpNumbers &numbers) {
  unsigned first = numbers.getFirst(alloc), last = numbers.getLast(alloc);
  // Other CTAs of the cluster may read it at any time.
  if (auto tile = dyn_cast<warp::AllocOp>(alloc); tile && tile.getCluster() > 1)
    alloc = alloc->getParentOfType<FunctionOpInterface>();
  if (isa<FunctionOpInterface>(alloc))
    return {numbers.getFirst(alloc), numbers.getLast(alloc)};
  for (Operation *user : getTileUsers(alloc)) {
    // A use in a loop after the allocation extends to the whole loop.
    Operation *outer = alloc->getBlock()->findAncestorOpInBlock(*user);
    // A use before the allocation is in the next iteration, so the memory lives
    // in the whole parent. Memory passed to a region or a block lives
    // throughout the function.
    if (outer && outer->isBeforeInBlock(alloc))
      outer = alloc->getParentOp();
    else if (isa<RegionBranchOpInterface>(user) ||
             user->hasTrait<OpTrait::IsTerminator>() || !outer)
      outer = alloc->getParentOfType<FunctionOpInterface>();
    first = std::min(first, numbers.getFirst(outer));
    last = std::max(last, numbers.getLast(outer));
  }
  return {first, last};
}

/// Extends the lifetime of small scratch to the next op with scratch. Then the
/// barrier inside of that op suffices, and none is needed between the two.
static void extendScratchLifetimes(MutableArrayRef<SharedPiece> pieces) {
  SharedPiece *last = nullptr;
  for (SharedPiece &piece : pieces) {
    if (!usesScratch(piece.op) ||
        piece.size > OccupancyParameters::kMaxExtendedScratch)
      continue;
    if (last)
      last->lastOp = std::max(last->lastOp, piece.firstOp);
    last = &piece;
  }
}

/// Whether all uses of the memory of `op` come after the last use of the slots
/// of `ring`.
static bool isUsedAfter(Operation *op, const RingUses &ring) {
  auto tile = dyn_cast<warp::AllocOp>(op);
  if (!tile || tile.getSource())
    return ring.areDoneBefore(op);
  return tile.getCluster() == 1 &&
         llvm::all_of(getTileUsers(tile), [&](Operation *user) {
           return ring.areDoneBefore(user);
         });
}

/// Records for each piece the rings whose slots it may reuse.
static void findIdleRings(MutableArrayRef<SharedPiece> pieces) {
  for (const SharedPiece &ring : pieces) {
    auto op = dyn_cast<warp::RingOp>(ring.op);
    if (!op)
      continue;
    RingUses uses(op);
    for (SharedPiece &piece : pieces)
      if (!isa<warp::RingOp>(piece.op) && isUsedAfter(piece.op, uses))
        piece.idleRings.insert(op);
  }
}

static SmallVector<SharedPiece> collectPieces(Operation *function) {
  OpNumbers numbers(function);
  SmallVector<SharedPiece> pieces;
  function->walk([&](Operation *op) {
    int64_t size = getSharedBytes(op);
    if (size == 0)
      return;
    auto [first, last] =
        isa<warp::AllocOp, warp::RingOp>(op)
            ? getLifetime(op, numbers)
            : std::pair(numbers.getFirst(op), numbers.getLast(op));
    pieces.push_back({op, size, first, last});
  });
  if (!warp::isExplicit(function))
    findIdleRings(pieces);
  return pieces;
}

/// Returns the lowest offset at which `piece` overlaps none of `others` that
/// live with it.
static int64_t findOffset(const SharedPiece &piece,
                          ArrayRef<SharedPiece> others) {
  int64_t offset = 0, alignment = getSharedAlignment(piece.size);
  for (bool moved = true; moved;) {
    moved = false;
    for (const SharedPiece &other : others) {
      int64_t pinned = piece.getPinnedStart(other);
      int64_t begin = other.offset + other.getPinnedStart(piece);
      if (begin >= offset + piece.size || offset + pinned >= other.end() ||
          !piece.livesWith(other))
        continue;
      offset = llvm::alignTo(other.end() - pinned, alignment);
      moved = true;
    }
  }
  return offset;
}

/// Assigns offsets to all pieces, sorts them by offset and returns their total
/// size.
static int64_t assignOffsets(SmallVectorImpl<SharedPiece> &pieces) {
  llvm::sort(pieces, [](const SharedPiece &a, const SharedPiece &b) {
    return std::tie(b.size, a.firstOp) < std::tie(a.size, b.firstOp);
  });
  SmallVector<SharedPiece> placed;
  int64_t total = 0;
  for (SharedPiece piece : pieces) {
    piece.offset = findOffset(piece, placed);
    total = std::max(total, piece.end());
    placed.push_back(piece);
  }
  llvm::sort(placed, [](const SharedPiece &a, const SharedPiece &b) {
    return std::tie(a.offset, a.firstOp) < std::tie(b.offset, b.firstOp);
  });
  pieces = std::move(placed);
  return total;
}

/// Assigns offsets to the pieces of the role with ping-pong groups, relative to
/// the memory of a group. Returns one piece for all groups, in which the groups
/// are contiguous.
static SharedPiece stackPingPongGroups(warp::SpecializeOp roles,
                                       SmallVectorImpl<SharedPiece> &pieces,
                                       const OpNumbers &numbers) {
  int64_t each = llvm::alignTo(assignOffsets(pieces), kMaxSharedAlignment);
  roles->setAttr(warp::WarpDialect::kPingPongBytesAttr,
                 Builder(roles.getContext()).getI32IntegerAttr(each));
  return {roles, each * roles.getPingPongGroups(), numbers.getFirst(roles),
          numbers.getLast(roles)};
}

/// Assigns offsets to all pieces of `function`, including those of ping-pong
/// groups, and returns their total size.
static int64_t assignAllOffsets(FunctionOpInterface function,
                                SmallVectorImpl<SharedPiece> &pieces) {
  warp::SpecializeOp pingPong;
  function->walk([&](warp::SpecializeOp roles) {
    if (roles.getPingPongGroups() > 1)
      pingPong = roles;
  });
  if (!pingPong)
    return assignOffsets(pieces);
  SmallVector<SharedPiece> all, own;
  for (const SharedPiece &piece : pieces)
    (pingPong.getRoles().front().isAncestor(piece.op->getParentRegion()) ? own
                                                                         : all)
        .push_back(piece);
  all.push_back(stackPingPongGroups(pingPong, own, OpNumbers(function)));
  int64_t total = assignOffsets(all);
  pieces.clear();
  int64_t start = 0;
  for (const SharedPiece &piece : all)
    if (piece.op == pingPong)
      start = piece.offset;
    else
      pieces.push_back(piece);
  for (SharedPiece &piece : own) {
    piece.offset += start;
    pieces.push_back(piece);
  }
  return total;
}
/// Whether as many CTAs per SM fit with `bytes` as with `total`. Other limits
/// allow at most `most` of them.
static bool keepsOccupancy(int64_t bytes, int64_t total, int64_t limit,
                           int64_t most = INT64_MAX) {
  const Occupancy occupancy = Occupancy::forEstimates(limit);
  return bytes <= limit &&
         occupancy.countCtasBySharedMemory(bytes) >=
             std::min(occupancy.countCtasBySharedMemory(total), most);
}

/// Separates the scratch of consecutive ops under two conditions:
///   1. All memory is scratch or rings that threads copy to.
///   2. The total stays small, or occupancy does not drop.
static void separateScratch(FunctionOpInterface function,
                            SmallVectorImpl<SharedPiece> &pieces,
                            int64_t &total, int64_t limit) {
  auto isScratch = [](const SharedPiece &piece) {
    auto ring = dyn_cast<warp::RingOp>(piece.op);
    return usesScratch(piece.op) || (ring && ring.getType().getCompletion() ==
                                                 warp::Completion::AsyncGroups);
  };
  if (!llvm::all_of(pieces, isScratch))
    return;
  SmallVector<SharedPiece> separate = collectPieces(function);
  extendScratchLifetimes(separate);
  int64_t bytes = assignOffsets(separate);
  if (bytes <= OccupancyParameters::kMaxScratch ||
      keepsOccupancy(bytes, total, limit)) {
    pieces = std::move(separate);
    total = bytes;
  }
}

/// Extends the lifetime of wgmma operands that threads store in a loop to the
/// whole loop, if occupancy does not drop. Then no barrier is needed before the
/// next store to the memory.
static void separateOperands(FunctionOpInterface function,
                             SmallVectorImpl<SharedPiece> &pieces,
                             int64_t &total, int64_t limit) {
  // The offsets of ping-pong groups are final.
  WalkResult pingPong = function->walk([](warp::SpecializeOp roles) {
    return roles.getPingPongGroups() > 1 ? WalkResult::interrupt()
                                         : WalkResult::advance();
  });
  if (pingPong.wasInterrupted())
    return;
  OpNumbers numbers(function);
  SmallVector<SharedPiece> separate = collectPieces(function);
  bool isAny = false;
  for (SharedPiece &piece : separate) {
    auto alloc = dyn_cast<warp::AllocOp>(piece.op);
    if (!alloc || !alloc.getSource() ||
        !isa<scf::ForOp>(alloc->getParentOp()) ||
        llvm::none_of(getTileUsers(alloc), llvm::IsaPred<warp::WgmmaOp>))
      continue;
    piece.firstOp =
        std::min(piece.firstOp, numbers.getFirst(alloc->getParentOp()));
    piece.lastOp =
        std::max(piece.lastOp, numbers.getLast(alloc->getParentOp()));
    isAny = true;
  }
  if (!isAny)
    return;
  int64_t bytes = assignOffsets(separate);
  // Kernels with wgmma have at least a warpgroup.
  const int64_t most = Occupancy().countCtasByWarps(kWarpsPerGroup);
  if (!keepsOccupancy(bytes, total, limit, most))
    return;
  pieces = std::move(separate);
  total = bytes;
}
SharedMemoryPlan tilewright::planSharedMemory(FunctionOpInterface function) {
  SharedMemoryPlan plan{collectPieces(function)};
  plan.bytes = assignAllOffsets(function, plan.pieces);
  return plan;
}

SharedMemoryPlan tilewright::planForFewBarriers(FunctionOpInterface function,
                                                int64_t limit) {
  auto [pieces, bytes] = planSharedMemory(function);
  separateScratch(function, pieces, bytes, limit);
  if (!warp::isExplicit(function))
    separateOperands(function, pieces, bytes, limit);
  return {std::move(pieces), bytes};
}
