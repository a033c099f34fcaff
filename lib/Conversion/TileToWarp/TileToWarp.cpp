#include "lib/Conversion/TileToWarp/TileToWarp.h"

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
    FailureOr<NvidiaTarget> chip = checkOptions();
    if (failed(chip))
      return signalPassFailure();
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (failed(convert(func, *chip)))
        return signalPassFailure();
  }

  FailureOr<NvidiaTarget> checkOptions() {
    if (numWarps < 1 || numWarps > 32 || !llvm::isPowerOf2_32(numWarps))
      return emitError(getOperation().getLoc(),
                       "num_warps must be a power of two from 1 to 32, got ")
             << numWarps;
    std::optional<NvidiaTarget> chip = NvidiaTarget::parse(target);
    if (!chip)
      return emitError(getOperation().getLoc(),
                       "the NVIDIA back end compiles for sm_80 "
                       "and later, got target '")
             << target << "'";
    return *chip;
  }

  LogicalResult convert(tile::FuncOp func, const NvidiaTarget &chip) {
    if (failed(warp::checkTiles(func)))
      return failure();
    warp::decomposeDots(func, chip);
    warp::materialiseLayouts(func, LayoutAssignment(func, numWarps));
    func->setAttr(warp::WarpDialect::kNumWarpsAttr,
                  Builder(func.getContext()).getI32IntegerAttr(numWarps));
    return success();
  }
};

} // namespace
