// Sums of products that a loop carries stay in registers of their own.
//
// Values that one loop carries, or one product takes over from another, are a
// chain; so are those that go on after a multiplication. All of a chain are
// kept in the same registers where a walk over the kernel finds, at each use of
// a value by the chain, these registers to hold that value and no later one.

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

/// Fewer are no burden to LLVM.
static constexpr unsigned kLeastRegisters = 32;

/// Whether `value` is one that a chain may pass on, other than what it is
/// multiplied by.
static bool isSum(Value value) {
  if (!getLayout(value.getType()))
    return false;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<scf::ForOp>(argument.getOwner()->getParentOp());
  return isa<WgmmaOp, WgmmaBesideOp, WgmmaWaitOp, scf::ForOp, scf::IfOp>(
      value.getDefiningOp());
}

/// Whether the next product or iteration goes on with `value`.
static bool isPassedOn(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return isa<WgmmaOp, WgmmaBesideOp, WgmmaWaitOp, scf::ForOp>(user) ||
           (isa<scf::YieldOp>(user) && isa<scf::ForOp>(user->getParentOp()));
  });
}

/// The operand of a multiplication that can be done in its registers.
static MutableArrayRef<OpOperand> getScaled(arith::MulFOp op) {
  if (!getElementTypeOrSelf(op.getType()).isF32() ||
      isSum(op.getLhs()) == isSum(op.getRhs()) || !isPassedOn(op))
    return {};
  return op->getOpOperands().slice(isSum(op.getLhs()) ? 0 : 1, 1);
}

/// The operands of a product, a wait or a multiplication that its results take
/// over, in order.
static MutableArrayRef<OpOperand> getAccumulators(Operation *op) {
  if (auto scaled = dyn_cast<arith::MulFOp>(op))
    return getScaled(scaled);
  if (auto product = dyn_cast<WgmmaOp>(op))
    return MutableArrayRef(&product.getAccMutable(), 1);
  if (auto products = dyn_cast<WgmmaBesideOp>(op))
    return op->getOpOperands().take_back(products.getAcc().size());
  if (isa<WgmmaWaitOp>(op))
    return op->getOpOperands();
  return {};
}

/// Whether `value` is one that a chain may pass on.
static bool isLink(Value value) {
  auto scaled = value.getDefiningOp<arith::MulFOp>();
  return scaled ? !getScaled(scaled).empty() : isSum(value);
}

/// How many registers of 32 bits a thread has for each of `values`.
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
    for (auto [sum, result] : llvm::zip(getAccumulators(op), op->getResults()))
      link(chains, sum.get(), result);
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

/// One chain, its uses found by a walk.
class Chain {
public:
  explicit Chain(ArrayRef<Value> values)
      : values(values.begin(), values.end()) {}

  /// Whether its values can be kept in the same registers, and it pays: no loop
  /// that carries tiles moves them.
  bool canKeep(Operation *function) {
    Value held;
    for (Region &region : function->getRegions())
      walk(region, held);
    return isGood &&
           llvm::any_of(
               values, [](Value value) { return isa<BlockArgument>(value); }) &&
           llvm::none_of(moved, isInLoop);
  }

  /// Keeps its values in the registers `bank`.
  void keep(unsigned bank);

private:
  /// Walks over `region`; `held` is what the registers hold, null where that is
  /// not known.
  void walk(Region &region, Value &held);
  void walk(Operation *op, Value &held);
  void walk(scf::ForOp loop, Value &held);
  void walk(scf::IfOp branch, Value &held);

  bool has(Value value) const { return values.contains(value); }

  /// The one place in `list` of a value of the chain; none where there is none.
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

  /// The chain reads `operand`, or begins with it.
  void read(OpOperand &operand, Value held) {
    uses.push_back(&operand);
    if (has(operand.get()))
      isGood &= held == operand.get();
    else if (!isa<WgmmaOp, WgmmaBesideOp>(operand.getOwner()) ||
             !startsAtZero(operand.get()))
      moved.push_back(operand.getOwner());
  }

  /// The registers hold `value` from here on, `op` in front of its other uses.
  void hold(Value value, Operation *op, Value &held) {
    held = value;
    for (OpOperand &use : value.getUses())
      if (!isUseOfChain(use)) {
        moved.push_back(op);
        break;
      }
  }

  /// Whether the chain itself reads `use`; by structure, as the walk may not
  /// have come to it.
  bool isUseOfChain(OpOperand &use) const;

  /// Whether `op` stands in a loop that carries tiles.
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
  for (auto [sum, result] : llvm::zip(getAccumulators(op), op->getResults()))
    if (&sum == &use)
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
    // An iteration may find what the one before it left.
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
  MutableArrayRef<OpOperand> sums = getAccumulators(op);
  if (sums.empty())
    return;
  if (std::optional<unsigned> index = find(op->getResults())) {
    read(sums[*index], held);
    hold(op->getResult(*index), op, held);
  }
}

/// `product`, one of whose operands is kept, as an op of kept registers.
static void scaleInPlace(arith::MulFOp product, Type kept) {
  OpBuilder b(product);
  Value source = product.getLhs(), factor = product.getRhs();
  if (source.getType() != kept)
    std::swap(source, factor);
  product->replaceAllUsesWith(
      ScaleOp::create(b, product.getLoc(), kept, source, factor));
  product->erase();
}

void Chain::keep(unsigned bank) {
  auto tile = cast<RankedTensorType>(values.front().getType());
  auto kept = RankedTensorType::get(
      tile.getShape(), tile.getElementType(),
      PinnedAccAttr::get(tile.getContext(), bank, getLinearAttr(tile)));
  llvm::SmallPtrSet<OpOperand *, 16> own(uses.begin(), uses.end());
  OpBuilder b(tile.getContext());
  for (OpOperand *use : uses) {
    if (has(use->get()))
      continue;
    b.setInsertionPoint(use->getOwner());
    Location loc = use->getOwner()->getLoc();
    if (isa<WgmmaOp, WgmmaBesideOp>(use->getOwner()) &&
        startsAtZero(use->get()))
      use->set(arith::ConstantOp::create(b, loc, b.getZeroAttr(kept)));
    else
      use->set(AccStoreOp::create(b, loc, kept, use->get()));
  }
  for (Value value : values) {
    value.setType(kept);
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
      scaleInPlace(scaled, kept);
}

/// Chains that hold a product, each with its values in the order of the text.
static SmallVector<SmallVector<Value>> findDots(Operation *function) {
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
          return isa_and_nonnull<WgmmaOp, WgmmaBesideOp>(value.getDefiningOp());
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
        keepIn(function);
  }

private:
  static void keepIn(FunctionOpInterface function) {
    SmallVector<Chain> chains;
    unsigned words = 0;
    for (ArrayRef<Value> values : findDots(function))
      if (countWords(values) >= kLeastRegisters &&
          llvm::all_equal(llvm::map_range(
              values, [](Value value) { return value.getType(); })))
        if (Chain chain(values); chain.canKeep(function)) {
          chains.push_back(std::move(chain));
          words = countWords(values);
        }
    // The assembler would move the registers of several about.
    if (chains.size() != 1)
      return;
    chains.front().keep(/*bank=*/0);
    auto b = OpBuilder::atBlockBegin(&function.getFunctionBody().front());
    AccDeclOp::create(b, function.getLoc(),
                      b.getDenseI32ArrayAttr(int32_t(words)));
  }
};

} // namespace
