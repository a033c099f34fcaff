#include "lib/Conversion/TileToVector/BufferPlan.h"

#include "lib/Analysis/Facts/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;

namespace tilewright::cpu {

/// Virtual tiles that cost more than this are computed once if they have
/// several uses.
static constexpr unsigned kMaxRepeatedCost = 6;

bool isComputedByElement(Operation *op) {
  return isa<tile::AddPtrOp, tile::IntToPtrOp, tile::PtrToIntOp,
             tile::BitcastOp>(op) ||
         isArithmetic(op);
}

static bool isShapeOp(Operation *op) {
  return isa<tile::SplatOp, tile::RangeOp, tile::ExpandDimsOp,
             tile::BroadcastOp, tile::TransposeOp>(op);
}

/// Whether `op`'s results may be virtual at all.
static bool mayBeVirtual(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isComputedByElement(op) || isShapeOp(op) || isa<ub::PoisonOp>(op);
}

unsigned BufferPlan::getOpCost(Operation *op) {
  if (isShapeOp(op) || isa<arith::ConstantOp, ub::PoisonOp>(op))
    return 0;
  if (isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp,
          math::FloorOp, math::CeilOp, math::RoundEvenOp, math::TruncOp>(op))
    return 1;
  if (isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
      isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp,
          arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp,
          arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return kExpensiveOp;
  return 1;
}

BufferPlan::BufferPlan(Operation *function) {
  function->walk<WalkOrder::PreOrder>([&](Operation *op) { planOp(op); });
  // Whether a load may move into its user depends on which users have buffers.
  function->walk([&](tile::LoadOp load) {
    if (isTile(load.getResult()) && canFuseLoad(load))
      buffered.erase(load.getResult());
  });
  function->walk([&](scf::ForOp loop) {
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
      if (canReuse(loop, i))
        reused[loop.getYieldedValues()[i]] = loop.getRegionIterArg(i);
  });
}

void BufferPlan::require(Value value) {
  if (isTile(value))
    buffered.insert(value);
}

void BufferPlan::planLoop(scf::ForOp loop) {
  for (auto [yielded, argument] :
       llvm::zip(loop.getYieldedValues(), loop.getRegionIterArgs())) {
    if (!isTile(argument))
      continue;
    rowMajor.insert(yielded);
    Operation *producer = yielded.getDefiningOp();
    if (producer && loop->isProperAncestor(producer))
      require(yielded);
  }
}

void BufferPlan::planOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    planLoop(loop);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        require(argument);
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op)) {
    require(reshape.getSource());
    rowMajor.insert(reshape.getSource());
  }
  if (auto gather = dyn_cast<tile::GatherOp>(op))
    require(gather.getSource());
  for (Value result : op->getResults())
    if (isTile(result) && (!mayBeVirtual(op) || isWorthABuffer(result)))
      require(result);
}

unsigned BufferPlan::costOf(Value value) {
  if (!isTile(value) || isBuffered(value))
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op)
    return 0;
  auto known = costs.find(value);
  if (known != costs.end())
    return known->second;
  unsigned cost = getOpCost(op);
  for (Value operand : op->getOperands())
    cost += costOf(operand);
  cost = std::min(cost, 1000u);
  costs[value] = cost;
  return cost;
}

/// Whether a buffer for `value` is cheaper than computing it at each use.
/// Pointers stay virtual, so that memory accesses see their structure.
bool BufferPlan::isWorthABuffer(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (isa<tile::PtrType>(type.getElementType()))
    return false;
  if (isShapeOp(value.getDefiningOp()) || costOf(value) <= kMaxRepeatedCost)
    return false;
  if (!value.hasOneUse())
    return true;
  // Its user repeats each element along a new dimension.
  Operation *user = *value.user_begin();
  while (isa<tile::ExpandDimsOp, tile::TransposeOp>(user) && user->hasOneUse())
    user = *user->user_begin();
  if (isa<tile::ExpandDimsOp>(user))
    return true;
  // Its user is in another region, for example in a loop after it.
  return isa<tile::BroadcastOp>(user) ||
         user->getParentRegion() != value.getParentRegion();
}

