// Replaces values that a loop carries in step with its counter.
//
// A persistent kernel counts its tiles twice: by the loop, and by a carried
// number of the tile that it stores. Both are computed from the counter here,
// so that later analyses see that they are the same tile.

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

/// Returns `value` as a polynomial of scalars.
static Polynomial getPolynomial(Value value, AffineTileAnalysis &tiles) {
  return tiles.get(value)->constant;
}

/// Returns the yielded value of argument `number` if it is the argument plus
/// the step of the loop; null otherwise.
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

/// Replaces uses of `value`, which is the loop's counter plus `distance`, by a
/// computation from the counter. `exempt` keeps its use.
static void replaceByCounter(scf::ForOp loop, Value value, int64_t distance,
                             Operation *exempt) {
  if (llvm::all_of(value.getUsers(),
                   [&](Operation *user) { return user == exempt; }))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(loop.getBody());
  Value same = loop.getInductionVar();
  if (distance != 0) {
    auto constant = arith::ConstantOp::create(
        b, loop.getLoc(), b.getIntegerAttr(same.getType(), distance));
    same = arith::AddIOp::create(b, loop.getLoc(), same, constant);
  }
  value.replaceAllUsesExcept(same, exempt);
}

/// Replaces argument `number` of `loop` if its distance from the counter is a
/// constant, before or after the step.
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
  // Unused now, so canonicalisation removes it from the loop.
  if (argument.hasOneUse() && next->hasOneUse() &&
      loop.getResult(number).use_empty())
    loop.getBody()->getTerminator()->setOperand(number, argument);
}

//===----------------------------------------------------------------------===//
// Tiles of indices
//===----------------------------------------------------------------------===//

/// Collects the axes that `tile.expand_dims` inserts into `value`, or into
/// values computed from it by `arith` ops.
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

/// Returns the scalar that `tile` repeats if it is defined outside of `loop`;
/// null otherwise.
static Value getInvariantScalar(Value tile, scf::ForOp loop, OpBuilder &b) {
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

/// Computes argument `number` of `loop` from the counter if it is a tile of
/// indices that
/// 1. advances by a scalar per iteration and
/// 2. is used along both axes of tiles.
/// Each axis then computes the indices in its own threads. A carried tile has
/// one layout only.
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
  Value each = axes.size() > 1
                   ? getInvariantScalar(next.getRhs(), loop, outside)
                   : Value();
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
  // Unused now, so canonicalisation removes it from the loop.
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
