#include "lib/Transforms/TileGpu/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Memory/TmaAccess.h"
#include "lib/Analysis/Target/TargetOptions.h"
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

/// Makes threads do `store` where TMA would write past the end of rows: it
/// writes whole pieces of 16 bytes.
static void guardRowEnds(tile::DescriptorStoreOp store) {
  constexpr int64_t kPieceBytes = 16;
  auto desc = store.getDesc().getDefiningOp<tile::MakeDescriptorOp>();
  tile::DescType type = desc.getResult().getType();
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  ImplicitLocOpBuilder b(store.getLoc(), store);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  };
  Value rest = arith::AndIOp::create(b, desc.getShape().back(),
                                     constant(kPieceBytes / bytes - 1));
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
    if (failed(checkNumWarps(getOperation(), numWarps)))
      return signalPassFailure();
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (failed(select(func)))
        return signalPassFailure();
  }

  LogicalResult select(tile::FuncOp func) {
    NvidiaTarget target{computeCapability, archSpecific, makesMaps};
    SmallVector<TmaObstacle> obstacles;
    SmallVector<Operation *> served;
    // Each program of an ordered kernel must see the writes of the one before.
    const bool isOrdered = func->hasAttr(warp::WarpDialect::kOrderedAttr);
    // An explicit kernel states its TMA loads itself.
    if (!warp::isExplicit(func) && !isOrdered)
      llvm::append_range(served,
                         findTmaLoads(func, numWarps, target, obstacles));
    // Without TMA loads there is no producer for the store to overlap with.
    if (!served.empty() || (warp::isExplicit(func) && !isOrdered))
      for (TmaStore store : findTmaStores(func, target, obstacles)) {
        served.push_back(store.op);
        if (store.asks)
          guardRowEnds(store.op);
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
