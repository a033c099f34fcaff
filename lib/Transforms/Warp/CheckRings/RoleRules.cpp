#include "lib/Transforms/Warp/CheckRings/RoleRules.h"

#include "lib/Analysis/Memory/TmaStorePlan.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Layout/WgmmaTiling.h"
#include "lib/Transforms/Warp/CheckRings/SlotRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// The barriers of a CTA; number 0 is that of all its threads.
static constexpr int32_t kNumBarriers = 16;

namespace {

/// A role, or a ping-pong group of it: its op and index, or null and -1 outside
/// of roles.
struct Role {
  Operation *roles = nullptr;
  int64_t number = -1;
  int32_t group = 0;

  static Role of(Operation *op) {
    auto role = SpecializeOp::getRole(op->getBlock());
    return role ? Role{role->first, int64_t(role->second)} : Role();
  }
  int32_t getNumPingPongGroups() const {
    return roles ? mlir::cast<SpecializeOp>(roles).getNumPingPongGroups(number)
                 : 1;
  }
  auto key() const { return std::tie(roles, number, group); }
  bool operator<(const Role &other) const { return key() < other.key(); }
  bool operator==(const Role &other) const { return key() == other.key(); }
};

/// A range of shared memory and its users.
struct Piece {
  Operation *op;
  int64_t begin, end;
  std::set<Role> users;
  /// The only role that reads slots which copies fill, if there is one.
  std::optional<Role> reader = std::nullopt;

  bool overlaps(const Piece &other) const {
    return begin < other.end && other.begin < end;
  }
  /// Whether a role or group may use this while another one uses `other`.
  bool isUsedWith(const Piece &other) const {
    for (const Role &a : users)
      for (const Role &b : other.users)
        if (a.roles && a.roles == b.roles && !(a == b))
          return true;
    return false;
  }
  /// Whether this is slots, and only their reader uses `other`. Then PathWalk
  /// proves that the reader overwrites no slot that it still waits for.
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

/// Returns the only role that reads `ring`, which copies of this CTA fill.
/// Nothing if there are several roles or ping-pong groups.
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

/// Adds `piece`, once per ping-pong group if a role with groups allocates it.
/// All groups use memory that is allocated before the roles.
static void addPieces(Piece piece, std::vector<Piece> &pieces) {
  Role owner = Role::of(piece.op);
  if (owner.getNumPingPongGroups() == 1) {
    std::set<Role> users;
    for (Role user : piece.users)
      for (user.group = 0; user.group < user.getNumPingPongGroups();
           ++user.group)
        users.insert(user);
    piece.users = std::move(users);
    pieces.push_back(std::move(piece));
    return;
  }
  int64_t distance = getPingPongBytes(cast<SpecializeOp>(owner.roles));
  for (; owner.group < owner.getNumPingPongGroups(); ++owner.group) {
    int64_t by = owner.group * distance;
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

/// Checks that the memory of concurrent roles is disjoint.
static LogicalResult checkDisjoint(FunctionOpInterface function) {
  std::vector<Piece> pieces = collectPieces(function);
  for (const Piece &piece : pieces)
    for (const Piece &other : pieces) {
      if (&piece == &other)
        break;
      if (!piece.overlaps(other) || !piece.isUsedWith(other) ||
          piece.isReadBy(other) || other.isReadBy(piece))
        continue;
      InFlightDiagnostic error = reportRule(piece.op, "memory intact")
                                 << "its memory overlaps that of another op, "
                                    "and two roles use them concurrently";
      error.attachNote(other.op->getLoc()) << "the other op";
      return error;
    }
  return success();
}

/// Checks that one role fills a ring. If threads wait for their own copies, the
/// same role must read it.
static LogicalResult checkFillers(RingOp ring) {
  std::optional<Role> filler;
  for (Operation *user : ring->getUsers()) {
    if (!isa<RingAcquireOp>(user))
      continue;
    if (filler && !(*filler == Role::of(user)))
      return reportRule(user, "in order")
             << "another role also fills the ring, and each starts with slot 0";
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

/// Whether all threads run `op` together, because only uniform control flow
/// contains it.
static bool isUniform(Operation *op) {
  for (Operation *at = op->getParentOp(); !isa<FunctionOpInterface>(at);
       at = at->getParentOp())
    if (!isa<scf::ForOp, scf::WhileOp, scf::IfOp, scf::IndexSwitchOp,
             SpecializeOp>(at))
      return false;
  return true;
}

/// Checks that the right warps run `op` together.
static LogicalResult checkWarps(Operation *op) {
  bool meets = isa<BarrierOp, ClusterBarrierOp, TmaStoreOp, RingAcquireOp,
                   RingCommitOp, RingWaitOp, RingSkipOp, RingReleaseOp,
                   PingPongWaitOp, PingPongPassOp, WgmmaOp, WgmmaWaitOp>(op) ||
               usesScratch(op);
  if (!meets)
    return success();
  if (!isUniform(op))
    return reportRule(op, "warps meet")
           << "it is in control flow that need not be uniform";
  auto role = SpecializeOp::getRole(op->getBlock());
  if (!role)
    return success();
  auto [roles, number] = *role;
  if (isa<WgmmaOp>(op) && (roles.getFirstWarp(number) % kWarpsPerGroup != 0 ||
                           roles.getWarps()[number] % kWarpsPerGroup != 0))
    return reportRule(op, "warps meet")
           << "wgmma runs on whole warpgroups, and the role has warps "
           << roles.getFirstWarp(number) << " to "
           << roles.getFirstWarp(number) + roles.getWarps()[number] - 1;
  return success();
}

/// Checks that there are enough barriers. They are numbered in this order:
///   1. one for the CTA and one for each role;
///   2. one for each warpgroup, which ping-pong groups use;
///   3. one for the pass to each ping-pong group.
static LogicalResult checkBarriers(SpecializeOp roles) {
  int32_t numRoles = roles.getRoles().size();
  int32_t groups = roles.getPingPongGroups();
  int32_t warpgroups =
      (roles.getFirstWarp(numRoles) + kWarpsPerGroup - 1) / kWarpsPerGroup;
  if (groups > 1 && 1 + numRoles + warpgroups + groups > kNumBarriers)
    return reportRule(roles, "warps meet")
           << groups
           << " ping-pong groups need two barriers each, and the CTA has "
           << kNumBarriers;
  if (numRoles < kNumBarriers)
    return success();
  return reportRule(roles, "warps meet")
         << roles.getRoles().size()
         << " roles need one barrier each in addition to that of "
            "the CTA, which has "
         << kNumBarriers;
}

static unsigned countParts(TmaStoreOp store) {
  return TmaStorePlan::get(store.getSource().getType()).getNumParts();
}

/// Checks the barriers of a store. A store in parts needs one barrier per
/// warpgroup, after those of the roles. All stores through one buffer must have
/// the same number of parts, or warps that do not synchronize would share it.
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
         << "a CTA has " << kNumBarriers << " barriers, and " << parts
         << " warpgroups that store need one each";
}

LogicalResult warp::checkRoles(FunctionOpInterface function) {
  bool failed = mlir::failed(checkDisjoint(function));
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
