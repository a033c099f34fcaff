// Drops wraparound of indices that only keeps them inside of an array.
//
// `load(p + (first + i) % size)` reads the first elements of the array again
// where a block reaches past its end. `where(first + i < size, first + i, 0)`
// as the index reads the first one. If nothing that is computed from these
// elements is stored, the load can mask them off. It then reads a block of the
// array with a plain bound.

#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/Elementwise.h"
#include "lib/Analysis/Facts/NonNegative.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEDROPWRAPAROUND
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

namespace {

/// A tile, and the dimension along which the wrapped index counts.
using Line = std::pair<Value, unsigned>;

/// Follows one wrapped index through a function.
class Wraparound {
public:
  Wraparound(Operation *op, AffineTileAnalysis &tiles,
             const llvm::DenseSet<Value> &sizes)
      : op(op), tiles(tiles), sizes(sizes) {}

  /// Whether no store uses an element from past the end.
  bool canDrop();
  void drop();

private:
  bool findIndex();
  bool findLoads();
  bool followAddress(OpOperand &use, unsigned dim);
  bool isDropped(tile::LoadOp load, unsigned dim);
  bool followData(OpOperand &use, unsigned dim);
  bool isMaskedOff(Value mask, unsigned dim);
  bool followThroughLoop(OpOperand &use, unsigned dim);

  Operation *op;
  AffineTileAnalysis &tiles;
  const llvm::DenseSet<Value> &sizes;
  /// The index without wraparound, and the size of the array.
  Value inside, limit;
  AffineTile index;
  Polynomial size;
  llvm::SetVector<Line> lines;
  SmallVector<std::pair<tile::LoadOp, unsigned>> loads;
};

} // namespace

/// Follows `use` into and out of loops and branches.
bool Wraparound::followThroughLoop(OpOperand &use, unsigned dim) {
  Operation *user = use.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    if (use.getOperandNumber() < loop.getNumControlOperands())
      return false;
    lines.insert({loop.getTiedLoopRegionIterArg(&use), dim});
    lines.insert({loop.getTiedLoopResult(&use), dim});
    return true;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(user)) {
    lines.insert({loop.getBeforeArguments()[use.getOperandNumber()], dim});
    return true;
  }
  Operation *parent =
      isa<scf::YieldOp, scf::ConditionOp>(user) ? user->getParentOp() : nullptr;
  if (auto loop = dyn_cast_if_present<scf::WhileOp>(parent)) {
    if (isa<scf::YieldOp>(user)) {
      lines.insert({loop.getBeforeArguments()[use.getOperandNumber()], dim});
      return true;
    }
    // The condition itself is no tile.
    unsigned number = use.getOperandNumber() - 1;
    lines.insert({loop.getAfterArguments()[number], dim});
    lines.insert({loop.getResult(number), dim});
    return true;
  }
  if (auto loop = dyn_cast_if_present<scf::ForOp>(parent)) {
    lines.insert({loop.getRegionIterArg(use.getOperandNumber()), dim});
    lines.insert({loop.getResult(use.getOperandNumber()), dim});
    return true;
  }
  if (auto branch = dyn_cast_if_present<scf::IfOp>(parent)) {
    lines.insert({branch.getResult(use.getOperandNumber()), dim});
    return true;
  }
  return false;
}

/// Returns the dimension of the result of a shape op that corresponds to `dim`
/// of its source. Returns nothing if there is none, or if it merges with
/// others.
static std::optional<unsigned> followShapeOp(Operation *op, unsigned dim) {
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op))
    return dim + (unsigned(expand.getAxis()) <= dim);
  if (isa<tile::BroadcastOp>(op))
    return dim;
  if (auto transpose = dyn_cast<tile::TransposeOp>(op))
    for (auto [to, from] : llvm::enumerate(transpose.getOrder()))
      if (unsigned(from) == dim)
        return to;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Records the value that `use` computes from the index, or the load that it
/// feeds.
bool Wraparound::followAddress(OpOperand &use, unsigned dim) {
  Operation *user = use.getOwner();
  if (auto load = dyn_cast<tile::LoadOp>(user)) {
    if (use.getOperandNumber() != 0)
      return false;
    if (!llvm::is_contained(loads, std::pair(load, dim)))
      loads.push_back({load, dim});
    return true;
  }
  // The value of the index does not matter: past the end nothing is loaded.
  if (isEffectFreeElementwise(user)) {
    lines.insert({user->getResult(0), dim});
    return true;
  }
  if (auto next = followShapeOp(user, dim)) {
    lines.insert({user->getResult(0), *next});
    return true;
  }
  return followThroughLoop(use, dim);
}

