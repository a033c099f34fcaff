#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/ExtraSlots.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/RingUses.h"
#include "lib/Analysis/SharedMemory.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_ALLOCATESHARED
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Whether different roles, which run at the same time, hold the two.
static bool areInConcurrentRoles(Operation *a, Operation *b) {
  auto roleA = warp::SpecializeOp::getRole(a->getBlock());
  auto roleB = warp::SpecializeOp::getRole(b->getBlock());
  return roleA && roleB && roleA->first == roleB->first &&
         roleA->second != roleB->second;
}

namespace {

/// Memory of one op, and from which to which op it is needed.
struct Piece {
  Operation *op;
  int64_t size;
  unsigned firstOp, lastOp;
  /// The rings whose slots nobody touches any more when this is first needed.
  llvm::SmallPtrSet<Operation *, 2> idleRings = {};
  int64_t offset = 0;

  int64_t end() const { return offset + size; }
  bool livesWith(const Piece &other) const {
    return (firstOp <= other.lastOp && other.firstOp <= lastOp) ||
           areInConcurrentRoles(op, other.op);
  }
  /// The part of this that `other`, which lives with it, has to stay clear of.
  int64_t getKeptStart(const Piece &other) const {
    return other.idleRings.contains(op)
               ? cast<warp::RingOp>(op).getType().getBarrierOffset()
               : 0;
  }
};

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
static void keepNeighboursApart(MutableArrayRef<Piece> pieces) {
  constexpr int64_t kMostBytes = 4096;
  Piece *last = nullptr;
  for (Piece &piece : pieces) {
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
static void findIdleRings(MutableArrayRef<Piece> pieces) {
  for (const Piece &ring : pieces) {
    auto op = dyn_cast<warp::RingOp>(ring.op);
    if (!op)
      continue;
    RingUses uses(op);
    for (Piece &piece : pieces)
      if (!isa<warp::RingOp>(piece.op) && isNeededBehind(piece.op, uses))
        piece.idleRings.insert(op);
  }
}

static SmallVector<Piece> collectPieces(Operation *function) {
  OpNumbers numbers(function);
  SmallVector<Piece> pieces;
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
  if (!function->hasAttr(warp::WarpDialect::kExplicitAttr))
    findIdleRings(pieces);
  return pieces;
}

/// The lowest offset at which `piece` overlaps none of `others` that live with
/// it.
static int64_t findOffset(const Piece &piece, ArrayRef<Piece> others) {
  int64_t offset = 0, alignment = getSharedAlignment(piece.size);
  for (bool moved = true; moved;) {
    moved = false;
    for (const Piece &other : others) {
      int64_t kept = piece.getKeptStart(other);
      int64_t begin = other.offset + other.getKeptStart(piece);
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
static int64_t place(SmallVectorImpl<Piece> &pieces) {
  llvm::sort(pieces, [](const Piece &a, const Piece &b) {
    return std::tie(b.size, a.firstOp) < std::tie(a.size, b.firstOp);
  });
  SmallVector<Piece> placed;
  int64_t total = 0;
  for (Piece piece : pieces) {
    piece.offset = findOffset(piece, placed);
    total = std::max(total, piece.end());
    placed.push_back(piece);
  }
  llvm::sort(placed, [](const Piece &a, const Piece &b) {
    return std::tie(a.offset, a.firstOp) < std::tie(b.offset, b.firstOp);
  });
  pieces = std::move(placed);
  return total;
}

/// Places the pieces of the role of teams among themselves, and gives the one
/// piece that they make for all teams: each team has its own, one behind the
/// other.
static Piece placeTeams(warp::SpecializeOp roles,
                        SmallVectorImpl<Piece> &pieces,
                        const OpNumbers &numbers) {
  int64_t each = llvm::alignTo(place(pieces), kMaxSharedAlignment);
  roles->setAttr(warp::WarpDialect::kTeamBytesAttr,
                 Builder(roles.getContext()).getI32IntegerAttr(each));
  return {roles, each * roles.getTeams(), numbers.getFirst(roles),
          numbers.getLast(roles)};
}

/// Places all pieces of `function`, those of teams as one, and gives the bytes
/// they take.
static int64_t placeAll(FunctionOpInterface function,
                        SmallVectorImpl<Piece> &pieces) {
  warp::SpecializeOp teams;
  function->walk([&](warp::SpecializeOp roles) {
    if (roles.getTeams() > 1)
      teams = roles;
  });
  if (!teams)
    return place(pieces);
  SmallVector<Piece> all, own;
  for (const Piece &piece : pieces)
    (teams.getRoles().front().isAncestor(piece.op->getParentRegion()) ? own
                                                                      : all)
        .push_back(piece);
  all.push_back(placeTeams(teams, own, OpNumbers(function)));
  int64_t total = place(all);
  pieces.clear();
  int64_t start = 0;
  for (const Piece &piece : all)
    if (piece.op == teams)
      start = piece.offset;
    else
      pieces.push_back(piece);
  for (Piece &piece : own) {
    piece.offset += start;
    pieces.push_back(piece);
  }
  return total;
}

static LogicalResult refuse(FunctionOpInterface function,
                            SmallVector<Piece> pieces, int64_t total,
                            int64_t limit, llvm::StringRef target) {
  auto error = function.emitError("needs ")
               << total << " bytes of shared memory, a block of " << target
               << " has at most " << limit << "; use smaller tiles";
  llvm::sort(pieces, [](const Piece &a, const Piece &b) {
    return std::tie(b.size, a.firstOp) < std::tie(a.size, b.firstOp);
  });
  for (const Piece &piece : ArrayRef(pieces).take_front(3))
    error.attachNote(piece.op->getLoc())
        << piece.size << " bytes are needed here";
  return error;
}

/// The map of shared memory, over the numbers of the ops that need each piece.
static void remarkPiece(const Piece &piece) {
  constexpr auto kRemark =
      remark::RemarkOpts::name("SharedMemory").category("warp-allocate-shared");
  remark::detail::InFlightRemark remark =
      remark::analysis(piece.op->getLoc(), kRemark);
  if (auto ring = dyn_cast<warp::RingOp>(piece.op))
    remark << remark::add("{0} bytes of shared memory for a ring of {1} slots",
                          piece.size, ring.getType().getNumSlots())
           << remark::metric("Slots", ring.getType().getNumSlots())
           << remark::metric("SlotBytes", ring.getType().getSlotBytes());
  else
    remark << remark::add("{0} bytes of shared memory for {1}", piece.size,
                          usesScratch(piece.op) ? "scratch" : "a tile");
  remark << remark::metric("Op", piece.op->getName().getStringRef().str())
         << remark::metric("Offset", piece.offset)
         << remark::metric("Size", piece.size)
         << remark::metric("First", piece.firstOp)
         << remark::metric("Last", piece.lastOp);
}

/// Places the scratch of neighbours apart where no tiles lie beside it and all
/// stays small.
static void placeApart(FunctionOpInterface function,
                       SmallVectorImpl<Piece> &pieces, int64_t &total) {
  constexpr int64_t kMostBytes = 8192;
  if (!llvm::all_of(pieces, [](const Piece &p) { return usesScratch(p.op); }))
    return;
  SmallVector<Piece> apart = collectPieces(function);
  keepNeighboursApart(apart);
  if (int64_t bytes = place(apart); bytes <= std::max(total, kMostBytes)) {
    pieces = std::move(apart);
    total = bytes;
  }
}

/// Keeps the memory of operands that threads make in a loop for all of it,
/// where that costs no other program its place on the multiprocessor: what is
/// stored there next needs no barrier then.
static void keepOperandsApart(FunctionOpInterface function,
                              SmallVectorImpl<Piece> &pieces, int64_t &total,
                              int64_t limit) {
  // The memory of teams is placed for good when it is placed.
  WalkResult teams = function->walk([](warp::SpecializeOp roles) {
    return roles.getTeams() > 1 ? WalkResult::interrupt()
                                : WalkResult::advance();
  });
  if (teams.wasInterrupted())
    return;
  OpNumbers numbers(function);
  SmallVector<Piece> apart = collectPieces(function);
  bool isAny = false;
  for (Piece &piece : apart) {
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
  if (bytes > limit || countPrograms(bytes, limit) <
                           std::min(countPrograms(total, limit), kMostPrograms))
    return;
  pieces = std::move(apart);
  total = bytes;
}

/// The ring that may have more slots than were asked for: the only one of
/// copies that run ahead.
static warp::RingOp findExtensible(FunctionOpInterface function) {
  constexpr int64_t kAhead = 3;
  if (!function->hasAttr(warp::WarpDialect::kTensorMapsAttr) ||
      function->hasAttr(warp::WarpDialect::kExplicitAttr))
    return {};
  warp::RingOp found;
  bool isPossible = true;
  function->walk([&](Operation *op) {
    if (auto roles = dyn_cast<warp::SpecializeOp>(op))
      isPossible &= roles.getTeams() == 1;
    auto ring = dyn_cast<warp::RingOp>(op);
    if (!ring || ring.getType().getNumSlots() < kAhead)
      return;
    isPossible &=
        !found && ring.getType().getClusterSize() == 1 &&
        ring.getType().getCompletion() == warp::Completion::Transactions &&
        llvm::all_of(ring->getUsers(), [](Operation *user) {
          return isa<warp::RingAcquireOp, warp::RingWaitOp>(user);
        });
    found = ring;
  });
  return isPossible ? found : warp::RingOp();
}

static void setSlots(warp::RingOp ring, int64_t numSlots) {
  warp::RingType type = ring.getType();
  ring.getResult().setType(
      warp::RingType::get(type.getContext(), numSlots, type.getTiles(),
                          type.getCompletion(), type.getClusterSize()));
}

/// The slots that a ring has at most: with more, copies do not run further
/// ahead than memory takes.
static constexpr int64_t kMostSlots = 8;

/// Gives `ring` the slots that cost no other program its place on the
/// multiprocessor.
static void deepen(FunctionOpInterface function, warp::RingOp ring,
                   int64_t limit) {
  auto count = [&] {
    SmallVector<Piece> pieces = collectPieces(function);
    return countPrograms(placeAll(function, pieces), limit);
  };
  int64_t numSlots = ring.getType().getNumSlots(), programs = count();
  while (programs != 0 && numSlots < kMostSlots) {
    setSlots(ring, numSlots + 1);
    if (count() < programs)
      break;
    ++numSlots;
  }
  setSlots(ring, numSlots);
}

/// Leaves room behind `total` bytes for more slots of `ring`.
static void extend(FunctionOpInterface function, warp::RingOp ring,
                   int64_t total, int64_t limit) {
  int64_t start = llvm::alignTo(total, kMaxSharedAlignment);
  int64_t each = ring.getType().getSlotBytes() + warp::kSlotBarrierBytes;
  int64_t slots = std::min(kMostSlots - ring.getType().getNumSlots(),
                           (limit - start) / each);
  if (slots <= 0)
    return;
  Builder b(function.getContext());
  int64_t bytes = start + slots * each;
  ring->setAttr(warp::kExtraSlotsAttr,
                b.getDenseI64ArrayAttr({slots, start, bytes}));
  function->setAttr(warp::kExtraSizeAttr, b.getI32IntegerAttr(bytes - total));
}

static LogicalResult allocate(FunctionOpInterface function, int64_t limit,
                              llvm::StringRef target) {
  warp::RingOp ring = findExtensible(function);
  if (ring)
    deepen(function, ring, limit);
  SmallVector<Piece> pieces = collectPieces(function);
  int64_t total = placeAll(function, pieces);
  placeApart(function, pieces, total);
  if (!function->hasAttr(warp::WarpDialect::kExplicitAttr))
    keepOperandsApart(function, pieces, total, limit);
  if (total > limit)
    return refuse(function, pieces, total, limit, target);
  Builder builder(function.getContext());
  for (const Piece &piece : pieces) {
    piece.op->setAttr(warp::WarpDialect::kSharedOffsetAttr,
                      builder.getI32IntegerAttr(piece.offset));
    remarkPiece(piece);
  }
  function->setAttr(warp::WarpDialect::kSharedSizeAttr,
                    builder.getI32IntegerAttr(total));
  if (ring)
    extend(function, ring, total, limit);
  return success();
}

namespace {
struct AllocateShared : warp::impl::AllocateSharedBase<AllocateShared> {
  using AllocateSharedBase::AllocateSharedBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(allocate(function, limit, target)))
        signalPassFailure();
  }
};
} // namespace
