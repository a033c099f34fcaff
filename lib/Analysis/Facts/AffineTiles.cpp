#include "lib/Analysis/Facts/AffineTiles.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

using namespace mlir;
using namespace tilewright;

using Affine = std::optional<AffineTile>;

//===----------------------------------------------------------------------===//
// Affine tiles
//===----------------------------------------------------------------------===//

bool AffineTile::isUniform() const {
  return llvm::all_of(coefficients,
                      [](const Polynomial &p) { return p.isZero(); });
}

static unsigned getRank(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile ? tile.getRank() : 0;
}

static AffineTile makeUniform(Value like, Polynomial constant) {
  AffineTile tile;
  tile.constant = std::move(constant);
  tile.coefficients.resize(getRank(like));
  return tile;
}

static AffineTile combine(const AffineTile &a, const AffineTile &b,
                          bool subtract) {
  AffineTile sum = a;
  if (!sum.base)
    sum.base = b.base;
  auto apply = [&](const Polynomial &x, const Polynomial &y) {
    return subtract ? x - y : x + y;
  };
  sum.constant = apply(a.constant, b.constant);
  for (auto [mine, other] : llvm::zip(sum.coefficients, b.coefficients))
    mine = apply(mine, other);
  return sum;
}

static AffineTile scale(const AffineTile &tile, const Polynomial &factor) {
  AffineTile scaled = tile;
  scaled.constant = tile.constant * factor;
  for (Polynomial &coefficient : scaled.coefficients)
    coefficient = coefficient * factor;
  return scaled;
}

/// The index along a dimension of size 1 is always 0.
static void dropUnitDimensions(AffineTile &tile, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  for (auto [coefficient, size] :
       llvm::zip_equal(tile.coefficients, type.getShape()))
    if (size == 1)
      coefficient = Polynomial();
}

/// Applies a reshape that only inserts or drops dimensions of size 1.
static Affine reshape(tile::ReshapeOp op, const AffineTile &source) {
  auto isNotOne = [](int64_t size) { return size != 1; };
  ArrayRef<int64_t> from = op.getSource().getType().getShape();
  ArrayRef<int64_t> to = cast<RankedTensorType>(op.getType()).getShape();
  if (!llvm::equal(llvm::make_filter_range(from, isNotOne),
                   llvm::make_filter_range(to, isNotOne)))
    return std::nullopt;
  AffineTile result = makeUniform(op.getResult(), source.constant);
  result.base = source.base;
  unsigned next = 0;
  for (auto [dim, size] : llvm::enumerate(to)) {
    if (size == 1)
      continue;
    while (from[next] == 1)
      ++next;
    result.coefficients[dim] = source.coefficients[next++];
  }
  return result;
}

Affine tilewright::applyShapeOp(Operation *op, const AffineTile &source) {
  AffineTile result = source;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    result.coefficients.insert(result.coefficients.begin() + expand.getAxis(),
                               Polynomial());
  } else if (auto transpose = dyn_cast<tile::TransposeOp>(op)) {
    for (auto [dim, from] : llvm::enumerate(transpose.getOrder()))
      result.coefficients[dim] = source.coefficients[from];
  } else if (auto view = dyn_cast<tile::ReshapeOp>(op)) {
    return reshape(view, source);
  } else if (!isa<tile::BroadcastOp>(op)) {
    return std::nullopt;
  }
  return result;
}

Affine AffineTileAnalysis::computeProduct(Operation *op) {
  Affine a = get(op->getOperand(0)), b = get(op->getOperand(1));
  if (!a || !b || a->base || b->base)
    return std::nullopt;
  if (b->isUniform())
    return scale(*a, b->constant);
  if (a->isUniform())
    return scale(*b, a->constant);
  return std::nullopt;
}

/// The number of the loop-carried flag of a `break`: the `scf.while` continues
/// only while the flag is set. Nothing if there is no such flag.
static std::optional<unsigned> getFlag(scf::WhileOp loop) {
  auto condition =
      loop.getConditionOp().getCondition().getDefiningOp<scf::IfOp>();
  if (!condition ||
      !matchPattern(condition.elseYield()->getOperand(0), m_Zero()))
    return std::nullopt;
  auto flag = dyn_cast<BlockArgument>(condition.getCondition());
  if (!flag || flag.getOwner() != loop.getBeforeBody())
    return std::nullopt;
  return flag.getArgNumber();
}

