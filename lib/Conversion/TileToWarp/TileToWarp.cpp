#include "lib/Conversion/TileToWarp/TileToWarp.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/Commutation.h"
#include "lib/Analysis/Memory/TmaAccess.h"
#include "lib/Analysis/Memory/TmaStorePlan.h"
#include "lib/Analysis/Mma/DotLayouts.h"
#include "lib/Analysis/Target/ExplicitRoles.h"
#include "lib/Analysis/Target/TargetOptions.h"
#include "lib/Conversion/TileToWarp/Passes.h"
#include "lib/Layout/TileLayouts.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;
using llvm::StringRef;

namespace tilewright::warp {
#define GEN_PASS_DEF_CONVERTTILETOWARP
#include "lib/Conversion/TileToWarp/Passes.h.inc"
} // namespace tilewright::warp

/// Remarks which unit computes `dot`, and why no faster one does.
static void remarkDot(tile::DotOp dot, int64_t numWarps,
                      const NvidiaTarget &target) {
  constexpr auto kRemark =
      remark::RemarkOpts::name("Dot").category("convert-tile-to-warp");
  Location loc = dot.getLoc();
  if (StringRef reason = getTensorCoreObstacle(dot); !reason.empty())
    remark::missed(loc, kRemark)
        << remark::add("computed by threads, not by tensor cores: {0}", reason);
  else if (StringRef reason = getWgmmaObstacle(dot, numWarps, target);
           reason.empty())
    remark::passed(loc, kRemark) << remark::add(
        "computed by wgmma, a from {0}",
        chooseDotLayouts(dot, numWarps, target).a ? "registers"
                                                  : "shared memory");
  else if (target.hasWgmma())
    remark::missed(loc, kRemark)
        << remark::add("computed by mma.sync, not by wgmma: {0}", reason);
  else
    remark::passed(loc, kRemark) << remark::add("computed by mma.sync");
}

/// Replaces `store` by a TMA store from a staging buffer, and waits until the
/// buffer has been read.
static void formTmaStore(tile::DescriptorStoreOp store) {
  ImplicitLocOpBuilder b(store.getLoc(), store);
  Value tile = dropLeadingOnes(store.getValue());
  auto plan = TmaStorePlan::get(cast<RankedTensorType>(tile.getType()));
  Value staging = warp::AllocOp::create(
      b, getStagingType(b.getContext(), plan.getStagingBytes()), Value());
  warp::TmaStoreOp::create(b, tile, store.getDesc(), store.getOffsets(),
                           staging, store.getReductionAttr());
  warp::TmaStoreWaitOp::create(b, staging);
  store.erase();
}

namespace {

struct ConvertTileToWarp
    : warp::impl::ConvertTileToWarpBase<ConvertTileToWarp> {
  using ConvertTileToWarpBase::ConvertTileToWarpBase;

  void runOnOperation() override {
    if (failed(checkNumWarps(getOperation(), numWarps)) ||
        failed(checkComputeCapability(getOperation(), computeCapability)))
      return signalPassFailure();
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (failed(convert(func)))
        return signalPassFailure();
  }

  LogicalResult convert(tile::FuncOp func) {
    markCommuting(func);
    int64_t numWarps = chooseNumWarps(func);
    if (failed(warp::checkTiles(func, numWarps)))
      return failure();
    NvidiaTarget target{computeCapability, archSpecific};
    if (failed(warp::checkDots(func, numWarps)))
      return failure();
    func.walk([&](tile::DotOp dot) { remarkDot(dot, numWarps, target); });
    warp::decomposeDots(func, numWarps, target, cutTf32);
    StagedVectors rows = findStagedVectors(func, numStages);
    LayoutAssignment layouts(func, numWarps, target, rows);
    warp::materialiseLayouts(func, layouts);
    warp::stageLoads(func, layouts, rows);
    warp::formDots(func, layouts);
    func.walk([](tile::DescriptorStoreOp store) { formTmaStore(store); });
    func->setAttr(warp::WarpDialect::kNumWarpsAttr,
                  Builder(func.getContext()).getI32IntegerAttr(numWarps));
    return success();
  }

  /// Returns the number of warps that hold the tiles of `func`. With roles,
  /// that is the number of the roles that have tiles.
  int64_t chooseNumWarps(tile::FuncOp func) {
    warp::SpecializeOp roles = warp::getRoles(func);
    if (!roles)
      return numWarps;
    int32_t all = 0;
    for (int32_t some : roles.getWarps())
      all += some;
    func->setAttr(warp::WarpDialect::kBlockWarpsAttr,
                  Builder(func.getContext()).getI32IntegerAttr(all));
    SmallVector<unsigned> computing = warp::getComputingRoles(roles);
    return computing.empty() ? 1 : roles.getWarps()[computing.front()];
  }
};

} // namespace
