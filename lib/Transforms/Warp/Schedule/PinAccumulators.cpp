// Pins loop-carried accumulators to registers.
//
// A chain is made of values that one loop carries or one wgmma takes over from
// another. A multiplication continues its chain. The values of a chain share
// registers under one condition, which a walk over the kernel checks. At each
// use by the chain, the registers hold the used value and no later one.

#include "lib/Transforms/Warp/Passes.h"

#include "lib/Analysis/Mma/WgmmaPlans.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_PINACCUMULATORS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Fewer registers are no burden to LLVM; benchmarks/compile.py decides.
static constexpr unsigned kMinRegisters = 32;

/// Whether a chain may contain `value`. See `isLink` for results of
/// multiplications.
static bool isAccumulator(Value value) {
  if (!getLayout(value.getType()))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<scf::ForOp>(argument.getOwner()->getParentOp());
  return isa<WgmmaOp, WgmmaWaitOp, scf::ForOp, scf::IfOp>(
      value.getDefiningOp());
}

/// Whether the next wgmma or iteration takes over `value`.
static bool isPassedOn(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<WgmmaOp, WgmmaWaitOp, scf::ForOp>(user) ||
           (isa<scf::YieldOp>(user) && isa<scf::ForOp>(user->getParentOp()));
  });
}

/// Returns the operand of a multiplication that can be scaled in its registers,
/// or an empty range.
static MutableArrayRef<OpOperand> getScaled(arith::MulFOp op) {
  if (!getElementTypeOrSelf(op.getType()).isF32() ||
      isAccumulator(op.getLhs()) == isAccumulator(op.getRhs()) ||
      !isPassedOn(op))
    return {};
  return op->getOpOperands().slice(isAccumulator(op.getLhs()) ? 0 : 1, 1);
}

/// Returns the operands of a wgmma, a wait or a multiplication whose registers
/// its results take over, in order.
static MutableArrayRef<OpOperand> getAccumulators(Operation *op) {
  if (auto scaled = dyn_cast<arith::MulFOp>(op))
    return getScaled(scaled);
  if (auto wgmma = dyn_cast<WgmmaOp>(op))
    return wgmma.getAccMutable();
  if (isa<WgmmaWaitOp>(op))
    return op->getOpOperands();
  return {};
}

/// Whether a chain may contain `value`.
static bool isLink(Value value) {
  auto scaled = value.getDefiningOp<arith::MulFOp>();
  return scaled ? !getScaled(scaled).empty() : isAccumulator(value);
}

/// Returns the 32-bit registers of a thread for each of `values`.
static unsigned countWords(ArrayRef<Value> values) {
  Type type = values.front().getType();
  return getLayout(type)->getInSize(LayoutAxis::Register) *
         getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 32;
}

using Chains = llvm::EquivalenceClasses<void *>;

static void link(Chains &chains, Value from, Value to) {
  if (isLink(to)) {
    chains.insert(to.getAsOpaquePointer());
    if (isLink(from))
      chains.unionSets(from.getAsOpaquePointer(), to.getAsOpaquePointer());
  }
}

static Chains findChains(Operation *root) {
  Chains chains;
  root->walk([&](Operation *op) {
    for (auto [acc, result] : llvm::zip(getAccumulators(op), op->getResults()))
      link(chains, acc.get(), result);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      for (auto [init, argument, next, result] :
           llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(),
                     loop.getYieldedValues(), loop.getResults())) {
        link(chains, init, argument);
        link(chains, next, argument);
        link(chains, argument, result);
      }
    if (auto branch = dyn_cast<scf::IfOp>(op))
      for (Region *region : branch.getRegions())
        if (!region->empty() && !op->getResults().empty())
          for (auto [given, result] :
               llvm::zip(region->front().getTerminator()->getOperands(),
                         op->getResults()))
            link(chains, given, result);
  });
  return chains;
}

namespace {

/// One chain, with its uses as a walk finds them.
class Chain {
public:
  explicit Chain(ArrayRef<Value> values)
      : values(values.begin(), values.end()) {}

  /// Whether the values can share registers and pinning pays off. It does not
  /// if values are copied in a loop that carries tiles.
  bool canPin(Operation *function) {
    Value held;
    for (Region &region : function->getRegions())
      walk(region, held);
    return isGood &&
           llvm::any_of(
               values, [](Value value) { return isa<BlockArgument>(value); }) &&
           llvm::none_of(moved, isInLoop);
  }

