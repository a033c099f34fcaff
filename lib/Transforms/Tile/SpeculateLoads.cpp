// Starts loads of a branch while its condition is still being loaded.
//
// Programs that add to one array in order, under a lock, first load whether
// anyone has written it, and then load the array if so. The two latencies add
// up, and all other programs wait for both.

#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILESPECULATELOADS
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

/// Whether `value` depends on a load in its block.
static bool isRead(Value value, Block *block) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block || op->getNumRegions() != 0)
    return false;
  if (isa<tile::LoadOp>(op))
    return true;
  return isMemoryEffectFree(op) &&
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return isRead(operand, block); });
}

static bool isPlainLoad(Operation &op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && !load.getIsVolatile();
}

static bool isPure(Operation &op) {
  return op.getNumRegions() == 0 && isMemoryEffectFree(&op);
}

/// Whether the program writes to the addresses of `load` after `branch`, for
/// either outcome of the condition. They are then valid to read.
static bool isWrittenAfter(scf::IfOp branch, tile::LoadOp load) {
  for (Operation *op = branch->getNextNode(); op; op = op->getNextNode()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    if (store && store.getPtr() == load.getPtr() &&
        store.getMask() == load.getMask())
      return true;
    // An op that may not terminate, or that ends the program, may prevent the
    // write.
    if (!store && !isPlainLoad(*op) && !isPure(*op))
      return false;
  }
  return false;
}

/// Returns the loads of `region` that may move before `branch`.
static SmallVector<tile::LoadOp> findEarly(scf::IfOp branch, Region &region) {
  SmallVector<tile::LoadOp> early;
  if (region.empty())
    return early;
  for (Operation &op : region.front()) {
    if (isPure(op))
      continue;
    // Loads after a possible write stay.
    if (!isPlainLoad(op))
      break;
    auto load = cast<tile::LoadOp>(op);
    bool isKnown = llvm::all_of(op.getOperands(), [&](Value operand) {
      return operand.getParentRegion()->isProperAncestor(&region);
    });
    if (isKnown && isWrittenAfter(branch, load))
      early.push_back(load);
  }
  return early;
}

namespace {
struct SpeculateLoads : tile::impl::TileSpeculateLoadsBase<SpeculateLoads> {
  void runOnOperation() override {
    getOperation()->walk([](scf::IfOp branch) {
      if (!isRead(branch.getCondition(), branch->getBlock()))
        return;
      constexpr auto kRemark = remark::RemarkOpts::name("SpeculateLoads")
                                   .category("tile-speculate-loads");
      for (Region &region : branch->getRegions())
        for (tile::LoadOp load : findEarly(branch, region)) {
          remark::passed(load.getLoc(), kRemark) << remark::add(
              "loaded before the branch, while its condition is being loaded");
          load->moveBefore(branch);
        }
    });
  }
};
} // namespace
