// Lets two ping-pong groups alternate between the tiles of a loop.
//
// Both groups iterate over all tiles, so both know the slots of each tile. One
// group computes the tile, the other skips its slots. The dots of consecutive
// tiles run one after the other: a group signals the other one after the dots
// of its tile. It stores the tile while the other group runs the dots of the
// next.

#include "lib/Transforms/Warp/Specialize/PingPongPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

static Value emitTrue(OpBuilder &b, Location loc) {
  return arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
}

/// Creates `OpT`, a wait or a pass, for the group in which `condition` holds.
template <typename OpT>
static void createIf(Value condition, Location loc, OpBuilder &b) {
  OpBuilder::InsertionGuard guard(b);
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  OpT::create(b, loc);
}

/// Recreates `loop` with one more carried value: whether the tile is this
/// group's. It starts as `leads` and flips in each iteration.
static scf::ForOp carryParity(scf::ForOp loop, Value leads, IRRewriter &b) {
  SmallVector<Value> inits(loop.getInitArgs());
  inits.push_back(leads);
  auto copy = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(), inits,
                                 nullptr, loop.getUnsignedCmp());
  copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (!copy.getBody()->empty())
    b.eraseOp(copy.getBody()->getTerminator());
  b.mergeBlocks(loop.getBody(), copy.getBody(),
                copy.getBody()->getArguments().drop_back());
  auto yield = cast<scf::YieldOp>(copy.getBody()->getTerminator());
  b.setInsertionPoint(yield);
  Value mine = copy.getRegionIterArgs().back();
  Value next =
      arith::XOrIOp::create(b, loop.getLoc(), mine, emitTrue(b, loop.getLoc()));
  yield.getResultsMutable().append(next);
  b.replaceOp(loop, copy.getResults().drop_back());
  return copy;
}

/// Moves the ops of a tile into a branch that only its group takes.
static scf::IfOp guardTile(scf::ForOp tiles, const PingPongPlan &plan,
                           OpBuilder &b) {
  Value mine = tiles.getRegionIterArgs().back();
  Operation *flip = tiles.getYieldedValues().back().getDefiningOp();
  Operation *constant = flip->getOperand(1).getDefiningOp();
  SmallVector<Operation *> own;
  for (Operation &op : tiles.getBody()->without_terminator())
    if (&op != flip && &op != constant && !plan.common.contains(&op))
      own.push_back(&op);
  b.setInsertionPoint(constant);
  auto branch = scf::IfOp::create(b, tiles.getLoc(), mine,
                                  /*withElseRegion=*/true);
  for (Operation *op : own)
    op->moveBefore(branch.thenBlock()->getTerminator());
  return branch;
}

static bool hasDots(Operation &op) {
  return op.walk([](WgmmaOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Puts the wait before the first loop of dots in `block`, and the pass after
/// the last one.
static void orderDots(Block &block, OpBuilder &b) {
  auto dots = llvm::make_filter_range(block, hasDots);
  Operation *first = &*dots.begin(), *last = nullptr;
  for (Operation &op : dots)
    last = &op;
  b.setInsertionPoint(first);
  PingPongWaitOp::create(b, first->getLoc());
  b.setInsertionPointAfter(last);
  PingPongPassOp::create(b, last->getLoc());
}

static void skipSlots(ArrayRef<SlotLoop> slots, OpBuilder &b, Location loc) {
  for (const SlotLoop &slot : slots) {
    if (scf::ForOp loop = slot.loop) {
      RingSkipOp::create(b, loc, slot.ring, loop.getLowerBound(),
                         loop.getUpperBound(), loop.getStep(),
                         loop.getUnsignedCmp());
      continue;
    }
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
    RingSkipOp::create(b, loc, slot.ring, zero, one, one, false);
  }
}

void warp::formPingPong(const PingPongPlan &plan, ArrayRef<SlotLoop> slots) {
  Location loc = scf::ForOp(plan.tiles).getLoc();
  IRRewriter b(loc.getContext());
  b.setInsertionPoint(plan.tiles);
  Value leads = PingPongLeadsOp::create(b, loc);
  // The follower passes first, so that the leader starts.
  Value follows = arith::XOrIOp::create(b, loc, leads, emitTrue(b, loc));
  createIf<PingPongPassOp>(follows, loc, b);
  scf::ForOp tiles = carryParity(plan.tiles, leads, b);
  scf::IfOp tile = guardTile(tiles, plan, b);
  b.setInsertionPointToStart(tile.elseBlock());
  skipSlots(slots, b, loc);
  orderDots(*tile.thenBlock(), b);
  // Consumes the last pass, so that passes and waits are balanced.
  b.setInsertionPointAfter(tiles);
  createIf<PingPongWaitOp>(tiles.getResults().back(), loc, b);
}