  /// Pins the values to the registers `bank`.
  void pin(unsigned bank);

private:
  /// Walks over `region`. `held` is the value in the registers, or null if that
  /// is not known.
  void walk(Region &region, Value &held);
  void walk(Operation *op, Value &held);
  void walk(scf::ForOp loop, Value &held);
  void walk(scf::IfOp branch, Value &held);

  bool has(Value value) const { return values.contains(value); }

  /// Returns the index in `list` of the chain's value, or nothing. A list must
  /// not have several.
  std::optional<unsigned> find(ValueRange list) {
    std::optional<unsigned> found;
    for (auto [i, value] : llvm::enumerate(list))
      if (has(value)) {
        isGood &= !found;
        found = i;
      }
    return found;
  }

  bool isTouchedIn(Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          return llvm::any_of(inner->getResults(),
                              [&](Value value) { return has(value); })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Records that the chain reads `operand` or begins with it.
  void read(OpOperand &operand, Value held) {
    uses.push_back(&operand);
    if (has(operand.get()))
      isGood &= held == operand.get();
    else if (auto wgmma = dyn_cast<WgmmaOp>(operand.getOwner());
             !wgmma || !startsAtZero(wgmma))
      moved.push_back(operand.getOwner());
  }

  /// Records that the registers hold `value` from here on. They are read for
  /// other uses after `op`.
  void hold(Value value, Operation *op, Value &held) {
    held = value;
    for (OpOperand &use : value.getUses())
      if (!isUseOfChain(use)) {
        moved.push_back(op);
        break;
      }
  }

  /// Whether the chain itself reads `use`. Decided by structure, since the walk
  /// may not have reached it yet.
  bool isUseOfChain(OpOperand &use) const;

  /// Whether `op` is in a loop that carries tiles.
  static bool isInLoop(Operation *op) {
    for (auto loop = op->getParentOfType<scf::ForOp>(); loop;
         loop = loop->getParentOfType<scf::ForOp>())
      if (llvm::any_of(loop.getRegionIterArgs(), [](Value value) {
            return getLayout(value.getType()).has_value();
          }))
        return true;
    return false;
  }

  llvm::SetVector<Value> values;
  SmallVector<OpOperand *> uses;
  /// Ops at which registers are filled, or read for others.
  SmallVector<Operation *> moved;
  bool isGood = true;
};

} // namespace

bool Chain::isUseOfChain(OpOperand &use) const {
  Operation *op = use.getOwner();
  unsigned number = use.getOperandNumber();
  for (auto [acc, result] : llvm::zip(getAccumulators(op), op->getResults()))
    if (&acc == &use)
      return has(result);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    BlockArgument argument = loop.getTiedLoopRegionIterArg(&use);
    return argument && has(argument);
  }
  if (isa<scf::YieldOp>(op) && isa<scf::ForOp, scf::IfOp>(op->getParentOp()))
    return has(op->getParentOp()->getResult(number));
  return false;
}

void Chain::walk(Region &region, Value &held) {
  for (Block &block : region)
    for (Operation &op : block)
      walk(&op, held);
}

void Chain::walk(scf::ForOp loop, Value &held) {
  std::optional<unsigned> index = find(loop.getRegionIterArgs());
  if (!index) {
    // An iteration may find the registers as the previous one left them.
    bool isTouched = isTouchedIn(loop);
    Value inside = isTouched ? Value() : held;
    walk(loop.getBodyRegion(), inside);
    if (isTouched)
      held = {};
    return;
  }
  read(loop.getInitArgsMutable()[*index], held);
  Value inside;
  hold(loop.getRegionIterArg(*index), &loop.getBody()->front(), inside);
  walk(loop.getBodyRegion(), inside);
  read(loop.getYieldedValuesMutable().value()[*index], inside);
  hold(loop.getResult(*index), loop, held);
}

void Chain::walk(scf::IfOp branch, Value &held) {
  std::optional<unsigned> index = find(branch.getResults());
  Value after[2] = {held, held};
  for (auto [region, inside] : llvm::zip(branch->getRegions(), after)) {
    walk(region, inside);
    if (index)
      read(region.front().getTerminator()->getOpOperand(*index), inside);
  }
  if (index)
    hold(branch.getResult(*index), branch, held);
  else if (after[0] == after[1])
    held = after[0];
  else
    held = {};
}

