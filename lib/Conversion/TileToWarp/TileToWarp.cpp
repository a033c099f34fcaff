#include "lib/Conversion/TileToWarp/TileToWarp.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/TmaAccess.h"
#include "lib/Conversion/TileToWarp/Passes.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_CONVERTTILETOWARP
#include "lib/Conversion/TileToWarp/Passes.h.inc"
} // namespace tilewright::warp

namespace {

struct ConvertTileToWarp
    : warp::impl::ConvertTileToWarpBase<ConvertTileToWarp> {
  using ConvertTileToWarpBase::ConvertTileToWarpBase;

  void runOnOperation() override {
    if (failed(checkOptions()))
      return signalPassFailure();
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (failed(convert(func)))
        return signalPassFailure();
  }

  LogicalResult checkOptions() {
    Location loc = getOperation().getLoc();
    if (numWarps < 1 || numWarps > 32 || !llvm::isPowerOf2_32(numWarps))
      return emitError(loc,
                       "num_warps must be a power of two from 1 to 32, got ")
             << numWarps.getValue();
    if (computeCapability < 80)
      return emitError(loc, "the NVIDIA back end needs a compute capability of "
                            "8.0 or more, got ")
             << computeCapability / 10 << "." << computeCapability % 10;
    return success();
  }

  LogicalResult convert(tile::FuncOp func) {
    if (failed(warp::checkTiles(func)))
      return failure();
    NvidiaTarget target{computeCapability, archSpecific};
    warp::decomposeDots(func, target);
    LayoutAssignment layouts(func, numWarps, target);
    warp::materialiseLayouts(func, layouts);
    warp::formDots(func, layouts);
    func.walk([](tile::DescriptorStoreOp store) {
      OpBuilder b(store);
      warp::TmaStoreOp::create(b, store.getLoc(),
                               dropLeadingOnes(store.getValue()),
                               store.getDesc(), store.getOffsets());
      store.erase();
    });
    func->setAttr(warp::WarpDialect::kNumWarpsAttr,
                  Builder(func.getContext()).getI32IntegerAttr(numWarps));
    return success();
  }
};

} // namespace
