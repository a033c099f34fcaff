// Narrows loads that read the same element for neighbouring indices along a
// dimension.
//
// A scale per block of columns, `load(p + n // 128)`, is one number for 128
// neighbours in n. A word of eight 4-bit weights, `load(p + k // 8)`, is one
// for eight. Loaded per index, each takes an address and a register, in every
// thread. Constant divisors and broadcast pointers show the groups. Where a
// mask limits the indices, the first of a group is inside if any is.

#include "lib/Transforms/Tile/FirstElements.h"
#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/AxisInfo.h"
#include "lib/Analysis/Facts/Elementwise.h"
#include "lib/Analysis/Facts/NonNegative.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using tile::Cut;
using tile::FirstElements;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILENARROWLOADS
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

//===----------------------------------------------------------------------===//
// Groups of equal elements
//===----------------------------------------------------------------------===//

/// The group size of a broadcast dimension of any size.
static constexpr int64_t kAll = int64_t(1) << 40;

namespace {

class EqualGroups {
public:
  EqualGroups(tile::FuncOp func, AffineTileAnalysis &tiles)
      : axes(func), tiles(tiles), limits(findLimits(func, tiles)) {}

  /// Returns a number of elements such that `tile` is constant along `dim` in
  /// each aligned group of that many.
  int64_t getGroup(Value tile, unsigned dim);

  /// Drops the cached groups, as values may have been erased.
  void forget() { groups.clear(); }

private:
  int64_t findGroup(Value tile, unsigned dim);
  int64_t getGroupOfQuotient(arith::DivSIOp op, unsigned dim);

  AxisInfoAnalysis axes;
  AffineTileAnalysis &tiles;
  llvm::DenseSet<Value> limits;
  llvm::DenseMap<std::pair<Value, unsigned>, int64_t> groups;
};

} // namespace

/// Returns the group of a quotient. Signed division rounds negative quotients
/// up, so the index must be known not to be negative. That it is divided proves
/// nothing: `(first + n) // 8` may start below zero.
int64_t EqualGroups::getGroupOfQuotient(arith::DivSIOp op, unsigned dim) {
  APInt divisor;
  if (!matchPattern(op.getRhs(), m_ConstantInt(&divisor)) ||
      !divisor.isStrictlyPositive())
    return 1;
  std::optional<AffineTile> index = tiles.get(op.getLhs());
  auto isLimit = [&](Value value) { return limits.contains(value); };
  bool counts =
      index && isNonNegative(index->constant, isLimit) &&
      llvm::all_of(index->coefficients, [&](const Polynomial &coefficient) {
        return isNonNegative(coefficient, isLimit);
      });
  AxisFacts facts = axes.get(op.getLhs())[dim];
  return counts ? std::min({int64_t(1) << divisor.countr_zero(),
                            facts.contiguity, facts.divisibility})
                : 1;
}

int64_t EqualGroups::getGroup(Value tile, unsigned dim) {
  auto found = groups.find({tile, dim});
  if (found != groups.end())
    return found->second;
  int64_t group = findGroup(tile, dim);
  groups[{tile, dim}] = group;
  return group;
}

