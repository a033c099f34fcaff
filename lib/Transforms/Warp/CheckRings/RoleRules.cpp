#include "lib/Transforms/Warp/CheckRings/RoleRules.h"

#include "lib/Analysis/Memory/TmaStorePlan.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/CheckRings/SlotRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Barriers that a block has; number 0 is the one of all its threads.
static constexpr int32_t kNumBarriers = 16;
static constexpr int32_t kWarpsPerGroup = 4;

namespace {

/// A role, or a team of it: its number and its op; outside of roles, -1 and
/// null.
struct Role {
  Operation *roles = nullptr;
  int64_t number = -1;
  int32_t team = 0;

  static Role of(Operation *op) {
    auto role = SpecializeOp::getRole(op->getBlock());
    return role ? Role{role->first, int64_t(role->second)} : Role();
  }
  int32_t getNumPingPongGroups() const {
    return roles ? mlir::cast<SpecializeOp>(roles).getNumPingPongGroups(number)
                 : 1;
  }
  auto key() const { return std::tie(roles, number, team); }
  bool operator<(const Role &other) const { return key() < other.key(); }
  bool operator==(const Role &other) const { return key() == other.key(); }
};

/// Shared memory, and who uses it.
struct Piece {
  Operation *op;
  int64_t begin, end;
  std::set<Role> users;
  /// Of slots that copies fill, the role that reads them, if one does.
  std::optional<Role> reader = std::nullopt;

  bool overlaps(const Piece &other) const {
    return begin < other.end && other.begin < end;
  }
  /// Whether some role or team may use this while another one uses `other`.
  bool isUsedWith(const Piece &other) const {
    for (const Role &a : users)
      for (const Role &b : other.users)
        if (a.roles && a.roles == b.roles && !(a == b))
          return true;
    return false;
  }
  /// Whether these are slots, and only the role that reads them uses `other`:
  /// it writes no slot that it still waits for, as all ways through it show.
  bool isReadBy(const Piece &other) const {
    return reader && other.users == std::set<Role>{*reader};
  }
};

} // namespace

static void addUsers(Value memory, std::set<Role> &users) {
  for (Operation *user : memory.getUsers()) {
    users.insert(Role::of(user));
    if (auto view = dyn_cast<SharedTransposeOp>(user))
      addUsers(view.getResult(), users);
  }
}

/// The role that reads `ring`, which another one fills by copies of this block;
/// nothing if there are several, or teams.
static std::optional<Role> findReader(RingOp ring) {
  if (ring.getType().getCompletion() != Completion::Transactions ||
      ring.getType().getClusterSize() > 1)
    return std::nullopt;
  std::set<Role> readers;
  for (Operation *user : ring->getUsers())
    if (isa<RingWaitOp>(user))
      readers.insert(Role::of(user));
  if (readers.size() != 1 || readers.begin()->getNumPingPongGroups() > 1)
    return std::nullopt;
  return *readers.begin();
}

/// What a team of a role allocates, each has a piece of. What stands in front
/// of roles is used by all teams.
static void addPieces(Piece piece, std::vector<Piece> &pieces) {
  Role owner = Role::of(piece.op);
  if (owner.getNumPingPongGroups() == 1) {
    std::set<Role> users;
    for (Role user : piece.users)
      for (user.team = 0; user.team < user.getNumPingPongGroups(); ++user.team)
        users.insert(user);
    piece.users = std::move(users);
    pieces.push_back(std::move(piece));
    return;
  }
  int64_t distance = getPingPongBytes(cast<SpecializeOp>(owner.roles));
  for (; owner.team < owner.getNumPingPongGroups(); ++owner.team) {
    int64_t by = owner.team * distance;
    pieces.push_back({piece.op, piece.begin + by, piece.end + by, {owner}});
  }
}

static std::vector<Piece> collectPieces(FunctionOpInterface function) {
  std::vector<Piece> pieces;
  function->walk([&](Operation *op) {
    auto offset =
        op->getAttrOfType<IntegerAttr>(WarpDialect::kSharedOffsetAttr);
    int64_t size = offset ? getSharedBytes(op) : 0;
    if (size == 0)
      return;
    Piece piece{op, offset.getInt(), offset.getInt() + size, {}};
    if (usesScratch(op))
      piece.users.insert(Role::of(op));
    else
      addUsers(op->getResult(0), piece.users);
    if (auto ring = dyn_cast<RingOp>(op)) {
      Piece slots = piece;
      piece.begin = slots.end = piece.begin + ring.getType().getBarrierOffset();
      slots.reader = findReader(ring);
      addPieces(std::move(slots), pieces);
    }
    addPieces(std::move(piece), pieces);
  });
  return pieces;
}

/// Memory of roles that run at the same time lies apart.
static LogicalResult checkPlaces(FunctionOpInterface function) {
  std::vector<Piece> pieces = collectPieces(function);
  for (const Piece &piece : pieces)
    for (const Piece &other : pieces) {
      if (&piece == &other)
        break;
      if (!piece.overlaps(other) || !piece.isUsedWith(other) ||
          piece.isReadBy(other) || other.isReadBy(piece))
        continue;
      InFlightDiagnostic error = reportRule(piece.op, "memory kept")
                                 << "its memory is also that of another op, "
                                    "and two roles use them at the same time";
      error.attachNote(other.op->getLoc()) << "the other op";
      return error;
    }
  return success();
}

