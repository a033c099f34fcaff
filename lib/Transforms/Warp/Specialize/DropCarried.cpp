#include "lib/Transforms/Warp/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::warp {
#define GEN_PASS_DEF_DROPCARRIED
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

namespace {

/// Finds the loop-carried values that are needed.
class NeededValues {
public:
  explicit NeededValues(scf::ForOp loop);

  const llvm::BitVector &get() const { return needed; }

private:
  void addUsesOf(Operation *op);
  void addSources(Value value);

  scf::ForOp loop;
  llvm::BitVector needed;
  llvm::SetVector<Value> open;
};

} // namespace

NeededValues::NeededValues(scf::ForOp loop)
    : loop(loop), needed(loop.getNumRegionIterArgs()) {
  for (Operation &op : loop.getBody()->without_terminator())
    if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      addUsesOf(&op);
  for (auto [result, yielded, argument] :
       llvm::zip_equal(loop.getResults(), loop.getYieldedValues(),
                       loop.getRegionIterArgs()))
    if (!result.use_empty()) {
      open.insert(yielded);
      open.insert(argument);
    }
  for (unsigned i = 0; i < open.size(); ++i)
    addSources(open[i]);
}

void NeededValues::addUsesOf(Operation *op) {
  open.insert(op->operand_begin(), op->operand_end());
  if (op->getNumRegions() != 0)
    getUsedValuesDefinedAbove(op->getRegions(), open);
}

/// Adds the values that `value` is computed from.
void NeededValues::addSources(Value value) {
  if (Operation *op = value.getDefiningOp()) {
    if (op->getBlock() == loop.getBody())
      addUsesOf(op);
    return;
  }
  auto argument = cast<BlockArgument>(value);
  if (argument.getOwner() != loop.getBody() ||
      argument == loop.getInductionVar())
    return;
  unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
  needed.set(index);
  open.insert(loop.getYieldedValues()[index]);
}

template <typename RangeT>
static SmallVector<Value> select(RangeT &&values,
                                 const llvm::BitVector &needed) {
  SmallVector<Value> selected;
  for (unsigned index : needed.set_bits())
    selected.push_back(values[index]);
  return selected;
}

/// Recreates `loop` with the `needed` values alone.
static void drop(scf::ForOp loop, const llvm::BitVector &needed,
                 RewriterBase &b) {
  b.setInsertionPoint(loop);
  auto copy = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(),
                                 loop.getUpperBound(), loop.getStep(),
                                 select(loop.getInitArgs(), needed), nullptr,
                                 loop.getUnsignedCmp());
  copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  b.modifyOpInPlace(yield, [&] {
    yield.getResultsMutable().assign(select(yield.getResults(), needed));
  });
  // Ops that still use the other values are erased later.
  SmallVector<Value> arguments{copy.getInductionVar()};
  llvm::append_range(arguments, loop.getInitArgs());
  for (auto [number, index] : llvm::enumerate(needed.set_bits())) {
    arguments[1 + index] = copy.getRegionIterArg(number);
    b.replaceAllUsesWith(loop.getResult(index), copy.getResult(number));
  }
  if (!copy.getBody()->empty())
    b.eraseOp(copy.getBody()->getTerminator());
  b.mergeBlocks(loop.getBody(), copy.getBody(), arguments);
  b.eraseOp(loop);
}

namespace {
struct DropCarried : tilewright::warp::impl::DropCarriedBase<DropCarried> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (dropIn(function, rewriter))
        (void)runRegionDCE(rewriter, function->getRegions());
  }

  /// Drops values of all loops of `function`; returns whether there were any.
  static bool dropIn(FunctionOpInterface function, RewriterBase &b) {
    SmallVector<scf::ForOp> loops;
    function->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    bool changed = false;
    for (scf::ForOp loop : loops)
      if (llvm::BitVector needed = NeededValues(loop).get(); !needed.all()) {
        drop(loop, needed, b);
        changed = true;
      }
    return changed;
  }
};
} // namespace
