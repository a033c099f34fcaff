// Numbers that a loop carries beside its counter and that run along with it.
//
// A persistent kernel counts its tiles twice: by the loop, and by a number of
// its own for the tile that it stores. To see that both are the same tile, as
// all later analyses want to, both are computed from the counter.

#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/AffineTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEUNIFYCOUNTERS
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

/// `value` as a polynomial of scalars.
static Polynomial getPolynomial(Value value, AffineTileAnalysis &tiles) {
  return tiles.get(value)->constant;
}

/// The sum that the loop carries on in place of its argument `number`: the
/// argument and the loop's step; null if it carries something else.
static arith::AddIOp findNext(scf::ForOp loop, unsigned number,
                              AffineTileAnalysis &tiles) {
  Value argument = loop.getRegionIterArg(number);
  auto next = loop.getYieldedValues()[number].getDefiningOp<arith::AddIOp>();
  if (!next || next->getBlock() != loop.getBody())
    return {};
  Value step = getCarriedStep(argument, next);
  bool isStep =
      step && step != argument &&
      getPolynomial(step, tiles) == getPolynomial(loop.getStep(), tiles);
  return isStep ? next : arith::AddIOp();
}

/// Computes what uses `value`, which is the loop's counter and `distance`, from
/// the counter. `kept` goes on using it.
static void replaceByCounter(scf::ForOp loop, Value value, int64_t distance,
                             Operation *kept) {
  if (llvm::all_of(value.getUsers(),
                   [&](Operation *user) { return user == kept; }))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(loop.getBody());
  Value same = loop.getInductionVar();
  if (distance != 0) {
    auto constant = arith::ConstantOp::create(
        b, loop.getLoc(), b.getIntegerAttr(same.getType(), distance));
    same = arith::AddIOp::create(b, loop.getLoc(), same, constant);
  }
  value.replaceAllUsesExcept(same, kept);
}

/// Argument `number` of `loop`, where it runs along with the counter: at a
/// constant distance now, or after the step.
static void unify(scf::ForOp loop, unsigned number) {
  Value argument = loop.getRegionIterArg(number);
  if (argument.getType() != loop.getInductionVar().getType())
    return;
  AffineTileAnalysis tiles;
  arith::AddIOp next = findNext(loop, number, tiles);
  if (!next)
    return;
  Polynomial distance = getPolynomial(loop.getInitArgs()[number], tiles) -
                        getPolynomial(loop.getLowerBound(), tiles);
  Polynomial after = distance + getPolynomial(loop.getStep(), tiles);
  if (std::optional<int64_t> constant = after.getConstant())
    replaceByCounter(loop, next, *constant, loop.getBody()->getTerminator());
  if (std::optional<int64_t> constant = distance.getConstant())
    replaceByCounter(loop, argument, *constant, next);
  // Of no use any more, so that it is not carried.
  if (argument.hasOneUse() && next->hasOneUse() &&
      loop.getResult(number).use_empty())
    loop.getBody()->getTerminator()->setOperand(number, argument);
}

//===----------------------------------------------------------------------===//
// Tiles of indices
//===----------------------------------------------------------------------===//

/// Adds to `axes` the places of the sides that `value`, or what is computed
/// from it element by element in its block, stands along.
static void collectAxes(Value value, llvm::SmallSetVector<uint32_t, 2> &axes) {
  SmallVector<Value> open = {value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (!seen.insert(user).second)
        continue;
      if (auto expand = dyn_cast<tile::ExpandDimsOp>(user))
        axes.insert(expand.getAxis());
      else if (isa<arith::ArithDialect>(user->getDialect()) &&
               user->getNumResults() == 1)
        open.push_back(user->getResult(0));
    }
}

/// The number that all elements of `tile` are, from outside of `loop`; null if
/// there is none.
static Value getNumber(Value tile, scf::ForOp loop, OpBuilder &b) {
  if (auto splat = tile.getDefiningOp<tile::SplatOp>())
    return loop.isDefinedOutsideOfLoop(splat.getSource()) ? splat.getSource()
                                                          : Value();
  auto constant = tile.getDefiningOp<arith::ConstantOp>();
  auto elements = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                           : SplatElementsAttr();
  return elements ? arith::ConstantOp::create(
                        b, loop.getLoc(), elements.getSplatValue<TypedAttr>())
                  : Value();
}

/// Argument `number` of `loop`, where it is indices that go on by a number in
/// each iteration and are used along both sides of tiles: computed from the
/// counter, for each side by the threads that need them there. A tile that is
/// carried has one place.
static void countIndices(scf::ForOp loop, unsigned number) {
  BlockArgument argument = loop.getRegionIterArg(number);
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  APInt first;
  if (!type || type.getRank() != 1 || !type.getElementType().isInteger() ||
      !loop.getInductionVar().getType().isSignlessInteger() ||
      type.getElementTypeBitWidth() < 32 || loop.getUnsignedCmp() ||
      !loop.getResult(number).use_empty() ||
      !matchPattern(loop.getLowerBound(), m_ConstantInt(&first)) ||
      !first.isZero() || !matchPattern(loop.getStep(), m_One()))
    return;
  auto next = loop.getYieldedValues()[number].getDefiningOp<arith::AddIOp>();
  if (!next || next->getBlock() != loop.getBody() || next.getLhs() != argument)
    return;
  llvm::SmallSetVector<uint32_t, 2> axes;
  collectAxes(argument, axes);
  OpBuilder outside(loop);
  Value each =
      axes.size() > 1 ? getNumber(next.getRhs(), loop, outside) : Value();
  if (!each)
    return;
  OpBuilder b = OpBuilder::atBlockBegin(loop.getBody());
  Location loc = next.getLoc();
  Value count = loop.getInductionVar();
  unsigned from = count.getType().getIntOrFloatBitWidth();
  if (from < type.getElementTypeBitWidth())
    count = arith::ExtSIOp::create(b, loc, type.getElementType(), count);
  else if (from > type.getElementTypeBitWidth())
    count = arith::TruncIOp::create(b, loc, type.getElementType(), count);
  Value distance = arith::MulIOp::create(b, loc, count, each);
  Value indices =
      arith::AddIOp::create(b, loc, loop.getInitArgs()[number],
                            tile::SplatOp::create(b, loc, type, distance));
  argument.replaceAllUsesWith(indices);
  // Of no use any more, so that it is not carried.
  loop.getBody()->getTerminator()->setOperand(number, argument);
}

namespace {
struct UnifyCounters : tile::impl::TileUnifyCountersBase<UnifyCounters> {
  void runOnOperation() override {
    getOperation()->walk([](scf::ForOp loop) {
      for (unsigned i = 0, e = loop.getNumRegionIterArgs(); i < e; ++i)
        unify(loop, i);
      for (unsigned i = 0, e = loop.getNumRegionIterArgs(); i < e; ++i)
        countIndices(loop, i);
    });
  }
};
} // namespace
