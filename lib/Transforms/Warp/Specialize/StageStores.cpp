#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Memory/TmaStorePlan.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_STAGESTORES
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Erases the separate staging buffer of a store.
static void eraseStaging(AllocOp staging) {
  for (Operation *user : llvm::make_early_inc_range(staging->getUsers()))
    if (isa<TmaStoreWaitOp>(user))
      user->erase();
  if (staging->use_empty())
    staging->erase();
}

/// Makes `stores` share one staging buffer, allocated before the first of them
/// in `body`.
static AllocOp share(MutableArrayRef<TmaStoreOp> stores, Block &body) {
  AllocOp largest;
  SmallVector<AllocOp> replaced;
  for (TmaStoreOp store : stores) {
    auto staging = store.getStaging().getDefiningOp<AllocOp>();
    replaced.push_back(staging);
    if (!largest || getSharedBytes(staging) > getSharedBytes(largest))
      largest = staging;
  }
  Operation *first = body.findAncestorOpInBlock(*stores.front());
  Operation *last = body.findAncestorOpInBlock(*stores.back());
  OpBuilder b(first);
  auto shared =
      AllocOp::create(b, stores.front().getLoc(), largest.getType(), Value());
  b.setInsertionPointAfter(last);
  TmaStoreWaitOp::create(b, stores.back().getLoc(), shared);
  for (TmaStoreOp store : stores)
    store.getStagingMutable().assign(shared);
  llvm::for_each(replaced, eraseStaging);
  return shared;
}

/// Marks the first of `stores` of a program, unless a loop repeats it.
static void markFirst(ArrayRef<TmaStoreOp> stores) {
  TmaStoreOp first = stores.front();
  if (!first->getParentOfType<LoopLikeOpInterface>())
    first.setFirst(true);
}

/// Whether `op` releases the writes of all threads to other programs.
static bool releases(Operation *op) {
  auto order = tile::getProgramOrder(op);
  return order && tile::releases(*order);
}

/// Waits for copies from `staging` before each release. A release orders the
/// writes of its thread, but not asynchronous copies that are in flight.
static void waitBeforeReleases(AllocOp staging) {
  Block *body = staging->getBlock();
  body->walk([&](Operation *op) {
    if (!releases(op) ||
        !staging->isBeforeInBlock(body->findAncestorOpInBlock(*op)))
      return;
    OpBuilder b(op);
    TmaStoreWaitOp::create(b, op->getLoc(), staging, /*arrived=*/true);
  });
}

namespace {
struct StageStores : warp::impl::StageStoresBase<StageStores> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (func.getBody().hasOneBlock())
        visitRoles(func.getBody().front());
      else
        func.walk([](TmaStoreWaitOp wait) { wait.setArrived(true); });
  }

  /// Roles of the source run concurrently, so each gets its own buffer.
  static void visitRoles(Block &body) {
    auto roles = body.getOps<SpecializeOp>();
    if (roles.empty())
      return visit(body);
    for (SpecializeOp op : roles)
      for (Region &role : op.getRoles())
        visit(role.front());
  }

  /// Stores with a different number of parts do not share a buffer: their warps
  /// do not synchronize with each other.
  static void visit(Block &body) {
    llvm::MapVector<unsigned, SmallVector<TmaStoreOp>> storesOfParts;
    body.walk([&](TmaStoreOp store) {
      if (store.getStaging().getDefiningOp<AllocOp>())
        storesOfParts[TmaStorePlan::get(store.getSource().getType())
                          .getNumParts()]
            .push_back(store);
    });
    for (auto &[parts, stores] : storesOfParts) {
      markFirst(stores);
      waitBeforeReleases(share(stores, body));
    }
  }
};
} // namespace
