#include "lib/Transforms/Warp/Specialize/PingPongPlan.h"

#include "lib/Analysis/Memory/MapStaging.h"
#include "lib/Analysis/Memory/WrittenArguments.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using llvm::StringRef;

namespace {

class PingPongPlanner {
public:
  PingPongPlanner(tile::FuncOp func, const SpecializePlan &specialized)
      : func(func), specialized(specialized), origins(func),
        written(findWrittenArguments(func)) {}

  PingPongPlan run();

private:
  void refuse(Operation *op, StringRef reason);
  void findTiles();
  void checkKernel();
  void checkGroups();
  void checkDots();
  void checkOrder();
  void collectCommon();
  bool isCommon(Operation *op);
  bool mayBeWritten(tile::LoadOp load) {
    return load.getIsVolatile() ||
           origins.get(load.getPtr()).anyCommon(written);
  }

  tile::FuncOp func;
  const SpecializePlan &specialized;
  ArgumentOrigins origins;
  llvm::BitVector written;
  PingPongPlan plan;
};

} // namespace

void PingPongPlanner::refuse(Operation *op, StringRef reason) {
  if (plan.obstacleOp)
    return;
  plan.obstacle = reason;
  plan.obstacleOp = op;
}

//===----------------------------------------------------------------------===//
// The loop over tiles
//===----------------------------------------------------------------------===//

void PingPongPlanner::findTiles() {
  Block &body = func.getBody().front();
  for (const LoadGroup &group : specialized.groups) {
    Operation *load = group.loads.front().load;
    auto loop = dyn_cast<scf::ForOp>(body.findAncestorOpInBlock(*load));
    if (!loop)
      return refuse(load, "it is loaded outside of a counted loop over tiles");
    if (plan.tiles && loop != plan.tiles)
      return refuse(load, "several loops load, one after the other");
    plan.tiles = loop;
  }
}

void PingPongPlanner::checkKernel() {
  auto numWarps = func->getAttrOfType<IntegerAttr>(WarpDialect::kNumWarpsAttr);
  if (numWarps.getInt() != 4)
    return refuse(func, "a tile is computed by one warpgroup, and num_warps "
                        "is not 4");
  if (!specialized.scalars.empty())
    return refuse(specialized.scalars.front().op,
                  "the producer waits for the result of this operation");
  if (getMapStagingBytes(func) != 0)
    refuse(func, "it makes tensor maps on the device");
}

/// A group skips the slots of a tile loop by loop, so their number must be the
/// trip count of one loop.
void PingPongPlanner::checkGroups() {
  for (const LoadGroup &group : specialized.groups) {
    Operation *parent = group.getBlock()->getParentOp();
    bool isDirect = parent == plan.tiles;
    bool isInLoop =
        isa<scf::ForOp>(parent) && parent->getParentOp() == plan.tiles;
    if (!isDirect && !isInLoop)
      return refuse(group.loads.front().load,
                    "its number of loads per tile depends on more than one "
                    "loop");
  }
}

/// Whether threads copy an operand themselves, into memory of a loop.
static bool isCopiedByThreads(AllocOp alloc) {
  return alloc.getSource() && alloc.getSource().getDefiningOp<tile::LoadOp>();
}

void PingPongPlanner::checkDots() {
  bool hasWgmma = false;
  plan.tiles->walk([&](Operation *op) {
    auto alloc = dyn_cast<AllocOp>(op);
    if (alloc && isCopiedByThreads(alloc))
      refuse(op, "threads copy an operand of its dots");
    hasWgmma |= isa<WgmmaOp>(op) && op->getParentOp() != plan.tiles;
  });
  if (!hasWgmma)
    refuse(plan.tiles, "a tile has no loop of wgmma");
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether all groups may run `op`, because running it twice has the same
/// effect.
static bool mayRepeat(Operation *op) {
  return isa<tile::LaunchWaitOp, tile::AssertOp>(op) || !findGlobalWrite(op);
}

/// A tile starts before the previous one has ended. So it must not read memory
/// that the previous one writes, and ops around the loop must be repeatable.
void PingPongPlanner::checkOrder() {
  for (Operation &op : func.getBody().front())
    if (&op != plan.tiles && !mayRepeat(&op))
      refuse(findGlobalWrite(&op),
             "it must run once, outside of the loop over tiles");
  // The iterations of a persistent loop are programs of the grid, which are
  // unordered.
  if (func->hasAttr(WarpDialect::kPersistentAttr))
    return;
  plan.tiles->walk([&](Operation *op) {
    if (tile::getProgramOrder(op))
      refuse(op, "an atomic operation orders its tiles");
    auto load = dyn_cast<tile::LoadOp>(op);
    if (load && mayBeWritten(load))
      refuse(op, "it may load data that the previous tile has yet to store");
  });
}

//===----------------------------------------------------------------------===//
// Ops that all groups run
//===----------------------------------------------------------------------===//

/// Whether all groups may run `op` before the tile.
bool PingPongPlanner::isCommon(Operation *op) {
  if (op->getBlock() != plan.tiles.getBody() || op->getNumRegions() != 0 ||
      usesScratch(op))
    return false;
  auto load = dyn_cast<tile::LoadOp>(op);
  return load ? !mayBeWritten(load) : isMemoryEffectFree(op);
}

void PingPongPlanner::collectCommon() {
  SmallVector<Value> open(plan.tiles.getYieldedValues());
  for (const LoadGroup &group : specialized.groups)
    if (auto loop = dyn_cast<scf::ForOp>(group.getBlock()->getParentOp());
        loop != plan.tiles)
      open.append({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  llvm::SetVector<Operation *> found;
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || !plan.tiles->isProperAncestor(op) || !found.insert(op))
      continue;
    if (!isCommon(op))
      return refuse(op, "the number of blocks that a tile loads, or a value "
                        "that the next tile starts with, depends on it");
    llvm::append_range(open, op->getOperands());
  }
  SmallVector<Operation *> ordered = found.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  plan.common.insert(ordered.begin(), ordered.end());
}

PingPongPlan PingPongPlanner::run() {
  findTiles();
  for (auto step :
       {&PingPongPlanner::checkKernel, &PingPongPlanner::checkGroups,
        &PingPongPlanner::checkDots, &PingPongPlanner::checkOrder,
        &PingPongPlanner::collectCommon})
    if (!plan.obstacleOp)
      (this->*step)();
  if (plan.obstacleOp)
    plan.tiles = {};
  return std::move(plan);
}

PingPongPlan warp::planPingPong(tile::FuncOp func, const SpecializePlan &plan) {
  return PingPongPlanner(func, plan).run();
}
