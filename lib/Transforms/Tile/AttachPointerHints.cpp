// Attaches promises about pointers that a loop carries.
//
// `tl.multiple_of(p, 16)` makes a promise about a value. No op computes a value
// that a loop carries, so the front end writes `p + 0` with the promise. Here
// the loads and stores after that op use its result. The loop carries the
// pointers as before.

#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEATTACHPOINTERHINTS
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

/// Whether `promise` comes before `access` in its block, or before an op that
/// contains `access`.
static bool comesBefore(Operation *promise, Operation *access) {
  Operation *here = promise->getBlock()->findAncestorOpInBlock(*access);
  return here && promise->isBeforeInBlock(here);
}

/// Makes the loads and stores after `promise` use its result.
static void attach(tile::AddPtrOp promise) {
  Value pointers = promise.getPtr();
  SmallVector<OpOperand *> found;
  for (OpOperand &use : pointers.getUses()) {
    Operation *access = use.getOwner();
    bool isAddress =
        isa<tile::LoadOp, tile::StoreOp>(access) && use.getOperandNumber() == 0;
    if ((isAddress || tile::isPromise(access)) && comesBefore(promise, access))
      found.push_back(&use);
  }
  for (OpOperand *use : found)
    use->set(promise.getResult());
}

namespace {
struct AttachPointerHints
    : tile::impl::TileAttachPointerHintsBase<AttachPointerHints> {
  void runOnOperation() override {
    getOperation()->walk([](tile::AddPtrOp op) {
      Value pointers = op.getPtr();
      if (tile::isPromise(op) && (isa<BlockArgument>(pointers) ||
                                  tile::isPromise(pointers.getDefiningOp())))
        attach(op);
    });
  }
};
} // namespace
