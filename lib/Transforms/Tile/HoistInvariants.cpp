#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/TileDialect.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEHOISTINVARIANTS
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

namespace {
struct HoistInvariants : tile::impl::TileHoistInvariantsBase<HoistInvariants> {
  void runOnOperation() override {
    // Inner loops first: ops that leave them may leave the outer loops, too.
    getOperation()->walk([](LoopLikeOpInterface loop) {
      if (!loop->hasAttr(tile::TileDialect::kDisableLicmAttr))
        moveLoopInvariantCode(loop);
    });
  }
};
} // namespace
