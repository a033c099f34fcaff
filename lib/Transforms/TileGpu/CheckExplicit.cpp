// Checks kernels whose source spells out roles, rings and wgmma.

#include "lib/Transforms/TileGpu/CheckExplicit.h"

#include "lib/Analysis/Mma/InFlightAccumulators.h"
#include "lib/Analysis/Target/ExplicitRoles.h"
#include "lib/Analysis/Target/NvidiaTarget.h"
#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Layout/WgmmaTiling.h"
#include "lib/Transforms/TileGpu/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

namespace tilewright::tile_gpu {
#define GEN_PASS_DEF_CHECKEXPLICIT
#include "lib/Transforms/TileGpu/Passes.h.inc"
} // namespace tilewright::tile_gpu

static constexpr int32_t kMaxWarps = 32, kLanes = SmResources::kLanes;
/// Of the 16 hardware barriers, the CTA has one, and so has each role and each
/// of 8 warpgroups.
static constexpr size_t kMaxRoles = 7;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// Checks that there is at most one `warp.specialize`, at the top level.
static LogicalResult checkRolesPosition(tile::FuncOp func) {
  SpecializeOp first;
  WalkResult result = func.walk([&](SpecializeOp roles) -> WalkResult {
    if (roles->getParentOp() != func)
      return roles.emitError(
          "roles must be at the top level of a kernel, not inside "
          "loops, branches or other roles");
    if (first) {
      auto error = roles.emitError("a kernel has at most one set of roles");
      error.attachNote(first.getLoc()) << "the first roles are here";
      return error;
    }
    first = roles;
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult checkSizes(SpecializeOp roles) {
  ArrayRef<int32_t> warps = roles.getWarps();
  if (warps.size() > kMaxRoles)
    return roles.emitError("a kernel has at most ")
           << kMaxRoles << " roles, got " << warps.size();
  int64_t total = 0, registers = 0;
  for (auto [number, some] : llvm::enumerate(warps)) {
    total += some;
    if (auto budgets = roles.getRegisters())
      registers += some * kLanes * (*budgets)[number];
  }
  if (total > kMaxWarps)
    return roles.emitError("the roles have at most ")
           << kMaxWarps << " warps together, got " << total;
  int64_t pool =
      Occupancy().getInitialRegisters(/*numCtas=*/1, total) * total * kLanes;
  if (registers > pool)
    return roles.emitError("the roles ask for ")
           << registers << " registers, " << total << " warps start with "
           << pool << "; give fewer to some of them";
  return success();
}

/// Checks the roles that hold tiles or issue wgmma.
static LogicalResult checkComputing(SpecializeOp roles) {
  ArrayRef<int32_t> warps = roles.getWarps();
  std::optional<unsigned> first;
  for (unsigned number : getComputingRoles(roles)) {
    if (!llvm::isPowerOf2_32(warps[number]))
      return roles.emitError(
                 "a role that computes on blocks must have a power of two "
                 "of warps, got ")
             << warps[number];
    if (first && warps[number] != warps[*first])
      return roles.emitError("roles that compute on blocks must have the same "
                             "number of warps, got ")
             << warps[*first] << " and " << warps[number];
    first = number;
  }
  for (Region &role : roles.getRoles()) {
    unsigned number = role.getRegionNumber();
    bool isWhole = warps[number] % kWarpsPerGroup == 0 &&
                   roles.getFirstWarp(number) % kWarpsPerGroup == 0;
    if (isWhole)
      continue;
    WalkResult result = role.walk([&](WgmmaOp mma) -> WalkResult {
      return mma.emitError("wgmma is issued by whole warpgroups of 4 warps, "
                           "this role has ")
             << warps[number] << ", from warp " << roles.getFirstWarp(number)
             << " on";
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

/// Checks that the named barriers between roles fit into the remaining hardware
/// barriers, and that each is used with one number of warps.
static LogicalResult checkNamedBarriers(SpecializeOp roles) {
  constexpr int32_t kBarriers = 16;
  int32_t warps = 0;
  for (int32_t some : roles.getWarps())
    warps += some;
  int32_t groups = llvm::divideCeil(warps, kWarpsPerGroup);
  int32_t most = kBarriers - 1 - int32_t(roles.getRoles().size()) - groups;
  llvm::SmallDenseMap<int32_t, int32_t> warpsOf;
  auto check = [&](Operation *op, int32_t barrier, int32_t some) {
    if (barrier >= most)
      return LogicalResult(op->emitError("these roles have at most ")
                           << std::max(most, 0)
                           << " barriers between them, this is number "
                           << barrier + 1);
    int32_t first = warpsOf.try_emplace(barrier, some).first->second;
    if (first != some)
      return LogicalResult(
          op->emitError("all uses of a barrier must name the same number "
                        "of warps, got ")
          << first << " and " << some);
    return success();
  };
  WalkResult result = roles.walk([&](Operation *op) {
    if (auto wait = dyn_cast<NamedBarrierWaitOp>(op))
      return WalkResult(check(op, wait.getBarrier(), wait.getWarps()));
    if (auto arrive = dyn_cast<NamedBarrierArriveOp>(op))
      return WalkResult(check(op, arrive.getBarrier(), arrive.getWarps()));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Tile ops outside roles
//===----------------------------------------------------------------------===//

/// Clones `op` to the top of `role` if `role` uses it.
static void sinkInto(Region &role, Operation *op) {
  bool isUsed = llvm::any_of(op->getUsers(), [&](Operation *user) {
    return role.isAncestor(user->getParentRegion());
  });
  if (!isUsed)
    return;
  OpBuilder b = OpBuilder::atBlockBegin(&role.front());
  Operation *copy = b.clone(*op);
  for (auto [from, to] : llvm::zip_equal(op->getResults(), copy->getResults()))
    from.replaceUsesWithIf(to, [&](OpOperand &use) {
      return role.isAncestor(use.getOwner()->getParentRegion()) &&
             use.getOwner() != copy;
    });
}

/// Whether `op`, which comes before the roles, can move into them: it is an
/// assertion, or pure and without regions.
static bool isFree(Operation *op) {
  return isa<tile::AssertOp>(op) || (op->getNumRegions() == 0 && isPure(op));
}

/// Moves tile ops before `roles` into the roles that use them, and assertions
/// into the first role that has tiles. Other tile ops outside roles are errors:
/// no warps hold their tiles.
static LogicalResult sinkTiles(SpecializeOp roles) {
  SmallVector<unsigned> computing = getComputingRoles(roles);
  SmallVector<Operation *> tiles;
  for (Operation &op : *roles->getBlock()) {
    bool isTile = touchesTiles(&op) || llvm::any_of(op.getRegions(), hasTiles);
    if (&op == roles || !isTile)
      continue;
    bool hasRole = !isa<tile::AssertOp>(op) || !computing.empty();
    if (!isFree(&op) || !op.isBeforeInBlock(roles) || !hasRole)
      return op.emitError("blocks must be computed inside roles, whose "
                          "warps hold them; move this into a role");
    tiles.push_back(&op);
  }
  // In reverse order, so that the operands of an op follow it.
  for (Operation *op : llvm::reverse(tiles)) {
    if (isa<tile::AssertOp>(op)) {
      Block &role = roles.getRoles()[computing.front()].front();
      op->moveBefore(&role, role.begin());
      continue;
    }
    for (Region &role : roles.getRoles())
      sinkInto(role, op);
    if (op->use_empty())
      op->erase();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Returns the cluster size that `op`, a ring or a shared-memory tile, asks
/// for; 1 without a cluster.
static unsigned getOwnClusterSize(Operation *op) {
  if (auto ring = dyn_cast<RingOp>(op))
    return ring.getType().getClusterSize();
  if (auto alloc = dyn_cast<AllocOp>(op))
    return alloc.getCluster();
  return 1;
}

/// Returns the cluster size that `func` asks for; 1 without clusters. Fails if
/// its ops ask for different sizes.
static FailureOr<unsigned> getClusterSize(tile::FuncOp func) {
  unsigned size = 1;
  WalkResult result = func.walk([&](Operation *op) -> WalkResult {
    unsigned own = getOwnClusterSize(op);
    if (own > 1 && size > 1 && own != size)
      return op->emitError("all rings and shared blocks of a kernel must have "
                           "the same cluster size, got ")
             << size << " and " << own;
    size = std::max(size, own);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return size;
}

/// Inserts cluster barriers. No CTA accesses the shared memory of another
/// before its rings are initialised. No CTA exits while another may still
/// access its shared memory.
static LogicalResult formCluster(tile::FuncOp func, SpecializeOp roles) {
  FailureOr<unsigned> size = getClusterSize(func);
  if (failed(size) || *size == 1)
    return size;
  OpBuilder b(roles);
  func->setAttr(WarpDialect::kClusterSizeAttr, b.getI32IntegerAttr(*size));
  ClusterBarrierOp::create(b, roles.getLoc(), /*ringsOnly=*/true);
  b.setInsertionPointAfter(roles);
  ClusterBarrierOp::create(b, roles.getLoc(), /*ringsOnly=*/false);
  return success();
}

//===----------------------------------------------------------------------===//
// Accumulators and tiles
//===----------------------------------------------------------------------===//

static LogicalResult checkAccumulators(tile::FuncOp func) {
  OpOperand *use = findUseOfInFlightAccumulator(func);
  if (!use)
    return success();
  auto error = use->getOwner()->emitError(
      "uses an accumulator whose wgmma may still be in flight; pass it through "
      "a wait with no pending wgmma first");
  if (Operation *op = use->get().getDefiningOp())
    error.attachNote(op->getLoc()) << "the accumulator comes from here";
  return error;
}

/// Checks that a single role uses a shared-memory tile.
static LogicalResult checkTile(AllocOp alloc) {
  std::optional<std::pair<SpecializeOp, unsigned>> owner;
  SmallVector<Value> aliases{alloc.getResult()};
  for (unsigned i = 0; i < aliases.size(); ++i) {
    // Use lists are in reverse order.
    const SmallVector<Operation *> users =
        llvm::to_vector(aliases[i].getUsers());
    for (Operation *user : llvm::reverse(users)) {
      if (isa<SharedTransposeOp>(user))
        aliases.push_back(user->getResult(0));
      auto role = SpecializeOp::getRole(user->getBlock());
      if (!role || isa<SharedTransposeOp>(user))
        continue;
      if (owner && *owner != *role) {
        auto error =
            user->emitError("another role, which runs at the same time, "
                            "uses this block of shared memory; pass "
                            "blocks between roles through a ring");
        error.attachNote(alloc.getLoc()) << "it is allocated here";
        return error;
      }
      owner = role;
    }
  }
  return success();
}

static LogicalResult checkSharedTiles(tile::FuncOp func) {
  WalkResult result =
      func.walk([](AllocOp alloc) { return WalkResult(checkTile(alloc)); });
  return failure(result.wasInterrupted());
}

namespace {
struct CheckExplicit : tile_gpu::impl::CheckExplicitBase<CheckExplicit> {
  using CheckExplicitBase::CheckExplicitBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>()) {
      Operation *first = findWarpOp(func);
      if (!first)
        continue;
      if (failed(checkTarget(first)) || failed(check(func)))
        return signalPassFailure();
      func->setAttr(WarpDialect::kExplicitAttr,
                    UnitAttr::get(func.getContext()));
    }
  }

  static Operation *findWarpOp(tile::FuncOp func) {
    Operation *found = nullptr;
    func.walk([&](Operation *op) {
      if (!isa<WarpDialect>(op->getDialect()))
        return WalkResult::advance();
      found = op;
      return WalkResult::interrupt();
    });
    return found;
  }

  LogicalResult checkTarget(Operation *op) {
    NvidiaTarget target{computeCapability, archSpecific};
    if (target.hasWgmma())
      return success();
    return op->emitError("rings, roles and wgmma need sm_90a, "
                         "the target is sm_")
           << computeCapability.getValue() << (archSpecific ? "a" : "");
  }

  static LogicalResult check(tile::FuncOp func) {
    if (failed(checkRolesPosition(func)))
      return failure();
    if (SpecializeOp roles = getRoles(func))
      if (failed(checkSizes(roles)) || failed(sinkTiles(roles)) ||
          failed(checkComputing(roles)) || failed(checkNamedBarriers(roles)) ||
          failed(formCluster(func, roles)))
        return failure();
    return success(succeeded(checkRings(func)) &&
                   succeeded(checkSharedTiles(func)) &&
                   succeeded(checkAccumulators(func)));
  }
};
} // namespace
