// Where the first tile lies is known when the rings are ready.
//
// Which rows and columns a tile has takes divisions, each a chain of some two
// hundred clocks. Those of the first tile are done while other warps make the
// barriers of the rings, those of the next one behind the last copy of a tile.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/Divisions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_PREFETCHTILECOORDS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

using OpSet = llvm::SmallSetVector<Operation *, 16>;

/// What the body of `loop` computes, on scalars, from the counter and from what
/// the loop does not change, in order.
static OpSet findPlace(scf::ForOp loop) {
  OpSet place;
  auto isKnown = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return value == loop.getInductionVar() || place.contains(op) ||
           !loop.getRegion().isAncestor(value.getParentRegion());
  };
  for (Operation &op : loop.getBody()->without_terminator())
    if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
        !op.hasTrait<OpTrait::ConstantLike>() &&
        llvm::all_of(op.getResultTypes(), OpaqueOp::canTake) &&
        llvm::all_of(op.getOperands(), isKnown))
      place.insert(&op);
  return place;
}

/// The results of `place` that others use, but for those that are the same in
/// each iteration, as the number of blocks along k is.
static SmallVector<Value> findResults(scf::ForOp loop, const OpSet &place) {
  SmallVector<Value> results;
  llvm::SmallPtrSet<Value, 16> varying{loop.getInductionVar()};
  for (Operation *op : place) {
    if (llvm::none_of(op->getOperands(),
                      [&](Value value) { return varying.contains(value); }))
      continue;
    varying.insert_range(op->getResults());
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !place.contains(user); }))
        results.push_back(result);
  }
  return results;
}

/// What of `place` the `results` are computed by, in order.
static OpSet findNeeded(const OpSet &place, ArrayRef<Value> results) {
  llvm::SmallPtrSet<Value, 16> wanted(results.begin(), results.end());
  SmallVector<Operation *> needed;
  for (Operation *op : llvm::reverse(place))
    if (llvm::any_of(op->getResults(),
                     [&](Value value) { return wanted.contains(value); })) {
      wanted.insert_range(op->getOperands());
      needed.push_back(op);
    }
  return OpSet(needed.rbegin(), needed.rend());
}

/// Whether it depends on `results` what else is done in an iteration, which
/// other roles tell in the same way, from the counter.
static bool decide(ArrayRef<Value> results) {
  llvm::SetVector<Value> open(results.begin(), results.end());
  for (unsigned i = 0; i < open.size(); ++i)
    for (Operation *user : open[i].getUsers()) {
      if (user->getNumRegions() != 0)
        return true;
      open.insert(user->result_begin(), user->result_end());
    }
  return false;
}

/// The `results` of `place` where the loop counts `counter`, with what `map`
/// has for others.
static SmallVector<Value> compute(const OpSet &place, ArrayRef<Value> results,
                                  scf::ForOp loop, Value counter, IRMapping map,
                                  OpBuilder &b) {
  map.map(loop.getInductionVar(), counter);
  for (Operation *op : place)
    b.clone(*op, map);
  return llvm::map_to_vector(results,
                             [&](Value value) { return map.lookup(value); });
}

/// What `place` is computed from besides the counter, as if it were known only
/// from the builder on. Or LLVM would compute what it can of the next place in
/// front of the loop, and the first copies come later.
static IRMapping passThroughOpaque(const OpSet &place, scf::ForOp loop,
                                   OpBuilder &b) {
  IRMapping map;
  for (Operation *op : place)
    for (Value operand : op->getOperands())
      if (!loop.getRegion().isAncestor(operand.getParentRegion()) &&
          !matchPattern(operand, m_Constant()) && !map.contains(operand) &&
          OpaqueOp::canTake(operand.getType()))
        map.map(operand, OpaqueOp::create(b, op->getLoc(), operand));
  return map;
}

/// Carries what is computed from the counter, and divided for.
static void carryPlace(scf::ForOp loop, RewriterBase &b) {
  // Registers of a producer, which has few.
  constexpr size_t kMost = 6;
  OpSet place = findPlace(loop);
  SmallVector<Value> results = findResults(loop, place);
  if (llvm::none_of(place, isDivision) || results.empty() ||
      results.size() > kMost || decide(results))
    return;
  OpSet needed = findNeeded(place, results);
  Location loc = loop.getLoc();
  b.setInsertionPoint(loop);
  SmallVector<Value> carried(loop.getInitArgs());
  for (Value first :
       compute(needed, results, loop, loop.getLowerBound(), {}, b))
    carried.push_back(OpaqueOp::create(b, loc, first));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Value next =
      arith::AddIOp::create(b, loc, loop.getInductionVar(), loop.getStep());
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  yield.getResultsMutable().append(compute(
      needed, results, loop, next, passThroughOpaque(needed, loop, b), b));
  b.setInsertionPoint(loop);
  auto rotated =
      scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), carried);
  rotated->setAttrs(loop->getAttrs());
  SmallVector<Value> arguments{rotated.getInductionVar()};
  size_t numOld = loop.getInitArgs().size();
  llvm::append_range(arguments, rotated.getRegionIterArgs().take_front(numOld));
  b.mergeBlocks(loop.getBody(), rotated.getBody(), arguments);
  for (auto [result, argument] :
       llvm::zip_equal(results, rotated.getRegionIterArgs().drop_front(numOld)))
    b.replaceUsesWithIf(result, argument, [&](OpOperand &use) {
      return !place.contains(use.getOwner());
    });
  for (Operation *op : llvm::reverse(place))
    if (op->use_empty())
      b.eraseOp(op);
  b.replaceOp(loop, rotated.getResults().take_front(numOld));
}

namespace {
struct PrefetchTileCoords
    : warp::impl::PrefetchTileCoordsBase<PrefetchTileCoords> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](SpecializeOp roles) {
      if (isExplicit(roles))
        return;
      // The first role makes the barriers.
      for (Region &role : llvm::drop_begin(roles.getRoles()))
        llvm::append_range(loops, role.front().getOps<scf::ForOp>());
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops)
      carryPlace(loop, rewriter);
  }
};
} // namespace