void Chain::walk(Operation *op, Value &held) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return walk(loop, held);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return walk(branch, held);
  if (op->getNumRegions() != 0) {
    for (Region &region : op->getRegions()) {
      Value inside;
      walk(region, inside);
    }
    if (isTouchedIn(op))
      held = {};
    return;
  }
  MutableArrayRef<OpOperand> accs = getAccumulators(op);
  if (accs.empty())
    return;
  if (std::optional<unsigned> index = find(op->getResults())) {
    read(accs[*index], held);
    hold(op->getResult(*index), op, held);
  }
}

/// Replaces `mul`, one of whose operands is pinned, by an op on pinned
/// registers.
static void replaceByScale(arith::MulFOp mul, Type pinned) {
  OpBuilder b(mul);
  Value source = mul.getLhs(), factor = mul.getRhs();
  if (source.getType() != pinned)
    std::swap(source, factor);
  mul->replaceAllUsesWith(
      ScaleOp::create(b, mul.getLoc(), pinned, source, factor));
  mul->erase();
}

void Chain::pin(unsigned bank) {
  auto tile = cast<RankedTensorType>(values.front().getType());
  auto pinned = RankedTensorType::get(
      tile.getShape(), tile.getElementType(),
      PinnedAccAttr::get(tile.getContext(), bank, getLinearAttr(tile)));
  llvm::SmallPtrSet<OpOperand *, 16> own(uses.begin(), uses.end());
  OpBuilder b(tile.getContext());
  for (OpOperand *use : uses) {
    if (has(use->get()))
      continue;
    b.setInsertionPoint(use->getOwner());
    Location loc = use->getOwner()->getLoc();
    if (auto wgmma = dyn_cast<WgmmaOp>(use->getOwner());
        wgmma && startsAtZero(wgmma))
      use->set(arith::ConstantOp::create(b, loc, b.getZeroAttr(pinned)));
    else
      use->set(AccStoreOp::create(b, loc, pinned, use->get()));
  }
  for (Value value : values) {
    value.setType(pinned);
    if (llvm::all_of(value.getUses(),
                     [&](OpOperand &use) { return own.contains(&use); }))
      continue;
    b.setInsertionPointAfterValue(value);
    Value taken = AccLoadOp::create(b, value.getLoc(), tile, value);
    value.replaceUsesWithIf(taken, [&](OpOperand &use) {
      return !own.contains(&use) && use.getOwner() != taken.getDefiningOp();
    });
  }
  for (Value value : values)
    if (auto scaled = value.getDefiningOp<arith::MulFOp>())
      replaceByScale(scaled, pinned);
}

/// Returns the chains with a wgmma, each with its values in textual order.
static SmallVector<SmallVector<Value>> findWgmmaChains(Operation *function) {
  Chains chains = findChains(function);
  llvm::MapVector<void *, SmallVector<Value>> members;
  auto add = [&](Value value) {
    void *raw = value.getAsOpaquePointer();
    if (chains.contains(raw))
      members[chains.getLeaderValue(raw)].push_back(value);
  };
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), add);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), add);
  });
  SmallVector<SmallVector<Value>> found;
  for (auto &[leader, values] : members)
    if (llvm::any_of(values, [](Value value) {
          return isa_and_nonnull<WgmmaOp>(value.getDefiningOp());
        }))
      found.push_back(std::move(values));
  return found;
}

namespace {

struct PinAccumulators
    : tilewright::warp::impl::PinAccumulatorsBase<PinAccumulators> {
  using PinAccumulatorsBase::PinAccumulatorsBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (!function.isExternal())
        pinIn(function);
  }

private:
  static void pinIn(FunctionOpInterface function) {
    SmallVector<Chain> chains;
    unsigned words = 0;
    for (ArrayRef<Value> values : findWgmmaChains(function))
      if (countWords(values) >= kMinRegisters &&
          llvm::all_equal(llvm::map_range(
              values, [](Value value) { return value.getType(); })))
        if (Chain chain(values); chain.canPin(function)) {
          chains.push_back(std::move(chain));
          words = countWords(values);
        }
    // ptxas would copy the registers of several chains.
    if (chains.size() != 1)
      return;
    chains.front().pin(/*bank=*/0);
    auto b = OpBuilder::atBlockBegin(&function.getFunctionBody().front());
    AccDeclOp::create(b, function.getLoc(),
                      b.getDenseI32ArrayAttr(int32_t(words)));
  }
};

} // namespace