bool Wraparound::findLoads() {
  lines.clear();
  lines.insert({op->getResult(0), 0});
  for (unsigned i = 0; i < lines.size(); ++i) {
    auto [value, dim] = lines[i];
    for (OpOperand &use : value.getUses())
      if (!followAddress(use, dim))
        return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

/// Whether `mask` is false wherever the index along `dim` is past the end.
bool Wraparound::isMaskedOff(Value mask, unsigned dim) {
  if (!mask)
    return false;
  for (const MaskCondition &condition : splitMask(mask)) {
    auto found = getComparison(condition, tiles);
    if (!found || !found->isUpper || !(found->limit == size) ||
        !(found->index.constant == index.constant))
      continue;
    bool countsAlong = true;
    for (auto [other, coefficient] : llvm::enumerate(found->index.coefficients))
      countsAlong &= coefficient.getConstant() == (other == dim ? 1 : 0);
    if (countsAlong)
      return true;
  }
  return false;
}

/// Records the value that `use` computes from elements past the end along
/// `dim`. Returns false if it mixes them with others or might store them.
bool Wraparound::followData(OpOperand &use, unsigned dim) {
  Operation *user = use.getOwner();
  auto isStored = [&](Value value, Value pointers, Value mask) {
    return use.get() == value && use.get() != pointers && use.get() != mask &&
           isMaskedOff(mask, dim);
  };
  if (auto store = dyn_cast<tile::StoreOp>(user))
    return isStored(store.getValue(), store.getPtr(), store.getMask());
  if (auto atomic = dyn_cast<tile::AtomicRMWOp>(user))
    return isStored(atomic.getValue(), atomic.getPtr(), atomic.getMask());
  if (auto dot = dyn_cast<tile::DotOp>(user)) {
    unsigned rank = cast<RankedTensorType>(dot.getType()).getRank();
    bool keepsLine = (use.getOperandNumber() == 0 && dim != rank - 1) ||
                     (use.getOperandNumber() == 1 && dim != rank - 2) ||
                     use.getOperandNumber() == 2;
    if (keepsLine)
      lines.insert({dot.getResult(), dim});
    return keepsLine;
  }
  if (auto reduce = dyn_cast<tile::ReduceOp>(user)) {
    unsigned axis = reduce.getAxis();
    if (axis == dim)
      return false;
    for (Value result : reduce.getResults()) {
      if (!isa<RankedTensorType>(result.getType()))
        return false;
      lines.insert({result, dim - (axis < dim)});
    }
    return true;
  }
  if (isEffectFreeElementwise(user) && !isa<tile::AddPtrOp>(user)) {
    lines.insert({user->getResult(0), dim});
    return true;
  }
  if (auto next = followShapeOp(user, dim)) {
    lines.insert({user->getResult(0), *next});
    return true;
  }
  return followThroughLoop(use, dim);
}

bool Wraparound::isDropped(tile::LoadOp load, unsigned dim) {
  lines.clear();
  lines.insert({load.getResult(), dim});
  for (unsigned i = 0; i < lines.size(); ++i) {
    auto [value, along] = lines[i];
    for (OpOperand &use : value.getUses())
      if (!followData(use, along))
        return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Finds the index without wraparound, and the size.
bool Wraparound::findIndex() {
  if (auto remainder = dyn_cast<arith::RemSIOp>(op)) {
    inside = remainder.getLhs();
    limit = remainder.getRhs();
    return true;
  }
  auto select = cast<arith::SelectOp>(op);
  auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::slt ||
      compare.getLhs() != select.getTrueValue() ||
      !matchPattern(select.getFalseValue(), m_Zero()))
    return false;
  inside = compare.getLhs();
  limit = compare.getRhs();
  return true;
}

bool Wraparound::canDrop() {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || type.getRank() != 1 || !findIndex())
    return false;
  std::optional<AffineTile> lhs = tiles.get(inside);
  std::optional<AffineTile> rhs = tiles.get(limit);
  if (!lhs || !rhs || !rhs->isUniform() ||
      lhs->coefficients[0].getConstant() != 1)
    return false;
  index = *lhs;
  size = rhs->constant;
  auto isSize = [&](Value value) {
    return sizes.contains(value) || size.getCoefficient(Monomial{value}) != 0;
  };
  if (!isNonNegative(index.constant, isSize) || !findLoads() || loads.empty())
    return false;
  for (auto [load, dim] : loads)
    if (load.getIsVolatile() || !isDropped(load, dim))
      return false;
  return true;
}

/// Broadcasts `line`, a tile along `dim`, to `shape`.
static Value spread(ImplicitLocOpBuilder &b, Value line, unsigned dim,
                    ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(line.getType());
  SmallVector<int64_t> lineShape(shape.size(), 1);
  lineShape[dim] = shape[dim];
  if (shape.size() > 1)
    line = tile::ReshapeOp::create(b, type.clone(lineShape), line);
  if (ArrayRef<int64_t>(lineShape) == shape)
    return line;
  return tile::BroadcastOp::create(b, type.clone(shape), line);
}

void Wraparound::drop() {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value isInside =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, inside, limit);
  for (auto [load, dim] : loads) {
    tile::LoadOp old = load;
    auto type = cast<RankedTensorType>(old.getType());
    b.setInsertionPointAfterValue(isInside);
    Value mask = spread(b, isInside, dim, type.getShape());
    if (!old.getMask()) {
      old.getMaskMutable().assign(mask);
      continue;
    }
    b.setInsertionPoint(old);
    old.getMaskMutable().assign(
        arith::AndIOp::create(b, old.getMask(), mask).getResult());
  }
  op->getResult(0).replaceAllUsesWith(inside);
  op->erase();
}

namespace {
struct DropWraparound : tile::impl::TileDropWraparoundBase<DropWraparound> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>()) {
      AffineTileAnalysis before;
      llvm::DenseSet<Value> sizes = findSizes(func, before);
      SmallVector<Operation *> ops;
      func.walk([&](Operation *op) {
        if (isa<arith::RemSIOp, arith::SelectOp>(op))
          ops.push_back(op);
      });
      for (Operation *op : ops) {
        // Each op needs a new analysis, as rewrites change the IR.
        AffineTileAnalysis tiles;
        Wraparound wraparound(op, tiles, sizes);
        if (wraparound.canDrop())
          wraparound.drop();
      }
    }
  }
};
} // namespace
