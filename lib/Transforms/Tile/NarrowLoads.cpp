// Loads that read the same element for all indices along a dimension.
//
// A scale for each block of columns, `load(p + n // 128)` with 128 neighbours
// in n, is one number. Loaded for each column it takes an address and a
// register each, in every thread. What an index is divided by, or a pointer
// that is repeated, tells; where indices are limited by a mask the first one is
// inside if any is.

#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/AxisInfo.h"
#include "lib/Analysis/Signs.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILENARROWLOADS
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

/// Which dimensions of a tile are cut down to their first index.
using Cut = SmallVector<bool, 4>;

static RankedTensorType cutType(Type type, const Cut &cut) {
  auto tile = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tile.getShape());
  for (auto [side, isCut] : llvm::zip_equal(shape, cut))
    if (isCut)
      side = 1;
  return tile.clone(shape);
}

/// The dimensions of the source of `op`, which changes shapes only, for those
/// of its result; nothing for other ops.
static std::optional<Cut> cutSource(Operation *op, const Cut &cut) {
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

namespace {

/// Computes the first elements of tiles along some dimensions.
class FirstElements {
public:
  explicit FirstElements(ImplicitLocOpBuilder &b) : b(b) {}

  /// Whether they are computed from no tile of unknown origin.
  static bool canGet(Value tile);
  Value get(Value tile, const Cut &cut);

private:
  ImplicitLocOpBuilder &b;
};

} // namespace

static bool isElementwise(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op);
}

bool FirstElements::canGet(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!isa<RankedTensorType>(tile.getType()) ||
      isa_and_present<tile::SplatOp, tile::RangeOp>(op))
    return true;
  SplatElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)))
    return true;
  return op &&
         (isElementwise(op) ||
          isa<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp>(op)) &&
         llvm::all_of(op->getOperands(), canGet);
}

Value FirstElements::get(Value tile, const Cut &cut) {
  if (!isa<RankedTensorType>(tile.getType()))
    return tile;
  RankedTensorType type = cutType(tile.getType(), cut);
  if (type == tile.getType())
    return tile;
  SplatElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)))
    return arith::ConstantOp::create(b, constant.resizeSplat(type));
  Operation *op = tile.getDefiningOp();
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return tile::SplatOp::create(b, type, splat.getSource());
  if (auto range = dyn_cast<tile::RangeOp>(op))
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               type, b.getI32IntegerAttr(int32_t(range.getStart()))));
  Cut source = cutSource(op, cut).value_or(cut);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand, source));
  // A side that is repeated may have been 1 before.
  if (isa<tile::BroadcastOp>(op) && operands[0].getType() == type)
    return operands[0];
  Operation *narrow = clone(b, op, type, operands);
  narrow->setLoc(b.getLoc());
  narrow->setDiscardableAttrs(ArrayRef<NamedAttribute>());
  return narrow->getResult(0);
}

//===----------------------------------------------------------------------===//
// Which elements are the same
//===----------------------------------------------------------------------===//

namespace {

class Sameness {
public:
  explicit Sameness(tile::FuncOp func)
      : axes(func), sizes(findSizes(func, tiles)) {}

  /// Whether `tile` has the same element for all indices along `dim`.
  bool isAlong(Value tile, unsigned dim);

private:
  bool isQuotientAlong(arith::DivSIOp op, unsigned dim);

  AxisInfoAnalysis axes;
  AffineTileAnalysis tiles;
  llvm::DenseSet<Value> sizes;
};

} // namespace

/// Whether the indices that are divided lie between two multiples of the
/// divisor. Below zero quotients are rounded up.
bool Sameness::isQuotientAlong(arith::DivSIOp op, unsigned dim) {
  int64_t side = cast<RankedTensorType>(op.getType()).getDimSize(dim);
  APInt divisor;
  if (!matchPattern(op.getRhs(), m_ConstantInt(&divisor)) ||
      !divisor.isStrictlyPositive() || divisor.getSExtValue() % side != 0)
    return false;
  AxisFacts facts = axes.get(op.getLhs())[dim];
  std::optional<AffineTile> index = tiles.get(op.getLhs());
  auto isSize = [&](Value value) { return sizes.contains(value); };
  return facts.contiguity >= side && facts.divisibility % side == 0 && index &&
         isNonNegative(index->constant, isSize) &&
         llvm::all_of(index->coefficients, [&](const Polynomial &coefficient) {
           return isNonNegative(coefficient, isSize);
         });
}