/// Whether `loop` ends after an iteration in which `condition` holds.
static bool leaves(scf::WhileOp loop, Value condition) {
  std::optional<unsigned> flag = getFlag(loop);
  if (!flag)
    return false;
  auto next =
      loop.getYieldOp().getResults()[*flag].getDefiningOp<arith::SelectOp>();
  return next && next.getCondition() == condition &&
         matchPattern(next.getTrueValue(), m_Zero());
}

/// The value that `loop` carries to the next iteration, if there is one.
static Value getContinued(scf::WhileOp loop, unsigned number) {
  Value next = loop.getYieldOp().getResults()[number];
  auto branch = next.getDefiningOp<scf::IfOp>();
  if (!branch || !leaves(loop, branch.getCondition()))
    return next;
  return branch.elseYield()->getOperand(cast<OpResult>(next).getResultNumber());
}

Value tilewright::getCarriedStep(Value carried, Value next) {
  Operation *add = next.getDefiningOp();
  if (!isa_and_present<tile::AddPtrOp, arith::AddIOp>(add))
    return {};
  if (add->getOperand(0) == carried)
    return add->getOperand(1);
  bool isSwapped = isa<arith::AddIOp>(add) && add->getOperand(1) == carried;
  return isSwapped ? add->getOperand(0) : Value();
}

/// A loop-carried value to which each iteration adds the same step.
Affine AffineTileAnalysis::computeArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<scf::WhileOp>(parent))
    return computeInWhile(loop, argument);
  auto loop = dyn_cast<scf::ForOp>(parent);
  APInt stride;
  if (!loop || argument == loop.getInductionVar() ||
      !matchPattern(loop.getStep(), m_ConstantInt(&stride)))
    return std::nullopt;
  Value step =
      getCarriedStep(argument, loop.getTiedLoopYieldedValue(argument)->get());
  Affine lower = get(loop.getLowerBound());
  return computeCarried(loop, loop.getTiedLoopInit(argument)->get(), step,
                        Polynomial(loop.getInductionVar()) - lower->constant,
                        stride.getSExtValue());
}

/// `first + step * (passed / stride)`, where `passed` is by how much the
/// counter of `loop` has advanced and `stride` is its step.
Affine AffineTileAnalysis::computeCarried(LoopLikeOpInterface loop, Value first,
                                          Value step, const Polynomial &passed,
                                          int64_t stride) {
  Affine result = get(first);
  Affine each = step ? get(step) : Affine();
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(first.getType()));
  if (type && type.getWidth() < 32)
    return std::nullopt;
  auto isOutside = [&](Value value) {
    return loop.isDefinedOutsideOfLoop(value);
  };
  if (!result || !each || !each->isUniform() ||
      !each->constant.allOf(isOutside))
    return std::nullopt;
  auto perCount = each->constant.divide(stride);
  if (!perCount)
    return std::nullopt;
  result->constant = result->constant + *perCount * passed;
  return result;
}

/// The number of the loop-carried value that the condition of `loop` passes to
/// `argument` of its body.
static std::optional<unsigned> getCarried(scf::WhileOp loop,
                                          BlockArgument argument) {
  auto passed = dyn_cast<BlockArgument>(
      loop.getConditionOp().getArgs()[argument.getArgNumber()]);
  if (!passed || passed.getOwner() != loop.getBeforeBody())
    return std::nullopt;
  return passed.getArgNumber();
}

