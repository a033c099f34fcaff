// What only the end needs in many registers gets there behind the loops.
//
// Places of rows, say, which threads computed one each for loads, are eight of
// a thread where it stores eight rows. Read from shared memory in front of a
// loop of products they take registers for as long as that runs; behind it they
// cost the same. So do operands of products in front of the first product that
// needs them, of which there may be many in a row.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_SINKCONVERSIONS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

using OpSet = llvm::SmallSetVector<Operation *, 16>;

/// Whether `op` holds a loop of products that threads compute together.
static bool holdsDots(Operation *op) {
  return op->getNumRegions() != 0 &&
         op->walk([](Operation *inner) {
             return isa<WgmmaOp, MmaOp>(inner) &&
                            inner->getParentOfType<LoopLikeOpInterface>()
                        ? WalkResult::interrupt()
                        : WalkResult::advance();
           }).wasInterrupted();
}

/// The bits of a thread's registers that a tile takes.
static int64_t countBits(RankedTensorType tile) {
  Type element = tile.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return bits << getLayout(tile)->countTellingBits(LayoutAxis::Register);
}

/// Whether `op` goes through shared memory to become larger.
static bool grows(Operation *op) {
  auto convert = dyn_cast<ConvertLayoutOp>(op);
  return convert && usesScratch(convert) &&
         countBits(convert.getType()) >
             countBits(convert.getSource().getType());
}

/// Whether `op` gives the same wherever it stands.
static bool isMovable(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() != 0 &&
         !op->hasTrait<OpTrait::ConstantLike>() && isMemoryEffectFree(op);
}

/// Whether everything that uses `op` is in `late` or stands behind `loop`.
static bool isNeededLate(Operation *op, Operation *loop, const OpSet &late) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    Operation *here = loop->getBlock()->findAncestorOpInBlock(*user);
    return late.contains(user) || (here && loop->isBeforeInBlock(here));
  });
}

/// Moves behind `loop` the conversions in front of it that grow and are not
/// needed in it, and what is computed from them.
static void sinkBehind(Operation *loop) {
  OpSet late, moved;
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode())
    if (isMovable(op) && !op->use_empty() && isNeededLate(op, loop, late))
      late.insert(op);
  // In order, each behind what it is computed from.
  for (Operation *op : llvm::reverse(late))
    if (grows(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
          return moved.contains(operand.getDefiningOp());
        }))
      moved.insert(op);
  for (Operation *op : llvm::reverse(moved))
    op->moveAfter(loop);
}

/// Whether `op` is a product, of tensor cores or of threads.
static bool isDot(Operation *op) {
  return isa<WgmmaOp, MmaOp, tile::DotOp>(op);
}

/// Moves each of `ops` in front of the first op that needs it, those that one
/// op needs in their order.
static void sinkToUsers(ArrayRef<Operation *> ops) {
  llvm::SmallDenseMap<Operation *, Operation *> places;
  for (Operation *op : llvm::reverse(ops)) {
    Operation *user = findFirstUser(op);
    if (!user)
      continue;
    Operation *&place = places.try_emplace(user, user).first->second;
    op->moveBefore(place);
    place = op;
  }
}

namespace {
struct SinkConversions : warp::impl::SinkConversionsBase<SinkConversions> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<tile::FuncOp>()) {
      SmallVector<Operation *> loops, growing;
      bool hasDots = false;
      // Roles have registers of their own.
      function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (isa<SpecializeOp>(op) || isExplicit(op))
          return WalkResult::skip();
        hasDots |= isDot(op);
        if (holdsDots(op))
          loops.push_back(op);
        else if (grows(op))
          growing.push_back(op);
        return WalkResult::advance();
      });
      // Loops and conversions that follow each other from the last on.
      for (Operation *loop : llvm::reverse(loops))
        sinkBehind(loop);
      if (hasDots)
        sinkToUsers(growing);
    }
  }
};
} // namespace
