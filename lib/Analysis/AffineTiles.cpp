#include "lib/Analysis/AffineTiles.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

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

/// Through a reshape that only inserts or drops dimensions of size 1.
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

/// What a loop carries and adds the same to in each iteration.
Affine AffineTileAnalysis::computeArgument(BlockArgument argument) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return std::nullopt;
  Value yielded = loop.getTiedLoopYieldedValue(argument)->get();
  Operation *add = yielded.getDefiningOp();
  if (!isa_and_present<tile::AddPtrOp, arith::AddIOp>(add))
    return std::nullopt;
  Value step = add->getOperand(1);
  if (add->getOperand(0) != argument) {
    if (!isa<arith::AddIOp>(add) || step != argument)
      return std::nullopt;
    step = add->getOperand(0);
  }
  Affine first = get(loop.getTiedLoopInit(argument)->get());
  Affine each = get(step);
  auto isOutside = [&](Value value) {
    return loop.isDefinedOutsideOfLoop(value);
  };
  if (!first || !each || !each->isUniform() || !each->constant.allOf(isOutside))
    return std::nullopt;
  APInt stride;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&stride)))
    return std::nullopt;
  auto perCount = each->constant.divide(stride.getSExtValue());
  if (!perCount)
    return std::nullopt;
  Affine lower = get(loop.getLowerBound());
  Polynomial passed = Polynomial(loop.getInductionVar()) - lower->constant;
  AffineTile result = *first;
  result.constant = result.constant + *perCount * passed;
  return result;
}

Affine AffineTileAnalysis::compute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (Affine carried = computeArgument(argument))
      return carried;
  } else if (APInt constant; matchPattern(value, m_ConstantInt(&constant))) {
    return makeUniform(value, Polynomial(constant.getSExtValue()));
  } else {
    Affine found =
        llvm::TypeSwitch<Operation *, Affine>(value.getDefiningOp())
            .Case<arith::ExtSIOp>([&](auto op) { return get(op.getIn()); })
            .Case([&](arith::MulIOp op) { return computeProduct(op); })
            .Case<arith::AddIOp, arith::SubIOp, tile::AddPtrOp>(
                [&](Operation *op) -> Affine {
                  Affine a = get(op->getOperand(0)), b = get(op->getOperand(1));
                  if (!a || !b)
                    return std::nullopt;
                  return combine(*a, *b, isa<arith::SubIOp>(op));
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
  // A loop that leads back here finds nothing.
  known[value] = std::nullopt;
  Affine result = compute(value);
  known[value] = result;
  return result;
}

//===----------------------------------------------------------------------===//
// Signs
//===----------------------------------------------------------------------===//

/// The loop of which `op` is the index if it counts down: the sum of its bounds
/// less its count, which goes up.
static scf::ForOp getMirroredLoop(arith::SubIOp op) {
  auto count = dyn_cast<BlockArgument>(op.getRhs());
  auto sum = op.getLhs().getDefiningOp<arith::AddIOp>();
  if (!count || !sum)
    return {};
  auto loop = dyn_cast<scf::ForOp>(count.getOwner()->getParentOp());
  if (!loop || count != loop.getInductionVar())
    return {};
  std::pair bounds(loop.getLowerBound(), loop.getUpperBound());
  std::pair summed(sum.getLhs(), sum.getRhs());
  return summed == bounds || summed == std::pair(bounds.second, bounds.first)
             ? loop
             : scf::ForOp();
}

/// Whether what is greater than `bound` is never negative.
static bool isNonNegativeBehind(Value bound, function_ref<bool(Value)> isSize) {
  APInt constant;
  return (matchPattern(bound, m_ConstantInt(&constant)) &&
          constant.isAllOnes()) ||
         isNonNegative(bound, isSize);
}

bool tilewright::isNonNegative(Value value, function_ref<bool(Value)> isSize) {
  auto areAll = [&](Operation *op) {
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return isNonNegative(operand, isSize);
    });
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return isNonNegative(loop.getLowerBound(), isSize);
    return !loop && isSize(value);
  }
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return !constant.isNegative();
  return llvm::TypeSwitch<Operation *, bool>(value.getDefiningOp())
      .Case<tile::ProgramIdOp, tile::NumProgramsOp>([](auto) { return true; })
      .Case<tile::LoadOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
          [&](Operation *) { return isSize(value); })
      // Remainders have the sign of the first operand, and quotients too: who
      // divides a place by something divides it by a positive number.
      .Case<arith::RemSIOp, arith::DivSIOp>(
          [&](auto op) { return isNonNegative(op.getLhs(), isSize); })
      .Case<arith::ExtSIOp, arith::AddIOp, arith::MulIOp, arith::MinSIOp,
            arith::AndIOp, arith::ShRSIOp>(
          [&](Operation *op) { return areAll(op); })
      .Case([&](arith::MaxSIOp op) {
        return isNonNegative(op.getLhs(), isSize) ||
               isNonNegative(op.getRhs(), isSize);
      })
      .Case([&](arith::SelectOp op) {
        return isNonNegative(op.getTrueValue(), isSize) &&
               isNonNegative(op.getFalseValue(), isSize);
      })
      .Case([&](arith::SubIOp op) {
        scf::ForOp loop = getMirroredLoop(op);
        return loop && isNonNegativeBehind(loop.getLowerBound(), isSize);
      })
      .Default([](Operation *) { return false; });
}

/// There are more programs than the number of any: num_programs becomes
/// program_id + 1 + rest, where the value of the former stands for the rest.
static Polynomial countFromProgramId(const Polynomial &polynomial) {
  llvm::SmallDenseMap<unsigned, Value> ids;
  (void)polynomial.allOf([&](Value value) {
    if (auto id = value.getDefiningOp<tile::ProgramIdOp>())
      ids[unsigned(id.getAxis())] = value;
    return true;
  });
  Polynomial result;
  for (const auto &[monomial, coefficient] : polynomial.getTerms()) {
    Polynomial term(coefficient);
    for (Value value : monomial) {
      Polynomial factor(value);
      if (auto count = value.getDefiningOp<tile::NumProgramsOp>())
        if (Value id = ids.lookup(unsigned(count.getAxis())))
          factor = factor + Polynomial(id) + Polynomial(1);
      term = term * factor;
    }
    result = result + term;
  }
  return result;
}

bool tilewright::isNonNegative(const Polynomial &polynomial,
                               function_ref<bool(Value)> isSize) {
  Polynomial counted = countFromProgramId(polynomial);
  return llvm::all_of(counted.getTerms(), [&](const auto &term) {
    return term.second > 0 && llvm::all_of(term.first, [&](Value value) {
             return isNonNegative(value, isSize);
           });
  });
}
