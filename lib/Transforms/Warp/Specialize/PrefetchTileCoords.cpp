// Computes tile coordinates early.
//
// The rows and columns of a tile take divisions, which have a long latency
// (benchmarks/notes/persistent.md). Those of the first tile run while other
// warps initialize the barriers of the rings. Those of the next tile run after
// the last copy of a tile.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/Divisions.h"
#include "lib/Analysis/Target/OccupancyParameters.h"

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

/// Returns the scalar ops in the body of `loop`, in order, that depend only on
/// the induction variable and on loop invariants.
static OpSet findCoordOps(scf::ForOp loop) {
  OpSet coordOps;
  auto isKnown = [&](Value value) {
    Operation *op = value.getDefiningOp();
    return value == loop.getInductionVar() || coordOps.contains(op) ||
           !loop.getRegion().isAncestor(value.getParentRegion());
  };
  for (Operation &op : loop.getBody()->without_terminator())
    if (op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
        !op.hasTrait<OpTrait::ConstantLike>() &&
        llvm::all_of(op.getResultTypes(), OpaqueOp::canTake) &&
        llvm::all_of(op.getOperands(), isKnown))
      coordOps.insert(&op);
  return coordOps;
}

/// Returns the results of `coordOps` that other ops use. Results that are the
/// same in each iteration are left out, such as the number of blocks along k.
static SmallVector<Value> findResults(scf::ForOp loop, const OpSet &coordOps) {
  SmallVector<Value> results;
  llvm::SmallPtrSet<Value, 16> varying{loop.getInductionVar()};
  for (Operation *op : coordOps) {
    if (llvm::none_of(op->getOperands(),
                      [&](Value value) { return varying.contains(value); }))
      continue;
    varying.insert_range(op->getResults());
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !coordOps.contains(user);
          }))
        results.push_back(result);
  }
  return results;
}

/// Returns the ops of `coordOps`, in order, that compute `results`.
static OpSet findNeeded(const OpSet &coordOps, ArrayRef<Value> results) {
  llvm::SmallPtrSet<Value, 16> wanted(results.begin(), results.end());
  SmallVector<Operation *> needed;
  for (Operation *op : llvm::reverse(coordOps))
    if (llvm::any_of(op->getResults(),
                     [&](Value value) { return wanted.contains(value); })) {
      wanted.insert_range(op->getOperands());
      needed.push_back(op);
    }
  return OpSet(needed.rbegin(), needed.rend());
}

/// Whether the control flow of an iteration depends on `results`. Other roles
/// must derive the same control flow from the induction variable.
static bool decideControlFlow(ArrayRef<Value> results) {
  llvm::SetVector<Value> open(results.begin(), results.end());
  for (unsigned i = 0; i < open.size(); ++i)
    for (Operation *user : open[i].getUsers()) {
      if (user->getNumRegions() != 0)
        return true;
      open.insert(user->result_begin(), user->result_end());
    }
  return false;
}

/// Clones `ops` and returns their `results` for the induction variable
/// `counter`. `map` holds replacements for other operands.
static SmallVector<Value> compute(const OpSet &ops, ArrayRef<Value> results,
                                  scf::ForOp loop, Value counter, IRMapping map,
                                  OpBuilder &b) {
  map.map(loop.getInductionVar(), counter);
  for (Operation *op : ops)
    b.clone(*op, map);
  return llvm::map_to_vector(results,
                             [&](Value value) { return map.lookup(value); });
}

/// Passes the loop invariants that `ops` use through `warp.opaque`. Otherwise
/// LLVM would hoist parts of the next coordinates out of the loop and delay the
/// first copies.
static IRMapping passThroughOpaque(const OpSet &ops, scf::ForOp loop,
                                   OpBuilder &b) {
  IRMapping map;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!loop.getRegion().isAncestor(operand.getParentRegion()) &&
          !matchPattern(operand, m_Constant()) && !map.contains(operand) &&
          OpaqueOp::canTake(operand.getType()))
        map.map(operand, OpaqueOp::create(b, op->getLoc(), operand));
  return map;
}

/// Makes `loop` carry its tile coordinates if their computation divides.
static void carryCoords(scf::ForOp loop, RewriterBase &b) {
  OpSet coordOps = findCoordOps(loop);
  SmallVector<Value> results = findResults(loop, coordOps);
  if (llvm::none_of(coordOps, isDivision) || results.empty() ||
      results.size() > OccupancyParameters::kMaxCarriedCoords ||
      decideControlFlow(results))
    return;
  OpSet needed = findNeeded(coordOps, results);
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
      return !coordOps.contains(use.getOwner());
    });
  for (Operation *op : llvm::reverse(coordOps))
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
      // The first role initializes the barriers.
      for (Region &role : llvm::drop_begin(roles.getRoles()))
        llvm::append_range(loops, role.front().getOps<scf::ForOp>());
    });
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops)
      carryCoords(loop, rewriter);
  }
};
} // namespace