int64_t EqualGroups::findGroup(Value tile, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(tile.getType());
  if (!type || type.getDimSize(dim) == 1)
    return kAll;
  int64_t known = axes.get(tile)[dim].constancy;
  Operation *op = tile.getDefiningOp();
  if (!op || known >= type.getDimSize(dim))
    return known;
  auto raise = [&](int64_t group) { return std::max(known, group); };
  if (auto quotient = dyn_cast<arith::DivSIOp>(op))
    return raise(getGroupOfQuotient(quotient, dim));
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return raise(
        getGroup(expand.getSource(), dim - (dim > unsigned(expand.getAxis()))));
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    return raise(getGroup(transpose.getSource(), transpose.getOrder()[dim]));
  if (!isEffectFreeElementwise(op) && !isa<tile::BroadcastOp>(op))
    return known;
  int64_t group = kAll;
  for (Value operand : op->getOperands())
    group = std::min(group, getGroup(operand, dim));
  return raise(group);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Whether `mask` is true for the first index of each group of `cut` if it is
/// for any. That holds if all its conditions on such indices are upper bounds.
static bool startsInside(Value mask, const Cut &cut,
                         AffineTileAnalysis &tiles) {
  for (const MaskCondition &condition : splitMask(mask)) {
    std::optional<IndexComparison> found = getComparison(condition, tiles);
    if (!found)
      return false;
    for (auto [coefficient, group] :
         llvm::zip_equal(found->index.coefficients, cut)) {
      std::optional<int64_t> constant = coefficient.getConstant();
      if (group > 1 && !coefficient.isZero() &&
          !(found->isUpper && constant && *constant > 0))
        return false;
    }
  }
  return true;
}

namespace {

class LoadNarrower {
public:
  explicit LoadNarrower(tile::FuncOp func) : equal(func, tiles) {}

  /// Returns the groups of equal addresses of `load` if it can be narrowed.
  std::optional<Cut> findCut(tile::LoadOp load);
  void narrow(tile::LoadOp load, const Cut &cut);

private:
  bool canGet(Value tile) {
    llvm::DenseSet<Value> known;
    return FirstElements::canGet(tile, tiles, known);
  }

  AffineTileAnalysis tiles;
  EqualGroups equal;
};

} // namespace

std::optional<Cut> LoadNarrower::findCut(tile::LoadOp load) {
  equal.forget();
  auto type = cast<RankedTensorType>(load.getType());
  Cut cut;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    cut.push_back(llvm::isPowerOf2_64(size)
                      ? std::min(size, equal.getGroup(load.getPtr(), dim))
                      : 1);
  // In a tile of rank 1, a few repeated elements cost less than fetching those
  // of other threads.
  if (type.getRank() == 1 && cut[0] != type.getDimSize(0))
    return std::nullopt;
  Value mask = load.getMask(), other = load.getOther();
  bool narrows = llvm::any_of(cut, [](int64_t group) { return group > 1; });
  if (!narrows || load.getIsVolatile() || !canGet(load.getPtr()) ||
      (mask && !(canGet(mask) && startsInside(mask, cut, tiles))) ||
      (other && !canGet(other)))
    return std::nullopt;
  return cut;
}

/// Repeats each element of `first` as often as `cut` says.
static Value repeat(ImplicitLocOpBuilder &b, Value first, RankedTensorType type,
                    const Cut &cut) {
  bool isWhole =
      llvm::all_of(llvm::zip_equal(type.getShape(), cut), [](auto pair) {
        auto [size, group] = pair;
        return group == 1 || group == size;
      });
  if (isWhole)
    return tile::BroadcastOp::create(b, type, first);
  SmallVector<int64_t> expanded, shape;
  for (auto [size, group] : llvm::zip_equal(type.getShape(), cut)) {
    expanded.push_back(size / group);
    shape.push_back(size / group);
    if (group > 1) {
      expanded.push_back(1);
      shape.push_back(group);
    }
  }
  Value groups = tile::ReshapeOp::create(b, type.clone(expanded), first);
  groups = tile::BroadcastOp::create(b, type.clone(shape), groups);
  return tile::ReshapeOp::create(b, type, groups);
}

void LoadNarrower::narrow(tile::LoadOp load, const Cut &cut) {
  ImplicitLocOpBuilder b(load.getLoc(), load);
  FirstElements first(b, tiles);
  SmallVector<Value> operands;
  for (Value operand : load->getOperands())
    operands.push_back(first.get(operand, cut));
  auto type = cast<RankedTensorType>(load.getType());
  Operation *one = clone(b, load, tile::cutType(type, cut), operands);
  Value result = repeat(b, one->getResult(0), type, cut);
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
      LoadNarrower narrower(func);
      SmallVector<std::pair<tile::LoadOp, Cut>> found;
      for (tile::LoadOp load : loads)
        if (std::optional<Cut> cut = narrower.findCut(load))
          found.push_back({load, *cut});
      for (auto &[load, cut] : found)
        narrower.narrow(load, cut);
    }
  }
};
} // namespace
