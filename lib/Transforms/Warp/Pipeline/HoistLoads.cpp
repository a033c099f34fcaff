// Hoists loads to before a layout conversion of earlier loaded data.
//
// A layout conversion through shared memory waits for its data, and no op after
// its barriers starts earlier. Loads after it would add the latency of a second
// memory access.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_HOISTLOADS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Whether `convert` waits for a load of its block.
static bool awaitsLoad(ConvertLayoutOp convert) {
  if (!usesScratch(convert))
    return false;
  Operation *from = convert.getSource().getDefiningOp();
  while (from && from->getNumOperands() == 1 && isMemoryEffectFree(from) &&
         !usesScratch(from))
    from = from->getOperand(0).getDefiningOp();
  return isa_and_nonnull<tile::LoadOp>(from) &&
         from->getBlock() == convert->getBlock();
}

static bool mayMove(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) && !usesScratch(op);
}

/// Whether a load may move to before `op`.
static bool mayPass(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !load.getIsVolatile();
  return !isa<LoopLikeOpInterface>(op) && isMemoryEffectFree(op);
}

namespace {

/// The first layout conversion that a load may precede, and the ops that must
/// move with the load, last first.
struct HoistTarget {
  ConvertLayoutOp before;
  SmallVector<Operation *> ops;
};

} // namespace

static HoistTarget findTarget(tile::LoadOp load) {
  HoistTarget target;
  SmallVector<Operation *> ops{load};
  llvm::SmallPtrSet<Operation *, 16> needed;
  auto need = [&](Operation *op) {
    for (Value operand : op->getOperands())
      needed.insert(operand.getDefiningOp());
  };
  need(load);
  for (Operation *op = load->getPrevNode(); op; op = op->getPrevNode()) {
    if (needed.contains(op)) {
      if (!mayMove(op))
        break;
      ops.push_back(op);
      need(op);
      continue;
    }
    if (!mayPass(op))
      break;
    if (auto convert = dyn_cast<ConvertLayoutOp>(op);
        convert && awaitsLoad(convert))
      target = {convert, ops};
  }
  return target;
}

static void visit(Block &block) {
  llvm::SmallDenseMap<Operation *, int64_t> taken;
  for (auto load : llvm::to_vector(block.getOps<tile::LoadOp>())) {
    if (load.getIsVolatile())
      continue;
    HoistTarget target = findTarget(load);
    if (!target.before)
      continue;
    int64_t &registers = taken[target.before];
    int64_t more = countHeld(load.getType());
    if (registers + more > OccupancyParameters::kMaxLoadsOfConversion)
      continue;
    registers += more;
    for (Operation *op : llvm::reverse(target.ops))
      op->moveBefore(target.before);
  }
}

namespace {
struct HoistLoads : warp::impl::HoistLoadsBase<HoistLoads> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<tile::FuncOp>()) {
      llvm::SetVector<Block *> blocks;
      WalkResult result = function.walk([&](Operation *op) {
        // Accumulators leave no registers.
        if (isa<WgmmaOp, MmaOp>(op) || isExplicit(op))
          return WalkResult::interrupt();
        if (auto convert = dyn_cast<ConvertLayoutOp>(op);
            convert && awaitsLoad(convert))
          blocks.insert(op->getBlock());
        return WalkResult::advance();
      });
      if (!result.wasInterrupted())
        for (Block *block : blocks)
          visit(*block);
    }
  }
};
} // namespace
