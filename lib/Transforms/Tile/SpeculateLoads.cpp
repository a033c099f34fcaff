// Loads that a branch may need start while its condition is still on its way
// from memory.
//
// Programs that add to one array in turn, under a lock, first read whether
// anyone has written it, and load it if so: two waits for memory, one behind
// the other, that all other programs wait for, too.

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

/// Whether `value` is computed from what its block reads from memory.
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

/// Whether whatever the condition of `branch` says what `load` reads is written
/// behind it: then it is memory of the program's, and may be read.
static bool isWrittenBehind(scf::IfOp branch, tile::LoadOp load) {
  for (Operation *op = branch->getNextNode(); op; op = op->getNextNode()) {
    auto store = dyn_cast<tile::StoreOp>(op);
    if (store && store.getPtr() == load.getPtr() &&
        store.getMask() == load.getMask())
      return true;
    // What may not end, or ends the program, may be what keeps it from writing.
    if (!store && !isPlainLoad(*op) && !isPure(*op))
      return false;
  }
  return false;
}

/// The loads of `region` of `branch` that may start in front of it.
static SmallVector<tile::LoadOp> findEarly(scf::IfOp branch, Region &region) {
  SmallVector<tile::LoadOp> early;
  if (region.empty())
    return early;
  for (Operation &op : region.front()) {
    if (isPure(op))
      continue;
    // Nothing is written in front of what is read.
    if (!isPlainLoad(op))
      break;
    auto load = cast<tile::LoadOp>(op);
    bool isKnown = llvm::all_of(op.getOperands(), [&](Value operand) {
      return operand.getParentRegion()->isProperAncestor(&region);
    });
    if (isKnown && isWrittenBehind(branch, load))
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
              "loaded while the condition is on its way from memory");
          load->moveBefore(branch);
        }
    });
  }
};
} // namespace
