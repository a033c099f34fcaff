// Tiles that a loop computes for its next iteration.
//
// Some kernels bring their masks up to date at the end of an iteration, next to
// the indices that they are computed from. Carried, a mask is a tile of any
// bits: nothing tells that it is an upper bound, by which copies and narrower
// loads are found, and it takes a register for each element. In front of the
// loop it is computed in the same way, so it can be in each iteration.

#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILERECOMPUTECARRIED
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

namespace {

/// A computation from what a loop starts with, which its body repeats from what
/// it passes on. In between it is the same from the loop's arguments.
class RepeatedComputation {
public:
  /// Argument `number` of `loop` is not what others are computed from.
  RepeatedComputation(scf::ForOp loop, unsigned number)
      : loop(loop), number(number) {}

  /// Whether `next` repeats `first`.
  bool matches(Value first, Value next);
  /// What stands between them for `next`, computed at the builder.
  Value emit(Value next, OpBuilder &b);

private:
  Value findArgument(Value first, Value next);
  bool isSame(Operation *first, Operation *next);

  scf::ForOp loop;
  unsigned number;
  /// What each value of the body is held against.
  llvm::DenseMap<Value, Value> firsts;
  /// The body's ops, in order, and what they are computed from now.
  SmallVector<Operation *> ops;
  IRMapping map;
};

} // namespace

/// What the loop starts with as `first` and passes on as `next`.
Value RepeatedComputation::findArgument(Value first, Value next) {
  for (unsigned i = 0, e = loop.getNumRegionIterArgs(); i < e; ++i)
    if (i != number && loop.getInitArgs()[i] == first &&
        loop.getYieldedValues()[i] == next)
      return loop.getRegionIterArg(i);
  return {};
}

/// Whether the ops do the same with their operands, and nothing else.
bool RepeatedComputation::isSame(Operation *first, Operation *next) {
  return first && next && next->getBlock() == loop.getBody() &&
         first->getName() == next->getName() &&
         first->getAttrDictionary() == next->getAttrDictionary() &&
         first->getResultTypes() == next->getResultTypes() &&
         first->getNumOperands() == next->getNumOperands() &&
         next->getNumResults() == 1 && next->getNumRegions() == 0 &&
         isMemoryEffectFree(next);
}

bool RepeatedComputation::matches(Value first, Value next) {
  auto [known, isNew] = firsts.try_emplace(next, first);
  if (!isNew)
    return known->second == first;
  if (first == next)
    return loop.isDefinedOutsideOfLoop(next);
  if (Value argument = findArgument(first, next)) {
    map.map(next, argument);
    return true;
  }
  Operation *op = next.getDefiningOp();
  if (!isSame(first.getDefiningOp(), op))
    return false;
  for (auto [before, after] :
       llvm::zip_equal(first.getDefiningOp()->getOperands(), op->getOperands()))
    if (!matches(before, after))
      return false;
  ops.push_back(op);
  return true;
}

Value RepeatedComputation::emit(Value next, OpBuilder &b) {
  for (Operation *op : ops)
    b.clone(*op, map);
  return map.lookup(next);
}

/// Whether recomputing `argument` shows more of it than it costs: of floats
/// nothing is asked.
static bool isTileOfPlaces(Value argument) {
  auto tile = dyn_cast<RankedTensorType>(argument.getType());
  return tile && !isa<FloatType>(tile.getElementType());
}

/// Argument `number` of `loop`, where that is computed for the next iteration
/// from other things that the loop carries.
static void recompute(scf::ForOp loop, unsigned number) {
  BlockArgument argument = loop.getRegionIterArg(number);
  Value first = loop.getInitArgs()[number],
        next = loop.getYieldedValues()[number];
  if (!isTileOfPlaces(argument) || !loop.getResult(number).use_empty())
    return;
  RepeatedComputation repeated(loop, number);
  if (first == next || !repeated.matches(first, next))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(loop.getBody());
  argument.replaceAllUsesWith(repeated.emit(next, b));
  // Of no use any more, so that it is not carried.
  loop.getBody()->getTerminator()->setOperand(number, argument);
}

namespace {
struct RecomputeCarried
    : tile::impl::TileRecomputeCarriedBase<RecomputeCarried> {
  void runOnOperation() override {
    getOperation()->walk([](scf::ForOp loop) {
      for (unsigned i = 0, e = loop.getNumRegionIterArgs(); i < e; ++i)
        recompute(loop, i);
    });
  }
};
} // namespace
