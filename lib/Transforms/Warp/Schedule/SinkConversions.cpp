// Sinks layout conversions that need many registers to after loops that do not
// use their results.
//
// An example is the row offsets of an epilogue. Threads compute one each for
// loads, but need eight each to store eight rows. Converted before a loop of
// dots, they take registers while it runs. Converted after it, they cost the
// same time. Operands of dots sink to the first dot that uses them, since there
// may be many dots in a row.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"
#include "lib/Transforms/Warp/Schedule/LateOps.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_SINKCONVERSIONS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Whether `op` contains a loop with tensor core dots.
static bool holdsDots(Operation *op) {
  return op->getNumRegions() != 0 &&
         op->walk([](Operation *inner) {
             return isa<WgmmaOp, MmaOp>(inner) &&
                            inner->getParentOfType<LoopLikeOpInterface>()
                        ? WalkResult::interrupt()
                        : WalkResult::advance();
           }).wasInterrupted();
}

/// Returns the register bits of a thread that a tile takes.
static int64_t countBits(RankedTensorType tile) {
  Type element = tile.getElementType();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return bits << getLayout(tile)->countTellingBits(LayoutAxis::Register);
}

/// Whether `op` converts through shared memory into more registers.
static bool grows(Operation *op) {
  auto convert = dyn_cast<ConvertLayoutOp>(op);
  return convert && usesScratch(convert) &&
         countBits(convert.getType()) >
             countBits(convert.getSource().getType());
}

/// Moves growing conversions before `loop` that it does not use to after it,
/// with the ops computed from them.
static void sinkAfter(Operation *loop) {
  OpSet late, moved;
  for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode())
    if (isMovable(op) && isNeededLate(op, loop, late))
      late.insert(op);
  // In order, so that each op follows its operands.
  for (Operation *op : llvm::reverse(late))
    if (grows(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
          return moved.contains(operand.getDefiningOp());
        }))
      moved.insert(op);
  for (Operation *op : llvm::reverse(moved))
    op->moveAfter(loop);
}

/// Whether `op` is a dot, on tensor cores or not.
static bool isDot(Operation *op) {
  return isa<WgmmaOp, MmaOp, tile::DotOp>(op);
}

/// Moves each of `ops` to before its first user. Ops with the same first user
/// keep their order.
static void sinkToUsers(ArrayRef<Operation *> ops) {
  llvm::SmallDenseMap<Operation *, Operation *> positions;
  for (Operation *op : llvm::reverse(ops)) {
    Operation *user = findFirstUser(op);
    if (!user)
      continue;
    Operation *&position = positions.try_emplace(user, user).first->second;
    op->moveBefore(position);
    position = op;
  }
}

namespace {
struct SinkConversions : warp::impl::SinkConversionsBase<SinkConversions> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<tile::FuncOp>()) {
      SmallVector<Operation *> loops, growing;
      bool hasDots = false;
      // Roles have their own register budgets.
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
      // From last to first, so that ops that follow each other keep their
      // order.
      for (Operation *loop : llvm::reverse(loops))
        sinkAfter(loop);
      if (hasDots)
        sinkToUsers(growing);
    }
  }
};
} // namespace
