#include "lib/Conversion/TileToWarp/TileToWarp.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using warp::LinearAttr;

namespace {

/// Rewrites a function. First every value gets the type of its layout, then
/// each use that demands another layout gets a value in it.
class Materialiser {
public:
  Materialiser(tile::FuncOp func, const LayoutAssignment &layouts)
      : func(func), layouts(layouts) {}

  void run();

private:
  struct Use {
    OpOperand *operand;
    LinearAttr demand;
  };

  void collectUses();
  void setTypes();

  /// Returns `value` in the layout `wanted`. It is emitted right after `value`,
  /// so that it serves all uses and is outside of loops that only use it.
  Value provide(Value value, LinearAttr wanted);
  Value convert(Value value, LinearAttr wanted);
  Value recompute(Value value, LinearAttr wanted);

  /// Returns the number of ops that recompute `value` in another layout, each
  /// counted once. More than `limit` if a conversion is better.
  int64_t getCost(Value value, int64_t limit) const;
  /// Whether `op` is a load that is better repeated in the layout `wanted`.
  bool isLoadedAgain(Operation *op, LinearAttr wanted) const;
  std::optional<int64_t> getOwnCost(Operation *op) const;

  tile::FuncOp func;
  const LayoutAssignment &layouts;
  SmallVector<Use> uses;
  /// The operands before they were replaced by converted ones.
  DenseMap<Operation *, SmallVector<Value>> operands;
  DenseMap<std::pair<Value, Attribute>, Value> provided;
};

/// The cost up to which values are recomputed. A conversion takes two barriers
/// and a round trip through shared memory.
constexpr int64_t kMaxCost = 16;
/// The same for indices. Converting one also prevents prefetching: addresses
/// that go through shared memory are known only after a barrier of all warps.
constexpr int64_t kMaxIndexCost = 40;
/// The cost of converting a tile that is smaller by a whole dimension.
constexpr int64_t kSmallConversionCost = 4;
/// The cost of a load that hits the L1 cache.
constexpr int64_t kLoadCost = 4;
/// The cost of a division by a constant: shifts, or a multiplication and a few
/// more ops.
constexpr int64_t kConstantDivisionCost = 3;

} // namespace

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

void Materialiser::collectUses() {
  func.walk([&](Operation *op) {
    operands[op] = llvm::to_vector(op->getOperands());
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        uses.push_back({&operand, layouts.getDemand(operand)});
  });
}

static void setLayout(Value value, LinearAttr layout) {
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    value.setType(warp::withLayout(type, layout.getLayout()));
}

/// Updates the value of a constant, which contains its type.
static void updateConstant(arith::ConstantOp constant) {
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!type || !elements)
    return;
  constant.setValueAttr(elements.isSplat() ? elements.resizeSplat(type)
                                           : elements.reshape(type));
}

void Materialiser::setTypes() {
  func.walk([&](Operation *op) {
    for (Value result : op->getResults())
      setLayout(result, layouts.getLayout(result));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          setLayout(argument, layouts.getLayout(argument));
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      updateConstant(constant);
  });
}

//===----------------------------------------------------------------------===//
// Values in another layout
//===----------------------------------------------------------------------===//

static bool isIntegerDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
             arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
}

/// Elementwise ops of a few instructions.
static bool isCheapElementwise(Operation *op) {
  if (isIntegerDivision(op))
    return matchPattern(op->getOperand(1), m_Constant());
  return isElementwise(op) && isPure(op) &&
         !isa<math::MathDialect>(op->getDialect()) &&
         !isa<arith::DivFOp, arith::RemFOp>(op);
}

static int64_t getBits(Value tile) {
  Type element = cast<RankedTensorType>(tile.getType()).getElementType();
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
}

/// Whether the operand of `op` is smaller than its result, or as large and
/// closer to a smaller tile. The operand is then converted instead of the
/// result.
static bool growsTile(Operation *op) {
  if (isa<tile::BroadcastOp, tile::ExpandDimsOp>(op))
    return true;
  return isElementwise(op) && isPure(op) && op->getNumOperands() == 1 &&
         isa<RankedTensorType>(op->getOperand(0).getType()) &&
         getBits(op->getOperand(0)) < getBits(op->getResult(0));
}