/// A value in the body of an `scf.while` with a counter from which the number
/// of the iteration follows.
Affine AffineTileAnalysis::computeInWhile(scf::WhileOp loop,
                                          BlockArgument argument) {
  auto number = argument.getOwner() == loop.getAfterBody()
                    ? getCarried(loop, argument)
                    : std::nullopt;
  if (!number)
    return std::nullopt;
  auto getStepOf = [&](BlockArgument carried, unsigned number) {
    return getCarriedStep(carried, getContinued(loop, number));
  };
  Value step = getStepOf(argument, *number);
  if (!step)
    return std::nullopt;
  for (BlockArgument counter : loop.getAfterArguments()) {
    auto counted = getCarried(loop, counter);
    APInt stride;
    if (counter == argument || !counted || !counter.getType().isInteger(32))
      continue;
    Value each = getStepOf(counter, *counted);
    if (!each || !matchPattern(each, m_ConstantInt(&stride)) || stride.isZero())
      continue;
    Affine first = get(loop.getInits()[*counted]);
    return computeCarried(loop, loop.getInits()[*number], step,
                          Polynomial(counter) - first->constant,
                          stride.getSExtValue());
  }
  return std::nullopt;
}

/// Whether `value`, the result of integer arithmetic, may wrap around for
/// reasonable values of the kernel's scalars. Types of less than 32 bits may
/// wrap, and so may hashes like `i * 1103515245`.
static bool mayWrap(Value value, const AffineTile &tile) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
  if (!type)
    return false; // pointers
  if (type.getWidth() < 32)
    return true;
  if (type.getWidth() > 32)
    return false;
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  auto isLarge = [](const Polynomial::Term &term) {
    return !term.first.empty() && std::abs(term.second) > kMost / 2;
  };
  if (llvm::any_of(tile.constant.getTerms(), isLarge))
    return true;
  if (tile.coefficients.empty())
    return false;
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  int64_t reach = 0;
  for (auto [coefficient, size] : llvm::zip_equal(tile.coefficients, shape)) {
    if (llvm::any_of(coefficient.getTerms(), isLarge))
      return true;
    int64_t step = std::abs(coefficient.getCoefficient({}));
    if (size > 1 && step > (kMost - reach) / (size - 1))
      return true;
    reach += step * (size - 1);
  }
  return false;
}

Affine AffineTileAnalysis::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (Affine carried = computeArgument(argument))
      return carried;
  } else if (APInt constant; matchPattern(value, m_ConstantInt(&constant))) {
    return makeUniform(value, Polynomial(constant.getSExtValue()));
  } else {
    auto unlessWrapped = [&](Affine result) {
      return result && mayWrap(value, *result) ? std::nullopt : result;
    };
    Affine found =
        llvm::TypeSwitch<Operation *, Affine>(value.getDefiningOp())
            .Case<arith::ExtSIOp>([&](auto op) { return get(op.getIn()); })
            .Case([&](arith::MulIOp op) {
              return unlessWrapped(computeProduct(op));
            })
            .Case<arith::AddIOp, arith::SubIOp, tile::AddPtrOp>(
                [&](Operation *op) -> Affine {
                  Affine a = get(op->getOperand(0)), b = get(op->getOperand(1));
                  if (!a || !b)
                    return std::nullopt;
                  return unlessWrapped(combine(*a, *b, isa<arith::SubIOp>(op)));
                })
            .Case([&](tile::SplatOp op) -> Affine {
              Affine source = get(op.getSource());
              if (source)
                source->coefficients.resize(getRank(value));
              return source;
            })
            .Case([&](tile::RangeOp op) -> Affine {
              AffineTile result =
                  makeUniform(value, Polynomial(int64_t(op.getStart())));
              result.coefficients[0] = Polynomial(1);
              return result;
            })
            .Case<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransposeOp,
                  tile::ReshapeOp>([&](Operation *op) -> Affine {
              Affine source = get(op->getOperand(0));
              return source ? applyShapeOp(op, *source) : source;
            })
            .Default([](Operation *) { return std::nullopt; });
    if (found) {
      dropUnitDimensions(*found, value);
      return found;
    }
  }
  if (getRank(value) != 0)
    return std::nullopt;
  AffineTile scalar;
  if (isa<tile::PtrType>(value.getType()))
    scalar.base = value;
  else
    scalar.constant = Polynomial(value);
  return scalar;
}

Affine AffineTileAnalysis::get(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  // A cycle through a loop finds nothing.
  known[value] = std::nullopt;
  Affine result = compute(value);
  known[value] = result;
  return result;
}
