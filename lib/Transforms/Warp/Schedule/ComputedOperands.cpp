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

/// Whether `tile` is what a load gives, as it is or in other registers.
static bool isLoaded(Value tile) {
  while (auto convert = tile.getDefiningOp<ConvertLayoutOp>())
    tile = convert.getSource();
  return tile.getDefiningOp<tile::LoadOp>() != nullptr;
}

Operation *warp::findMaker(Value operand, scf::ForOp loop) {
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

bool warp::fitsApart(scf::ForOp loop, int64_t limit) {
  int64_t tiles = 0, scratch = 0;
  loop->getParentOfType<FunctionOpInterface>()->walk([&](Operation *op) {
    if (usesScratch(op))
      scratch = std::max(scratch, getSharedBytes(op));
    else if (int64_t bytes = getSharedBytes(op))
      tiles += llvm::alignTo(bytes, kMaxSharedAlignment);
  });
  return tiles + scratch <= limit;
}

/// The memory of `alloc` in front of `loop`, where products may read it while
/// the next iteration begins; a store stays where it was.
static void hoist(AllocOp alloc, scf::ForOp loop, RewriterBase &b) {
  b.setInsertionPoint(loop);
  auto memory =
      AllocOp::create(b, alloc.getLoc(), alloc.getType(), /*source=*/Value());
  b.setInsertionPoint(alloc);
  LocalStoreOp::create(b, alloc.getLoc(), alloc.getSource(), memory);
  b.replaceOp(alloc, memory);
}

void warp::addWhatTheyNeed(llvm::SmallSetVector<Operation *, 16> &ops,
                           Operation *place) {
  for (unsigned i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands())
      if (Operation *op = operand.getDefiningOp();
          op && op->getBlock() == place->getBlock() &&
          place->isBeforeInBlock(op))
        ops.insert(op);
}

WgmmaWaitOp warp::waitBeforeStores(scf::ForOp loop, ArrayRef<Operation *> made,
                                   ArrayRef<WgmmaWaitOp> waits,
                                   ArrayRef<unsigned> indices,
                                   ArrayRef<RingReleaseOp> releases,
                                   RewriterBase &b) {
  SmallVector<Value> before;
  for (unsigned index : indices)
    before.push_back(loop.getRegionIterArg(index));
  Operation *first = made.front();
  auto take = [&](Operation *op) {
    op = loop.getBody()->findAncestorOpInBlock(*op);
    if (op->isBeforeInBlock(first))
      first = op;
  };
  for (Operation *maker : made)
    take(maker);
  // A product of slots may stand in front of all stores: its sum is one of
  // those waited for.
  for (Value sum : before)
    for (Operation *user : sum.getUsers())
      take(user);
  b.setInsertionPoint(first);
  WgmmaWaitOp last = waits.back();
  auto joined = WgmmaWaitOp::create(
      b, last.getLoc(), TypeRange(ValueRange(before)), before, /*pendings=*/0);
  for (auto [sum, waited] : llvm::zip_equal(before, joined.getResults()))
    b.replaceAllUsesExcept(sum, waited, joined);
  for (WgmmaWaitOp wait : waits)
    b.replaceOp(wait, wait.getAccumulators()[0]);
  for (RingReleaseOp release : llvm::reverse(releases))
    b.moveOpAfter(release, joined);
  for (Operation *maker : made)
    if (auto alloc = dyn_cast<AllocOp>(maker))
      hoist(alloc, loop, b);
  return joined;
}