/// Whether `op` loads an index, a scale or similar per row. Each thread loads
/// its own instead of passing it through shared memory.
static bool isSmallLoad(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && !load.getIsVolatile() && isOnlyExpanded(load.getResult());
}

/// Returns the cost of computing `op` again; nothing if that is not worthwhile.
std::optional<int64_t> Materialiser::getOwnCost(Operation *op) const {
  if (isa<arith::ConstantOp, tile::SplatOp>(op))
    return 0;
  if (isSmallLoad(op) && !layouts.isAnchored(op))
    return kLoadCost;
  bool isShape = isa<tile::RangeOp, tile::BroadcastOp, tile::ExpandDimsOp,
                     tile::TransposeOp, tile::ReshapeOp>(op);
  if (!isShape && !isCheapElementwise(op))
    return std::nullopt;
  return isIntegerDivision(op) ? kConstantDivisionCost : 1;
}

int64_t Materialiser::getCost(Value value, int64_t limit) const {
  int64_t cost = 0;
  SmallPtrSet<Operation *, 16> counted;
  SmallVector<Value> open = {value};
  while (!open.empty() && cost <= limit) {
    Value next = open.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!isa<RankedTensorType>(next.getType()) || counted.contains(op))
      continue;
    std::optional<int64_t> own = op ? getOwnCost(op) : std::nullopt;
    if (!own)
      return limit + 1;
    counted.insert(op);
    cost += *own;
    // These are recomputed whatever their operand costs.
    bool grows = isa<tile::BroadcastOp, tile::ExpandDimsOp>(op);
    if (grows && getCost(operands.at(op)[0], kSmallConversionCost) >
                     kSmallConversionCost)
      cost += kSmallConversionCost;
    else
      llvm::append_range(open, operands.at(op));
  }
  return cost;
}

bool Materialiser::isLoadedAgain(Operation *op, LinearAttr wanted) const {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && layouts.isLoadedByUsers(load, wanted) &&
         llvm::all_of(operands.at(op), [&](Value operand) {
           return getCost(operand, kMaxCost) <= kMaxCost;
         });
}

static OpBuilder getBuilderAfter(Value value) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  return builder;
}

Value Materialiser::convert(Value value, LinearAttr wanted) {
  OpBuilder builder = getBuilderAfter(value);
  auto type = cast<RankedTensorType>(value.getType());
  return warp::ConvertLayoutOp::create(
      builder, value.getLoc(), warp::withLayout(type, wanted.getLayout()),
      value);
}

Value Materialiser::recompute(Value value, LinearAttr wanted) {
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast<tile::LoadOp>(op))
    if (LinearAttr ordered = sortRowRegisters(load, wanted); ordered != wanted)
      return convert(provide(value, ordered), wanted);
  auto getDemand = [&](OpOperand &operand) {
    return isa<tile::LoadOp>(op) ? wanted : getOperandLayout(operand, wanted);
  };
  SmallVector<Value> inputs;
  for (auto [operand, original] :
       llvm::zip_equal(op->getOpOperands(), operands[op]))
    inputs.push_back(isa<RankedTensorType>(original.getType())
                         ? provide(original, getDemand(operand))
                         : original);
  OpBuilder builder = getBuilderAfter(value);
  Operation *copy = builder.clone(*op);
  copy->setOperands(inputs);
  setLayout(copy->getResult(0), wanted);
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    updateConstant(constant);
  return copy->getResult(0);
}

Value Materialiser::provide(Value value, LinearAttr wanted) {
  if (layouts.getLayout(value) == wanted)
    return value;
  std::pair<Value, Attribute> key(value, wanted);
  if (Value known = provided.lookup(key))
    return known;
  Operation *op = value.getDefiningOp();
  int64_t limit = isOnlyExpanded(value) ? kMaxIndexCost : kMaxCost;
  bool again = op && (growsTile(op) || isLoadedAgain(op, wanted) ||
                      getCost(value, limit) <= limit);
  Value result = again ? recompute(value, wanted) : convert(value, wanted);
  return provided[key] = result;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void Materialiser::run() {
  collectUses();
  setTypes();
  for (const Use &use : uses)
    use.operand->set(provide(use.operand->get(), use.demand));
}

void warp::materialiseLayouts(tile::FuncOp func,
                              const LayoutAssignment &layouts) {
  Materialiser(func, layouts).run();
}
