#include "lib/Transforms/Warp/Schedule/ComputedOperands.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Layout/LayoutEdges.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Whether `tile` is the result of a load, possibly with a converted layout.
static bool isLoaded(Value tile) {
  while (auto convert = tile.getDefiningOp<ConvertLayoutOp>())
    tile = convert.getSource();
  return tile.getDefiningOp<tile::LoadOp>() != nullptr;
}

Operation *warp::findComputingOp(Value operand, scf::ForOp loop) {
  if (isa<RankedTensorType>(operand.getType())) {
    Operation *op = operand.getDefiningOp();
    return op && op->getBlock() == loop.getBody() && isElementwise(op) &&
                   operand.hasOneUse()
               ? op
               : nullptr;
  }
  auto alloc = getNamedMemory(operand).getDefiningOp<AllocOp>();
  return alloc && alloc.getSource() && alloc->getBlock() == loop.getBody() &&
                 !isLoaded(alloc.getSource())
             ? alloc.getOperation()
             : nullptr;
}

bool warp::fitsDisjoint(scf::ForOp loop, int64_t limit) {
  int64_t tiles = 0, scratch = 0;
  loop->getParentOfType<FunctionOpInterface>()->walk([&](Operation *op) {
    if (usesScratch(op))
      scratch = std::max(scratch, getSharedBytes(op));
    else if (int64_t bytes = getSharedBytes(op))
      tiles += llvm::alignTo(bytes, kMaxSharedAlignment);
  });
  return tiles + scratch <= limit;
}

/// Allocates the memory of `alloc` before `loop`, so that wgmma may read it
/// while the next iteration begins. The store does not move.
static void hoist(AllocOp alloc, scf::ForOp loop, RewriterBase &b) {
  b.setInsertionPoint(loop);
  auto memory =
      AllocOp::create(b, alloc.getLoc(), alloc.getType(), /*source=*/Value());
  b.setInsertionPoint(alloc);
  LocalStoreOp::create(b, alloc.getLoc(), alloc.getSource(), memory);
  b.replaceOp(alloc, memory);
}

void warp::addDependencesAfter(llvm::SmallSetVector<Operation *, 16> &ops,
                               Operation *position) {
  for (unsigned i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands())
      if (Operation *op = operand.getDefiningOp();
          op && op->getBlock() == position->getBlock() &&
          position->isBeforeInBlock(op))
        ops.insert(op);
}

WgmmaWaitOp
warp::waitBeforeStores(scf::ForOp loop, ArrayRef<Operation *> computed,
                       ArrayRef<WgmmaWaitOp> waits, ArrayRef<unsigned> indices,
                       ArrayRef<RingReleaseOp> releases, RewriterBase &b) {
  SmallVector<Value> before;
  for (unsigned index : indices)
    before.push_back(loop.getRegionIterArg(index));
  Operation *first = computed.front();
  auto take = [&](Operation *op) {
    op = loop.getBody()->findAncestorOpInBlock(*op);
    if (op->isBeforeInBlock(first))
      first = op;
  };
  for (Operation *op : computed)
    take(op);
  // A wgmma that reads ring slots may precede all stores. The wait covers its
  // accumulator too.
  for (Value acc : before)
    for (Operation *user : acc.getUsers())
      take(user);
  b.setInsertionPoint(first);
  WgmmaWaitOp last = waits.back();
  auto merged = WgmmaWaitOp::create(
      b, last.getLoc(), TypeRange(ValueRange(before)), before, /*pendings=*/0);
  for (auto [acc, waited] : llvm::zip_equal(before, merged.getResults()))
    b.replaceAllUsesExcept(acc, waited, merged);
  for (WgmmaWaitOp wait : waits)
    b.replaceOp(wait, wait.getAccumulators()[0]);
  for (RingReleaseOp release : llvm::reverse(releases))
    b.moveOpAfter(release, merged);
  for (Operation *op : computed)
    if (auto alloc = dyn_cast<AllocOp>(op))
      hoist(alloc, loop, b);
  return merged;
}
