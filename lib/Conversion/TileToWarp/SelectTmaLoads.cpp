#include "lib/Conversion/TileToWarp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/TmaLoads.h"
#include "lib/Transforms/Tile/ExpandDescriptors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_SELECTTMALOADS
#include "lib/Conversion/TileToWarp/Passes.h.inc"
} // namespace tilewright::warp

namespace {
struct SelectTmaLoads : warp::impl::SelectTmaLoadsBase<SelectTmaLoads> {
  using SelectTmaLoadsBase::SelectTmaLoadsBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (failed(select(func)))
        return signalPassFailure();
  }

  LogicalResult select(tile::FuncOp func) {
    SmallVector<TmaObstacle> obstacles;
    auto served = findTmaLoads(func, numWarps,
                               {computeCapability, archSpecific}, obstacles);
    if (remarks)
      for (const TmaObstacle &obstacle : obstacles)
        obstacle.op->emitRemark("not copied by the tensor memory accelerator: ")
            << obstacle.reason;
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