static bool writesMemory(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        auto load = dyn_cast<tile::LoadOp>(inner);
        const bool writes =
            isa<tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(inner) ||
            (load && load.getIsVolatile());
        return writes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the loop of the only user of `load` can do the load. It must run
/// over the same elements in the same order, and nothing may write memory in
/// between. A store can not: all of a load comes before any of a store.
bool BufferPlan::canFuseLoad(tile::LoadOp load) const {
  Value value = load.getResult();
  auto type = cast<RankedTensorType>(value.getType());
  if (load.getIsVolatile() || rowMajor.contains(value) ||
      isa<tile::PtrType>(type.getElementType()) ||
      getContiguousDim(load.getPtr()) != getInnermostDim(type.getShape()))
    return false;
  Operation *user = nullptr;
  for (;;) {
    if (!value.hasOneUse())
      return false;
    user = *value.user_begin();
    if (user->getBlock() != load->getBlock())
      return false;
    if (isa<tile::DotOp, tile::ReduceOp>(user))
      break;
    if (!isComputedByElement(user) || user->getNumResults() != 1)
      return false;
    value = user->getResult(0);
    if (isBuffered(value))
      break;
  }
  for (Operation *op = load->getNextNode(); op != user; op = op->getNextNode())
    if (writesMemory(op))
      return false;
  return true;
}

/// Whether the yielded tile may use the buffer of its region argument. Nothing
/// may read the argument after the producer begins to write. The producer
/// itself may read the element that it is about to write.
bool BufferPlan::canReuse(scf::ForOp loop, unsigned number) const {
  Value argument = loop.getRegionIterArg(number);
  Value yielded = loop.getYieldedValues()[number];
  Operation *producer = yielded.getDefiningOp();
  Block *body = loop.getBody();
  if (!isTile(argument) || !producer || producer->getBlock() != body ||
      !isBuffered(yielded) || isa<tile::ReshapeOp>(producer) ||
      llvm::count(loop.getYieldedValues(), yielded) != 1 ||
      producer->getNumRegions() != 0)
    return false;
  // Tiles whose evaluation reads the argument: at its own element (true) or at
  // others (false).
  SmallVector<std::pair<Value, bool>> work = {{argument, true}};
  while (!work.empty()) {
    auto [value, sameElement] = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isa<tile::ReshapeOp>(user)) {
        work.push_back({user->getResult(0), false});
        continue;
      }
      const bool passesOn = isComputedByElement(user) && sameElement;
      if (mayBeVirtual(user) && !isBuffered(user->getResult(0))) {
        work.push_back({user->getResult(0), passesOn});
        continue;
      }
      Operation *ancestor = body->findAncestorOpInBlock(*user);
      if (!ancestor || ancestor == body->getTerminator())
        return false;
      if (ancestor->isBeforeInBlock(producer))
        continue;
      if (ancestor != producer)
        return false;
      auto dot = dyn_cast<tile::DotOp>(user);
      const bool isAccumulator = dot && sameElement && dot.getAcc() == value &&
                                 dot.getA() != value && dot.getB() != value;
      if (!(isAccumulator || (isComputedByElement(user) && sameElement)))
        return false;
    }
  }
  return true;
}

unsigned getInnermostDim(ArrayRef<int64_t> shape) {
  for (unsigned dim = shape.size(); dim-- > 0;)
    if (shape[dim] > 1)
      return dim;
  return shape.empty() ? 0 : shape.size() - 1;
}

namespace {
/// Finds the step of integer or pointer tiles along a dimension, in elements of
/// a pointer or units of an integer. Nothing if it is not known at compile
/// time.
class StepFinder {
public:
  std::optional<int64_t> get(Value value, int64_t dim) {
    if (auto found = known.find({value, dim}); found != known.end())
      return found->second;
    std::optional<int64_t> step = find(value, dim);
    known[{value, dim}] = step;
    return step;
  }

private:
  std::optional<int64_t> find(Value value, int64_t dim);

  llvm::DenseMap<std::pair<Value, int64_t>, std::optional<int64_t>> known;
};
} // namespace

std::optional<int64_t> StepFinder::find(Value value, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getDimSize(dim) == 1)
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<tile::SplatOp>(op) || matchPattern(value, m_Constant()))
    return isa<tile::SplatOp>(op) || mayBeVirtual(op)
               ? std::optional<int64_t>(0)
               : std::nullopt;
  if (isa<tile::RangeOp>(op))
    return 1;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return get(expand.getSource(), dim - (dim > expand.getAxis() ? 1 : 0));
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op))
    return get(broadcast.getSource(), dim);
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    return get(transpose.getSource(), transpose.getOrder()[dim]);
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return get(op->getOperand(0), dim);
  if (isa<arith::AddIOp, arith::SubIOp, tile::AddPtrOp>(op)) {
    auto lhs = get(op->getOperand(0), dim);
    auto rhs = get(op->getOperand(1), dim);
    if (!lhs || !rhs)
      return std::nullopt;
    return isa<arith::SubIOp>(op) ? *lhs - *rhs : *lhs + *rhs;
  }
  if (isa<arith::MulIOp>(op)) {
    for (unsigned index : {0u, 1u}) {
      auto step = get(op->getOperand(index), dim);
      if (!step)
        continue;
      DenseElementsAttr factor;
      if (*step == 0 && get(op->getOperand(1 - index), dim) == 0)
        return 0;
      if (matchPattern(op->getOperand(1 - index), m_Constant(&factor)) &&
          factor.isSplat())
        return *step * factor.getSplatValue<APInt>().getSExtValue();
    }
  }
  return std::nullopt;
}

unsigned getContiguousDim(Value pointers) {
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  if (!type)
    return 0;
  const unsigned innermost = getInnermostDim(type.getShape());
  StepFinder steps;
  if (steps.get(pointers, innermost) == 1)
    return innermost;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.getDimSize(dim) > 1 && steps.get(pointers, dim) == 1)
      return dim;
  return innermost;
}

} // namespace tilewright::cpu
