#include "lib/Transforms/Warp/SharedMemory/SharedMemoryPlan.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpAttributes.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/RingUses.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// Whether different roles, which run at the same time, hold the two.
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

/// Numbers the ops of a function in their order; an op with regions spans
/// those inside of it.
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
/// From which to which op the memory that `alloc`, a tile or a ring, makes may
/// be needed.
static std::pair<unsigned, unsigned> getLifetime(Operation *alloc,
                                                 const OpNumbers &numbers) {
  unsigned first = numbers.getFirst(alloc), last = numbers.getLast(alloc);
  // Other blocks of the cluster read it when they get there.
  if (auto tile = dyn_cast<warp::AllocOp>(alloc); tile && tile.getCluster() > 1)
    alloc = alloc->getParentOfType<FunctionOpInterface>();
  if (isa<FunctionOpInterface>(alloc))
    return {numbers.getFirst(alloc), numbers.getLast(alloc)};
  for (Operation *user : getTileUsers(alloc)) {
    // A use in a loop that the memory was made before is one in each iteration.
    Operation *outer = alloc->getBlock()->findAncestorOpInBlock(*user);
    // What is handed on to a region or a block may be used as long as that, and
    // what is still read in the next iteration all the time.
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

/// Keeps small scratch memory until the next op has used its own: then the
/// barrier inside of that one is all that has to stand between the two.
static void keepNeighboursApart(MutableArrayRef<SharedPiece> pieces) {
  constexpr int64_t kMostBytes = 4096;
  SharedPiece *last = nullptr;
  for (SharedPiece &piece : pieces) {
    if (!usesScratch(piece.op) || piece.size > kMostBytes)
      continue;
    if (last)
      last->lastOp = std::max(last->lastOp, piece.firstOp);
    last = &piece;
  }
}

/// Whether all that needs `op`'s memory stands where `ring` is done with.
static bool isNeededBehind(Operation *op, const RingUses &ring) {
  auto tile = dyn_cast<warp::AllocOp>(op);
  if (!tile || tile.getSource())
    return ring.areDoneBefore(op);
  return tile.getCluster() == 1 &&
         llvm::all_of(getTileUsers(tile), [&](Operation *user) {
           return ring.areDoneBefore(user);
         });
}

/// Notes which pieces may lie in the slots of which rings.
static void findIdleRings(MutableArrayRef<SharedPiece> pieces) {
  for (const SharedPiece &ring : pieces) {
    auto op = dyn_cast<warp::RingOp>(ring.op);
    if (!op)
      continue;
    RingUses uses(op);
    for (SharedPiece &piece : pieces)
      if (!isa<warp::RingOp>(piece.op) && isNeededBehind(piece.op, uses))
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

/// The lowest offset at which `piece` overlaps none of `others` that live with
/// it.
static int64_t findOffset(const SharedPiece &piece,
                          ArrayRef<SharedPiece> others) {
  int64_t offset = 0, alignment = getSharedAlignment(piece.size);
  for (bool moved = true; moved;) {
    moved = false;
    for (const SharedPiece &other : others) {
      int64_t kept = piece.getPinnedStart(other);
      int64_t begin = other.offset + other.getPinnedStart(piece);
      if (begin >= offset + piece.size || offset + kept >= other.end() ||
          !piece.livesWith(other))
        continue;
      offset = llvm::alignTo(other.end() - kept, alignment);
      moved = true;
    }
  }
  return offset;
}

/// Places all pieces, sorts them by offset and gives the bytes they take.
static int64_t place(SmallVectorImpl<SharedPiece> &pieces) {
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

/// Places the pieces of the role of teams among themselves, and gives the one
/// piece that they make for all teams: each team has its own, one behind the
/// other.
static SharedPiece emitPingPongGroups(warp::SpecializeOp roles,
                                      SmallVectorImpl<SharedPiece> &pieces,
                                      const OpNumbers &numbers) {
  int64_t each = llvm::alignTo(place(pieces), kMaxSharedAlignment);
  roles->setAttr(warp::WarpDialect::kPingPongBytesAttr,
                 Builder(roles.getContext()).getI32IntegerAttr(each));
  return {roles, each * roles.getPingPongGroups(), numbers.getFirst(roles),
          numbers.getLast(roles)};
}

/// Places all pieces of `function`, those of teams as one, and gives the bytes
/// they take.
static int64_t placeAll(FunctionOpInterface function,
                        SmallVectorImpl<SharedPiece> &pieces) {
  warp::SpecializeOp teams;
  function->walk([&](warp::SpecializeOp roles) {
    if (roles.getPingPongGroups() > 1)
      teams = roles;
  });
  if (!teams)
    return place(pieces);
  SmallVector<SharedPiece> all, own;
  for (const SharedPiece &piece : pieces)
    (teams.getRoles().front().isAncestor(piece.op->getParentRegion()) ? own
                                                                      : all)
        .push_back(piece);
  all.push_back(emitPingPongGroups(teams, own, OpNumbers(function)));
  int64_t total = place(all);
  pieces.clear();
  int64_t start = 0;
  for (const SharedPiece &piece : all)
    if (piece.op == teams)
      start = piece.offset;
    else
      pieces.push_back(piece);
  for (SharedPiece &piece : own) {
    piece.offset += start;
    pieces.push_back(piece);
  }
  return total;
}
/// Whether as many programs fit with `bytes` as with `total`, of those that
/// have a place in any case.
static bool keepsPrograms(int64_t bytes, int64_t total, int64_t limit,
                          int64_t most = INT64_MAX) {
  return bytes <= limit && countPrograms(bytes, limit) >=
                               std::min(countPrograms(total, limit), most);
}

/// Places the scratch of neighbours apart where no tiles lie beside it but
/// those that threads copy, and all stays small or costs no other program its
/// place.
static void placeApart(FunctionOpInterface function,
                       SmallVectorImpl<SharedPiece> &pieces, int64_t &total,
                       int64_t limit) {
  constexpr int64_t kMostBytes = 8192;
  auto isScratch = [](const SharedPiece &piece) {
    auto ring = dyn_cast<warp::RingOp>(piece.op);
    return usesScratch(piece.op) || (ring && ring.getType().getCompletion() ==
                                                 warp::Completion::AsyncGroups);
  };
  if (!llvm::all_of(pieces, isScratch))
    return;
  SmallVector<SharedPiece> apart = collectPieces(function);
  keepNeighboursApart(apart);
  int64_t bytes = place(apart);
  if (bytes <= kMostBytes || keepsPrograms(bytes, total, limit)) {
    pieces = std::move(apart);
    total = bytes;
  }
}

/// Keeps the memory of operands that threads make in a loop for all of it,
/// where that costs no other program its place on the multiprocessor: what is
/// stored there next needs no barrier then.
static void keepOperandsApart(FunctionOpInterface function,
                              SmallVectorImpl<SharedPiece> &pieces,
                              int64_t &total, int64_t limit) {
  // The memory of teams is placed for good when it is placed.
  WalkResult teams = function->walk([](warp::SpecializeOp roles) {
    return roles.getPingPongGroups() > 1 ? WalkResult::interrupt()
                                         : WalkResult::advance();
  });
  if (teams.wasInterrupted())
    return;
  OpNumbers numbers(function);
  SmallVector<SharedPiece> apart = collectPieces(function);
  bool isAny = false;
  for (SharedPiece &piece : apart) {
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
  int64_t bytes = place(apart);
  // More programs of four warps than that have no place in any case.
  constexpr int64_t kMostPrograms = 16;
  if (!keepsPrograms(bytes, total, limit, kMostPrograms))
    return;
  pieces = std::move(apart);
  total = bytes;
}
SharedPlacement tilewright::placePieces(FunctionOpInterface function) {
  SharedPlacement placement{collectPieces(function)};
  placement.bytes = placeAll(function, placement.pieces);
  return placement;
}

SharedPlacement tilewright::placePiecesApart(FunctionOpInterface function,
                                             int64_t limit) {
  auto [pieces, bytes] = placePieces(function);
  placeApart(function, pieces, bytes, limit);
  if (!warp::isExplicit(function))
    keepOperandsApart(function, pieces, bytes, limit);
  return {std::move(pieces), bytes};
}
