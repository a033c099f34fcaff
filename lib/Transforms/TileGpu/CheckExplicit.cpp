// Kernels whose roles and products stand in their source.

#include "lib/Transforms/TileGpu/CheckExplicit.h"

#include "lib/Analysis/Mma/InFlightAccumulators.h"
#include "lib/Analysis/Target/ExplicitRoles.h"
#include "lib/Analysis/Target/NvidiaTarget.h"
#include "lib/Analysis/Target/RegisterFile.h"
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

static constexpr int32_t kMaxWarps = 32, kWarpsPerGroup = 4, kLanes = 32;
/// Of the 16 barriers one is that of the block, and each role and each of 8
/// warpgroups has one.
static constexpr size_t kMaxRoles = 7;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// One `warp.specialize`, at the top of the kernel.
static LogicalResult checkPlace(tile::FuncOp func) {
  SpecializeOp first;
  WalkResult result = func.walk([&](SpecializeOp roles) -> WalkResult {
    if (roles->getParentOp() != func)
      return roles.emitError(
          "roles stand at the top of a kernel, not inside of "
          "loops, branches or other roles");
    if (first) {
      auto error = roles.emitError("a kernel takes its roles at one place");
      error.attachNote(first.getLoc()) << "it has roles already";
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
  int64_t pool = getFirstRegisters(total, /*programs=*/1) * total * kLanes;
  if (registers > pool)
    return roles.emitError("the roles ask for ")
           << registers << " registers, " << total << " warps start with "
           << pool << "; give fewer to some of them";
  return success();
}

/// The roles that have tiles, or products, among `roles`.
static LogicalResult checkComputing(SpecializeOp roles) {
  ArrayRef<int32_t> warps = roles.getWarps();
  std::optional<unsigned> first;
  for (unsigned number : getComputingRoles(roles)) {
    if (!llvm::isPowerOf2_32(warps[number]))
      return roles.emitError(
                 "a role that computes on blocks has a power of two "
                 "of warps, got ")
             << warps[number];
    if (first && warps[number] != warps[*first])
      return roles.emitError("roles that compute on blocks have equally many "
                             "warps, got ")
             << warps[*first] << " and " << warps[number];
    first = number;
  }
  for (Region &role : roles.getRoles()) {
    unsigned number = role.getRegionNumber();
    bool isWhole = warps[number] % kWarpsPerGroup == 0 &&
                   roles.getFirstWarp(number) % kWarpsPerGroup == 0;
    if (isWhole)
      continue;
    WalkResult result = role.walk([&](WgmmaOp product) -> WalkResult {
      return product.emitError(
                 "a product is computed by warpgroups of 4 warps, "
                 "this role has ")
             << warps[number] << ", from warp " << roles.getFirstWarp(number)
             << " on";
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

/// The barriers between roles that the hardware has left, and how many warps
/// come to each.
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
          op->emitError("a barrier waits for equally many warps "
                        "everywhere, got ")
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
// Outside of roles
//===----------------------------------------------------------------------===//

/// Puts what `role` uses of `op` at its top.
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

/// Whether the roles could just as well hold `op`, which stands in front of
/// them: it makes tiles of nothing but scalars, or checks such.
static bool isFree(Operation *op) {
  return isa<tile::AssertOp>(op) || (op->getNumRegions() == 0 && isPure(op));
}

/// Moves what is done with tiles in front of `roles` into the roles that use
/// it, and checks into the first that has tiles. All else has no warps to be
/// computed by.
static LogicalResult sinkTiles(SpecializeOp roles) {
  SmallVector<unsigned> computing = getComputingRoles(roles);
  SmallVector<Operation *> tiles;
  for (Operation &op : *roles->getBlock()) {
    bool isTile = touchesTiles(&op) || llvm::any_of(op.getRegions(), hasTiles);
    if (&op == roles || !isTile)
      continue;
    bool hasRole = !isa<tile::AssertOp>(op) || !computing.empty();
    if (!isFree(&op) || !op.isBeforeInBlock(roles) || !hasRole)
      return op.emitError("blocks are computed inside of the roles, whose "
                          "warps hold them; move this into a role");
    tiles.push_back(&op);
  }
  // From the last to the first, so that what an op needs follows it.
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

/// The blocks of the cluster that `op`, a ring or a tile in shared memory,
/// belongs to; 1 without one.
static unsigned getOwnClusterSize(Operation *op) {
  if (auto ring = dyn_cast<RingOp>(op))
    return ring.getType().getClusterSize();
  if (auto alloc = dyn_cast<AllocOp>(op))
    return alloc.getCluster();
  return 1;
}

/// The blocks of the clusters that `func` asks for; 1 without clusters.
static FailureOr<unsigned> getClusterSize(tile::FuncOp func) {
  unsigned size = 1;
  WalkResult result = func.walk([&](Operation *op) -> WalkResult {
    unsigned own = getOwnClusterSize(op);
    if (own > 1 && size > 1 && own != size)
      return op->emitError("the rings and shared blocks of a kernel belong to "
                           "clusters of one size, got ")
             << size << " and " << own;
    size = std::max(size, own);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return size;
}

/// Lets the blocks of a cluster wait for each other before one of them reaches
/// into another's memory, and before one leaves.
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
// Sums and tiles
//===----------------------------------------------------------------------===//

static LogicalResult checkAccumulators(tile::FuncOp func) {
  OpOperand *use = findUseOfInFlightAccumulator(func);
  if (!use)
    return success();
  auto error = use->getOwner()->emitError(
      "uses a sum whose product may still be running; pass it through a wait "
      "with no pending products first");
  if (Operation *op = use->get().getDefiningOp())
    error.attachNote(op->getLoc()) << "the sum comes from here";
  return error;
}

/// A tile in shared memory is one role's own.
static LogicalResult checkTile(AllocOp alloc) {
  std::optional<std::pair<SpecializeOp, unsigned>> owner;
  SmallVector<Value> names{alloc.getResult()};
  for (unsigned i = 0; i < names.size(); ++i) {
    // The last use comes first.
    const SmallVector<Operation *> users = llvm::to_vector(names[i].getUsers());
    for (Operation *user : llvm::reverse(users)) {
      if (isa<SharedTransposeOp>(user))
        names.push_back(user->getResult(0));
      auto role = SpecializeOp::getRole(user->getBlock());
      if (!role || isa<SharedTransposeOp>(user))
        continue;
      if (owner && *owner != *role) {
        auto error =
            user->emitError("this block of shared memory is another "
                            "role's, which runs at the same time; pass "
                            "blocks between roles through a ring");
        error.attachNote(alloc.getLoc()) << "it is made here";
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
    return op->emitError("rings, roles and products of warpgroups need sm_90a, "
                         "the target is sm_")
           << computeCapability.getValue() << (archSpecific ? "a" : "");
  }

  static LogicalResult check(tile::FuncOp func) {
    if (failed(checkPlace(func)))
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
