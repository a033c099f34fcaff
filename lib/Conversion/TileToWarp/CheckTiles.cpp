#include "lib/Conversion/TileToWarp/TileToWarp.h"

#include "lib/Layout/WgmmaTiling.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

static LogicalResult checkType(Operation *op, Type type, int64_t numWarps) {
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile)
    return success();
  bool isPower = llvm::all_of(tile.getShape(), [](int64_t size) {
    return size > 0 && llvm::isPowerOf2_64(size);
  });
  if (!isPower)
    return op->emitError(
               "convert-tile-to-warp takes blocks with power-of-two "
               "dimensions, as tile-gpu-split-blocks leaves them, got ")
           << tile;
  return warp::checkTileSize(op, tile, tile.getNumElements(), numWarps);
}

/// Whether LayoutAssignment knows how this op relates the tiles it touches.
static bool hasRule(Operation *op) {
  return isElementwise(op) || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<tile::TileDialect>(op->getDialect()) ||
         isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp,
             scf::ConditionOp, warp::LocalLoadOp, warp::LocalStoreOp,
             warp::RemoteLoadOp, warp::WgmmaOp, warp::WgmmaWaitOp>(op);
}

/// Returns the op at which to report an error about `op`. Constants that
/// folding created have no location in the source, but their users do.
static Operation *getLocated(Operation *op) {
  const bool hasLocation = !isa<UnknownLoc>(op->getLoc());
  return hasLocation || op->use_empty() ? op : *op->user_begin();
}

static LogicalResult checkOp(Operation *op, int64_t numWarps) {
  if (isa<tile::CallOp>(op))
    return op->emitError("the NVIDIA back end takes kernels whose calls are "
                         "inlined");
  bool touchesTiles =
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>) ||
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  if (touchesTiles && !hasRule(op))
    return op->emitError("the NVIDIA back end cannot compute this on blocks");
  for (Type type : op->getResultTypes())
    if (failed(checkType(getLocated(op), type, numWarps)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (failed(checkType(op, type, numWarps)))
          return failure();
  return success();
}

LogicalResult warp::checkTiles(tile::FuncOp func, int64_t numWarps) {
  // In program order, so that the first report is the cause of the others.
  WalkResult result = func.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { return WalkResult(checkOp(op, numWarps)); });
  return failure(result.wasInterrupted());
}

static LogicalResult checkDot(warp::WgmmaOp mma, int64_t numWarps) {
  if (mma.getNumDots() != 1)
    return mma.emitError("a wgmma has one dot until warp-merge-wgmma, got ")
           << mma.getNumDots();
  auto acc = cast<RankedTensorType>(mma.getSingleAcc().getType());
  std::optional<LinearLayout> accLayout = wgmmaLayout(acc.getShape(), numWarps);
  if (!accLayout)
    return mma.emitError(
               "wgmma takes at least 64 rows and 8 columns per warpgroup, and "
               "roles of 4 warps or more; got ")
           << acc << " and " << numWarps << " warps";
  auto b = cast<warp::SharedType>(mma.getSingleB().getType());
  unsigned bits = 8 * warp::getElementBytes(b.getElementType());
  auto a = dyn_cast<warp::SharedType>(mma.getA().getType());
  LinearLayout rows = a ? a.getLayout().getLayout()
                        : wgmmaOperandLayout(*accLayout, b.getShape()[0], bits);
  WgmmaObstacle obstacle;
  if (planWgmma(rows, bool(a), b.getLayout().getLayout(), *accLayout, bits,
                obstacle))
    return success();
  StringRef name = obstacle == WgmmaObstacle::A ? "a" : "b";
  return mma.emitError("operand ")
         << name << " is not a matrix in shared memory that wgmma reads: rows "
         << "must have 32 bytes or more, and lie along the contracted "
         << "dimension unless its elements have 16 bits";
}

LogicalResult warp::checkDots(tile::FuncOp func, int64_t numWarps) {
  WalkResult result = func.walk(
      [&](WgmmaOp mma) { return WalkResult(checkDot(mma, numWarps)); });
  return failure(result.wasInterrupted());
}
