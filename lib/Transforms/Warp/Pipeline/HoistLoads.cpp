// Loads behind a change of layout of what was loaded start in front of it.
//
// A change of layout through shared memory waits for what it stores there, and
// nothing that stands behind its barriers starts before. So loads that stand
// there would take the time of a second access to memory.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
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

/// Registers of a thread that the loads in front of a change of layout take.
static constexpr int64_t kMostHoisted = 16;

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

/// Whether a load may come in front of `op`.
static bool mayPass(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !load.getIsVolatile();
  return !isa<LoopLikeOpInterface>(op) && isMemoryEffectFree(op);
}

namespace {

/// The first change of layout that a load may come in front of, and what has to
/// come with it, the last first.
struct Place {
  ConvertLayoutOp before;
  SmallVector<Operation *> ops;
};

} // namespace

static Place findPlace(tile::LoadOp load) {
  Place place;
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
      place = {convert, ops};
  }
  return place;
}

static void visit(Block &block) {
  llvm::SmallDenseMap<Operation *, int64_t> taken;
  for (auto load : llvm::to_vector(block.getOps<tile::LoadOp>())) {
    if (load.getIsVolatile())
      continue;
    Place place = findPlace(load);
    if (!place.before)
      continue;
    int64_t &registers = taken[place.before];
    int64_t more = countHeld(load.getType());
    if (registers + more > kMostHoisted)
      continue;
    registers += more;
    for (Operation *op : llvm::reverse(place.ops))
      op->moveBefore(place.before);
  }
}

namespace {
struct HoistLoads : warp::impl::HoistLoadsBase<HoistLoads> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<tile::FuncOp>()) {
      llvm::SetVector<Block *> blocks;
      WalkResult result = function.walk([&](Operation *op) {
        // Sums of products leave no registers.
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
