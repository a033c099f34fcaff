// Promises about pointers that a loop carries.
//
// `tl.multiple_of(p, 16)` says something of the value that it names. Where a
// loop carries that, no op makes it: the front end writes `p + 0` with the
// promise. Here this becomes what loads and stores behind it go through, so
// that they know, while the loop carries the pointers as before.

#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEATTACHPOINTERHINTS
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

/// Whether `promise` comes before `access` in its block or in one that it
/// stands in.
static bool comesBefore(Operation *promise, Operation *access) {
  Operation *here = promise->getBlock()->findAncestorOpInBlock(*access);
  return here && promise->isBeforeInBlock(here);
}

/// Has the loads and stores behind `promise` go through it.
static void place(tile::AddPtrOp promise) {
  Value pointers = promise.getPtr();
  SmallVector<OpOperand *> found;
  for (OpOperand &use : pointers.getUses()) {
    Operation *access = use.getOwner();
    bool isPlace =
        isa<tile::LoadOp, tile::StoreOp>(access) && use.getOperandNumber() == 0;
    if ((isPlace || tile::isPromise(access)) && comesBefore(promise, access))
      found.push_back(&use);
  }
  for (OpOperand *use : found)
    use->set(promise.getResult());
}

namespace {
struct AttachPointerHints : tile::impl::TileAttachPointerHintsBase<AttachPointerHints> {
  void runOnOperation() override {
    getOperation()->walk([](tile::AddPtrOp op) {
      Value pointers = op.getPtr();
      if (tile::isPromise(op) && (isa<BlockArgument>(pointers) ||
                                  tile::isPromise(pointers.getDefiningOp())))
        place(op);
    });
  }
};
} // namespace
