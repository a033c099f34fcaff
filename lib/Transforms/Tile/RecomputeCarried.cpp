// Recomputes tiles that a loop computes for its next iteration.
//
// Some kernels update their masks at the end of an iteration, next to the
// indices that they are computed from. A carried mask is an opaque tile of bits
// and takes a register per element. Nothing shows that it is an upper bound,
// which descriptors and narrow loads require. If its initial value is computed
// in the same way before the loop, each iteration can compute it.

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

/// A computation on the initial values of a loop that the body repeats on the
/// yielded values. On the region arguments it gives the value of the current
/// iteration.
class RepeatedComputation {
public:
  /// Argument `number` of `loop` is not an input of the computation.
  RepeatedComputation(scf::ForOp loop, unsigned number)
      : loop(loop), number(number) {}

  /// Whether `next` repeats `first`.
  bool matches(Value first, Value next);
  /// Emits the computation of `next` for the current iteration.
  Value emit(Value next, OpBuilder &b);

private:
  Value findArgument(Value first, Value next);
  bool isSame(Operation *first, Operation *next);

  scf::ForOp loop;
  unsigned number;
  /// The initial counterpart of each value of the body.
  llvm::DenseMap<Value, Value> firsts;
  /// The ops of the body, in order, and the mapping of their operands.
  SmallVector<Operation *> ops;
  IRMapping map;
};

} // namespace

/// Returns the argument whose initial value is `first` and whose yielded value
/// is `next`; null if there is none.
Value RepeatedComputation::findArgument(Value first, Value next) {
  for (unsigned i = 0, e = loop.getNumRegionIterArgs(); i < e; ++i)
    if (i != number && loop.getInitArgs()[i] == first &&
        loop.getYieldedValues()[i] == next)
      return loop.getRegionIterArg(i);
  return {};
}

/// Whether both ops compute the same function of their operands, without side
/// effects.
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

/// Whether recomputing `argument` may help: analyses query tiles of integers,
/// bits and pointers, not of floats.
static bool isTileOfIndices(Value argument) {
  auto tile = dyn_cast<RankedTensorType>(argument.getType());
  return tile && !isa<FloatType>(tile.getElementType());
}

/// Recomputes argument `number` of `loop` if its next value is computed from
/// other carried values.
static void recompute(scf::ForOp loop, unsigned number) {
  BlockArgument argument = loop.getRegionIterArg(number);
  Value first = loop.getInitArgs()[number],
        next = loop.getYieldedValues()[number];
  if (!isTileOfIndices(argument) || !loop.getResult(number).use_empty())
    return;
  RepeatedComputation repeated(loop, number);
  if (first == next || !repeated.matches(first, next))
    return;
  OpBuilder b = OpBuilder::atBlockBegin(loop.getBody());
  argument.replaceAllUsesWith(repeated.emit(next, b));
  // Unused now, so canonicalisation removes it from the loop.
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
