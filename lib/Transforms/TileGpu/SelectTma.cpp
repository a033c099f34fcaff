#include "lib/Transforms/TileGpu/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Memory/TmaAccess.h"
#include "lib/Transforms/Tile/ExpandDescriptors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::tile_gpu {
#define GEN_PASS_DEF_SELECTTMA
#include "lib/Transforms/TileGpu/Passes.h.inc"
} // namespace tilewright::tile_gpu

/// Has threads make `store` where the accelerator would write behind rows.
static void askForRowEnds(tile::DescriptorStoreOp store) {
  constexpr int64_t kPiece = 16;
  auto desc = store.getDesc().getDefiningOp<tile::MakeDescriptorOp>();
  tile::DescType type = desc.getResult().getType();
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  ImplicitLocOpBuilder b(store.getLoc(), store);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  };
  Value rest = arith::AndIOp::create(b, desc.getShape().back(),
                                     constant(kPiece / bytes - 1));
  Value isWhole =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, constant(0));
  auto branch = scf::IfOp::create(b, isWhole, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.elseBlock());
  b.clone(*store);
  store->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
}

namespace {
struct SelectTma : tile_gpu::impl::SelectTmaBase<SelectTma> {
  using SelectTmaBase::SelectTmaBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (failed(select(func)))
        return signalPassFailure();
  }

  LogicalResult select(tile::FuncOp func) {
    NvidiaTarget target{computeCapability, archSpecific, makesMaps};
    SmallVector<TmaObstacle> obstacles;
    SmallVector<Operation *> served;
    // Where programs take turns, what one writes is there for the next.
    const bool isOrdered = func->hasAttr(warp::WarpDialect::kOrderedAttr);
    // An explicit kernel says itself what is loaded so.
    if (!warp::isExplicit(func) && !isOrdered)
      llvm::append_range(served,
                         findTmaLoads(func, numWarps, target, obstacles));
    // A kernel that loads otherwise has no producer to store under.
    if (!served.empty() || (warp::isExplicit(func) && !isOrdered))
      for (TmaStore store : findTmaStores(func, target, obstacles)) {
        served.push_back(store.op);
        if (store.asks)
          askForRowEnds(store.op);
      }
    remarkTmaObstacles(obstacles, "tile-gpu-select-tma");
    for (Operation *op : served)
      remark::passed(op->getLoc(), remark::RemarkOpts::name("TmaCopy").category(
                                       "tile-gpu-select-tma"))
          << remark::add("{0} by the tensor memory accelerator",
                         isa<tile::DescriptorLoadOp>(op) ? "loaded" : "stored");
    SmallVector<Operation *> others;
    func.walk([&](Operation *op) {
      if (isa<tile::DescriptorLoadOp, tile::DescriptorStoreOp>(op) &&
          !llvm::is_contained(served, op))
        others.push_back(op);
    });
    for (Operation *op : others)
      if (failed(tile::expandDescriptorOp(op)))
        return op->emitError("the descriptor must be made in the same kernel, "
                             "not chosen by a branch or a loop");
    return success();
  }
};
} // namespace
