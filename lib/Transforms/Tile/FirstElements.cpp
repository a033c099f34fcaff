#include "lib/Transforms/Tile/FirstElements.h"

#include "lib/Analysis/Facts/Elementwise.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using tile::Cut;
using tile::FirstElements;

RankedTensorType tile::cutType(Type type, const Cut &cut) {
  auto whole = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(whole.getShape());
  for (auto [size, group] : llvm::zip_equal(shape, cut))
    size = std::max<int64_t>(size / group, 1);
  return whole.clone(shape);
}

std::optional<Cut> tile::cutSource(Operation *op, const Cut &cut) {
  Cut source(cut);
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    source.erase(source.begin() + expand.getAxis());
  } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    for (auto [dim, from] : llvm::enumerate(transpose.getOrder()))
      source[from] = cut[dim];
  } else if (!isa<tile::BroadcastOp>(op)) {
    return std::nullopt;
  }
  return source;
}

/// The amount that a loop adds to a carried value in each iteration.
struct FirstElements::Step {
  scf::ForOp loop;
  Value init;
  Polynomial each;
};

/// Returns the step of `tile`, which a loop carries, if all elements advance by
/// one loop-invariant amount.
std::optional<FirstElements::Step>
FirstElements::findStep(Value tile, AffineTileAnalysis &tiles) {
  auto argument = dyn_cast<BlockArgument>(tile);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || argument == loop.getInductionVar())
    return std::nullopt;
  Value added =
      getCarriedStep(tile, loop.getTiedLoopYieldedValue(argument)->get());
  if (!added)
    return std::nullopt;
  std::optional<AffineTile> each = tiles.get(added);
  if (!each || !each->isUniform() || !each->constant.allOf([&](Value value) {
        return loop.isDefinedOutsideOfLoop(value);
      }))
    return std::nullopt;
  return Step{loop, loop.getTiedLoopInit(argument)->get(), each->constant};
}

bool FirstElements::canGet(Value tile, AffineTileAnalysis &tiles,
                           llvm::DenseSet<Value> &known) {
  if (known.contains(tile))
    return true;
  Operation *op = tile.getDefiningOp();
  if (!isa<RankedTensorType>(tile.getType()) ||
      isa_and_present<tile::SplatOp, tile::RangeOp>(op))
    return true;
  if (!op) {
    std::optional<Step> step = findStep(tile, tiles);
    return step && canGet(step->init, tiles, known);
  }
  SplatElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)))
    return true;
  if (!(isEffectFreeElementwise(op) ||
        isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp>(op)) ||
      !llvm::all_of(op->getOperands(), [&](Value operand) {
        return canGet(operand, tiles, known);
      }))
    return false;
  known.insert(tile);
  return true;
}

Value FirstElements::getRange(tile::RangeOp range, RankedTensorType type,
                              int64_t group) {
  auto repeat = [&](int64_t value) -> Value {
    auto attribute = b.getI32IntegerAttr(int32_t(value));
    return arith::ConstantOp::create(b,
                                     DenseElementsAttr::get(type, attribute));
  };
  Value start = repeat(range.getStart());
  if (type.getNumElements() == 1)
    return start;
  Value number = tile::RangeOp::create(b, type, /*start=*/0,
                                       uint32_t(type.getNumElements()));
  return arith::AddIOp::create(b, start,
                               arith::MulIOp::create(b, number, repeat(group)));
}

/// Computes a carried value from the number of the iteration, in 64 bits like
/// pointer offsets. The distance between the bounds may exceed the positive
/// range of the counter's type. Integers wrap around as in the loop.
Value FirstElements::getCarried(const Step &step, const Cut &cut) {
  scf::ForOp loop = step.loop;
  Value first = get(step.init, cut);
  auto widen = [&](Value value) -> Value {
    if (value.getType().isInteger(64))
      return value;
    if (loop.getUnsignedCmp())
      return arith::ExtUIOp::create(b, b.getI64Type(), value);
    return arith::ExtSIOp::create(b, b.getI64Type(), value);
  };
  Value passed = arith::SubIOp::create(b, widen(loop.getInductionVar()),
                                       widen(loop.getLowerBound()));
  Value count = arith::DivUIOp::create(b, passed, widen(loop.getStep()));
  Value moved = arith::MulIOp::create(
      b, count, step.each.emit(b, b.getLoc(), b.getI64Type()));
  auto type = cast<RankedTensorType>(first.getType());
  auto splat = [&](Value value) -> Value {
    return tile::SplatOp::create(b, type.clone(value.getType()), value);
  };
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (!integer)
    return tile::AddPtrOp::create(b, first, splat(moved));
  if (integer.getWidth() < 64)
    moved = arith::TruncIOp::create(b, integer, moved);
  return arith::AddIOp::create(b, first, splat(moved));
}

Value FirstElements::get(Value tile, const Cut &cut) {
  std::pair<void *, std::vector<int64_t>> key(
      tile.getAsOpaquePointer(), std::vector<int64_t>(cut.begin(), cut.end()));
  auto found = made.find(key);
  if (found != made.end())
    return found->second;
  return made[key] = compute(tile, cut);
}

Value FirstElements::compute(Value tile, const Cut &cut) {
  if (!isa<RankedTensorType>(tile.getType()))
    return tile;
  RankedTensorType type = tile::cutType(tile.getType(), cut);
  if (type == tile.getType())
    return tile;
  SplatElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)))
    return arith::ConstantOp::create(b, constant.resizeSplat(type));
  Operation *op = tile.getDefiningOp();
  if (!op)
    return getCarried(*findStep(tile, tiles), cut);
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return tile::SplatOp::create(b, type, splat.getSource());
  if (auto range = dyn_cast<tile::RangeOp>(op))
    return getRange(range, type, cut[0]);
  Cut source = cutSource(op, cut).value_or(cut);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand, source));
  // A broadcast dimension may have had size 1 before.
  if (isa<tile::BroadcastOp>(op) && operands[0].getType() == type)
    return operands[0];
  Operation *narrow = clone(b, op, type, operands);
  narrow->setLoc(b.getLoc());
  narrow->setDiscardableAttrs(ArrayRef<NamedAttribute>());
  return narrow->getResult(0);
}