/// One role fills a ring; where threads wait for their own copies, it is also
/// the one that reads it.
static LogicalResult checkFillers(RingOp ring) {
  std::optional<Role> filler;
  for (Operation *user : ring->getUsers()) {
    if (!isa<RingAcquireOp>(user))
      continue;
    if (filler && !(*filler == Role::of(user)))
      return reportRule(user, "in turn")
             << "another role fills the ring, too, and each begins with slot 0";
    filler = Role::of(user);
  }
  if (ring.getType().getCompletion() != Completion::AsyncGroups || !filler)
    return success();
  for (Operation *user : ring->getUsers())
    if (isa<RingWaitOp>(user) && !(*filler == Role::of(user)))
      return reportRule(user, "copies arrived")
             << "threads of another role have issued the copies, and only they "
                "can wait for them";
  return success();
}

/// Whether all threads that run `op` do so together: they stand in no region
/// but those of uniform control flow.
static bool isUniform(Operation *op) {
  for (Operation *at = op->getParentOp(); !isa<FunctionOpInterface>(at);
       at = at->getParentOp())
    if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp,
             SpecializeOp>(at))
      return false;
  return true;
}

/// Which warps get to `op` together.
static LogicalResult checkWarps(Operation *op) {
  bool meets = isa<BarrierOp, ClusterBarrierOp, TmaStoreOp, RingAcquireOp,
                   RingCommitOp, RingWaitOp, RingSkipOp, RingReleaseOp,
                   PingPongWaitOp, PingPongPassOp, WgmmaOp, WgmmaWaitOp>(op) ||
               usesScratch(op);
  if (!meets)
    return success();
  if (!isUniform(op))
    return reportRule(op, "warps meet")
           << "it stands where not all threads need get to at the same time";
  auto role = SpecializeOp::getRole(op->getBlock());
  if (!role)
    return success();
  auto [roles, number] = *role;
  if (isa<WgmmaOp>(op) && (roles.getFirstWarp(number) % kWarpsPerGroup != 0 ||
                           roles.getWarps()[number] % kWarpsPerGroup != 0))
    return reportRule(op, "warps meet")
           << "products are those of whole warpgroups, and the role has warps "
           << roles.getFirstWarp(number) << " to "
           << roles.getFirstWarp(number) + roles.getWarps()[number] - 1;
  return success();
}

/// Each role has a barrier of its own; each team has one, behind those, and one
/// by which it is passed the turn, behind those of all warpgroups.
static LogicalResult checkBarriers(SpecializeOp roles) {
  int32_t numRoles = roles.getRoles().size(), teams = roles.getPingPongGroups();
  int32_t groups =
      (roles.getFirstWarp(numRoles) + kWarpsPerGroup - 1) / kWarpsPerGroup;
  if (teams > 1 && 1 + numRoles + groups + teams > kNumBarriers)
    return reportRule(roles, "warps meet")
           << teams << " teams need two barriers each, and the block has "
           << kNumBarriers;
  if (numRoles < kNumBarriers)
    return success();
  return reportRule(roles, "warps meet")
         << roles.getRoles().size() << " roles need as many barriers beside "
         << "that of the block, which has " << kNumBarriers;
}

static unsigned countParts(TmaStoreOp store) {
  return TmaStorePlan::get(store.getSource().getType()).getNumParts();
}

/// Stores whose warpgroups go each by itself have a barrier for each, behind
/// those of the roles. All stores through one piece of memory go alike: else
/// warps that do not wait for each other meet in it.
static LogicalResult checkStore(TmaStoreOp store) {
  unsigned parts = countParts(store);
  for (Operation *user : store.getStaging().getUsers())
    if (auto other = dyn_cast<TmaStoreOp>(user);
        other && countParts(other) != parts) {
      InFlightDiagnostic error = reportRule(store, "warps meet")
                                 << "stores in " << parts
                                 << " parts through memory that another store "
                                    "uses in "
                                 << countParts(other);
      error.attachNote(other.getLoc()) << "the other store";
      return error;
    }
  auto role = SpecializeOp::getRole(store->getBlock());
  int64_t numRoles = role ? role->first.getRoles().size() : 0;
  int64_t firstWarp = role ? role->first.getFirstWarp(role->second) : 0;
  int64_t groupsBefore = (firstWarp + kWarpsPerGroup - 1) / kWarpsPerGroup;
  if (parts == 1 || 1 + numRoles + groupsBefore + parts <= kNumBarriers)
    return success();
  return reportRule(store, "warps meet")
         << "a block has " << kNumBarriers << " barriers, and " << parts
         << " warpgroups that store need one each";
}

LogicalResult warp::checkRoles(FunctionOpInterface function) {
  bool failed = mlir::failed(checkPlaces(function));
  function->walk([&](Operation *op) {
    failed |= mlir::failed(checkWarps(op));
    if (auto ring = dyn_cast<RingOp>(op))
      failed |= mlir::failed(checkFillers(ring));
    if (auto store = dyn_cast<TmaStoreOp>(op))
      failed |= mlir::failed(checkStore(store));
    if (auto roles = dyn_cast<SpecializeOp>(op))
      failed |= mlir::failed(checkBarriers(roles));
  });
  return success(!failed);
}