bool Sameness::isAlong(Value tile, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type || type.getDimSize(dim) == 1 ||
      axes.get(tile)[dim].constancy >= type.getDimSize(dim))
    return true;
  Operation *op = tile.getDefiningOp();
  if (!op)
    return false;
  if (auto quotient = dyn_cast<arith::DivSIOp>(op))
    return isQuotientAlong(quotient, dim);
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return isAlong(expand.getSource(),
                   dim - (dim > unsigned(expand.getAxis())));
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    return isAlong(transpose.getSource(), transpose.getOrder()[dim]);
  return (isElementwise(op) || isa<tile::BroadcastOp>(op)) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isAlong(operand, dim); });
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Whether `mask` lets the first index along the dimensions of `cut` pass
/// wherever it lets any: all that depends on them are upper bounds.
static bool startsInside(Value mask, const Cut &cut) {
  AffineTileAnalysis tiles;
  for (const MaskCondition &condition : splitMask(mask)) {
    std::optional<IndexComparison> found = getComparison(condition, tiles);
    if (!found)
      return false;
    for (auto [coefficient, isCut] :
         llvm::zip_equal(found->index.coefficients, cut)) {
      std::optional<int64_t> constant = coefficient.getConstant();
      if (isCut && !coefficient.isZero() &&
          !(found->isUpper && constant && *constant > 0))
        return false;
    }
  }
  return true;
}

/// The dimensions along which all addresses of `load` are one.
static Cut findCut(tile::LoadOp load, Sameness &same) {
  Cut cut;
  auto type = cast<RankedTensorType>(load.getType());
  for (auto [dim, side] : llvm::enumerate(type.getShape()))
    cut.push_back(side > 1 && same.isAlong(load.getPtr(), dim));
  return cut;
}

static bool canNarrow(tile::LoadOp load, const Cut &cut) {
  if (!llvm::is_contained(cut, true) || load.getIsVolatile() ||
      !FirstElements::canGet(load.getPtr()))
    return false;
  Value mask = load.getMask(), other = load.getOther();
  return (!mask || (FirstElements::canGet(mask) && startsInside(mask, cut))) &&
         (!other || FirstElements::canGet(other));
}

static void narrow(tile::LoadOp load, const Cut &cut) {
  ImplicitLocOpBuilder b(load.getLoc(), load);
  FirstElements first(b);
  SmallVector<Value> operands;
  for (Value operand : load->getOperands())
    operands.push_back(first.get(operand, cut));
  Operation *one = clone(b, load, cutType(load.getType(), cut), operands);
  Value result =
      tile::BroadcastOp::create(b, load.getType(), one->getResult(0));
  if (load.getOther())
    result =
        arith::SelectOp::create(b, load.getMask(), result, load.getOther());
  load.replaceAllUsesWith(result);
  load.erase();
}

namespace {
struct NarrowLoads : tile::impl::TileNarrowLoadsBase<NarrowLoads> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>()) {
      SmallVector<tile::LoadOp> loads;
      func.walk([&](tile::LoadOp load) {
        if (isa<RankedTensorType>(load.getType()))
          loads.push_back(load);
      });
      if (loads.empty())
        continue;
      Sameness same(func);
      SmallVector<std::pair<tile::LoadOp, Cut>> found;
      for (tile::LoadOp load : loads)
        if (Cut cut = findCut(load, same); canNarrow(load, cut))
          found.push_back({load, cut});
      for (auto &[load, cut] : found)
        narrow(load, cut);
    }
  }
};
} // namespace
