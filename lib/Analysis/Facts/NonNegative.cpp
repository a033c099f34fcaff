#include "lib/Analysis/Facts/NonNegative.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Adds the arguments with positive coefficients in the sum `bound`. Each
/// operand of a minimum is a bound, too.
static void addSizes(Value bound, AffineTileAnalysis &tiles,
                     llvm::DenseSet<Value> &sizes,
                     llvm::DenseSet<Value> &seen) {
  if (!seen.insert(bound).second)
    return;
  std::optional<AffineTile> tile = tiles.get(bound);
  if (!tile || tile->base)
    return;
  for (const auto &[monomial, coefficient] : tile->constant.getTerms()) {
    if (monomial.size() != 1 || coefficient <= 0)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(monomial[0])) {
      if (isa<tile::FuncOp>(argument.getOwner()->getParentOp()))
        sizes.insert(argument);
    } else if (auto least = monomial[0].getDefiningOp<arith::MinSIOp>()) {
      addSizes(least.getLhs(), tiles, sizes, seen);
      addSizes(least.getRhs(), tiles, sizes, seen);
    }
  }
}

llvm::DenseSet<Value> tilewright::findSizes(tile::FuncOp func,
                                            AffineTileAnalysis &tiles) {
  llvm::DenseSet<Value> sizes, seen;
  auto add = [&](Value bound) { addSizes(bound, tiles, sizes, seen); };
  func.walk([&](Operation *op) {
    if (isa<arith::CmpIOp, arith::DivSIOp>(op)) {
      // Also the dividend: rounded up, the quotient counts blocks.
      add(op->getOperand(0));
      add(op->getOperand(1));
    } else if (auto remainder = dyn_cast<arith::RemSIOp>(op)) {
      add(remainder.getRhs());
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      add(loop.getUpperBound());
    }
  });
  return sizes;
}

/// The kernel argument if `polynomial` is a positive multiple of one, else
/// null.
static Value getArgument(const Polynomial &polynomial) {
  if (polynomial.getTerms().size() != 1)
    return {};
  const auto &[monomial, coefficient] = polynomial.getTerms().front();
  auto argument =
      monomial.size() == 1 ? dyn_cast<BlockArgument>(monomial[0]) : nullptr;
  bool isKernels = argument && coefficient > 0 &&
                   isa<tile::FuncOp>(argument.getOwner()->getParentOp());
  return isKernels ? argument : Value();
}

/// The argument that `bound` is, up to subtraction of a constant. Null if it is
/// not.
static Value getBoundingArgument(Value bound, AffineTileAnalysis &tiles) {
  std::optional<AffineTile> tile = tiles.get(bound);
  if (!tile || tile->base || !tile->isUniform())
    return {};
  int64_t constant = tile->constant.getCoefficient({});
  return constant > 0 ? Value()
                      : getArgument(tile->constant - Polynomial(constant));
}

/// The argument that `op` divides and rounds up.
static Value getCountedArgument(arith::DivSIOp op, AffineTileAnalysis &tiles) {
  std::optional<AffineTile> divided = tiles.get(op.getLhs());
  std::optional<AffineTile> divisor = tiles.get(op.getRhs());
  if (!divided || !divisor || isa<RankedTensorType>(op.getType()))
    return {};
  return getArgument(divided->constant - divisor->constant + Polynomial(1));
}

llvm::DenseSet<Value> tilewright::findLimits(tile::FuncOp func,
                                             AffineTileAnalysis &tiles) {
  using P = arith::CmpIPredicate;
  llvm::DenseSet<Value> limits;
  auto add = [&](Value argument) {
    if (argument)
      limits.insert(argument);
  };
  func.walk([&](Operation *op) {
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      P predicate = compare.getPredicate();
      if (predicate == P::slt || predicate == P::sle)
        add(getBoundingArgument(compare.getRhs(), tiles));
      else if (predicate == P::sgt || predicate == P::sge)
        add(getBoundingArgument(compare.getLhs(), tiles));
    } else if (auto quotient = dyn_cast<arith::DivSIOp>(op)) {
      add(getCountedArgument(quotient, tiles));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      add(getBoundingArgument(loop.getUpperBound(), tiles));
    }
  });
  return limits;
}

//===----------------------------------------------------------------------===//
// NonNegative
//===----------------------------------------------------------------------===//

/// The loop whose downward counter `op` is: the sum of the bounds minus the
/// induction variable. Null if there is none.
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

/// Whether `op` is `x - y % x`, the rest of y to a multiple of x.
static bool isRestToMultiple(arith::SubIOp op) {
  auto remainder = op.getRhs().getDefiningOp<arith::RemSIOp>();
  return remainder && remainder.getRhs() == op.getLhs();
}

namespace {
class SignProver {
public:
  explicit SignProver(function_ref<bool(Value)> isSize) : isSize(isSize) {}

  bool prove(Value value);

private:
  bool proveArgument(BlockArgument argument);
  bool proveCarried(BlockArgument argument, ValueRange values);
  bool proveDifference(arith::SubIOp op);
  bool proveQuotient(arith::DivSIOp op);
  bool proveResult(OpResult result);
  bool proveAll(ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return prove(value); });
  }

  function_ref<bool(Value)> isSize;
  /// Loop-carried values under proof: assumed to be non-negative in the
  /// previous iteration.
  llvm::SmallDenseSet<Value, 4> assumed;
  /// Results for values under the present assumptions.
  llvm::SmallDenseMap<Value, bool> known;
};
} // namespace

bool SignProver::proveArgument(BlockArgument argument) {
  if (assumed.contains(argument))
    return true;
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (argument == loop.getInductionVar())
      return prove(loop.getLowerBound());
    return isSize(argument) ||
           proveCarried(argument,
                        {loop.getTiedLoopInit(argument)->get(),
                         loop.getTiedLoopYieldedValue(argument)->get()});
  }
  if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getAfterBody())
      return prove(loop.getConditionOp().getArgs()[number]);
    return proveCarried(argument, {loop.getInits()[number],
                                   loop.getYieldOp().getResults()[number]});
  }
  return isSize(argument);
}

/// Discards results that depend on an assumption when it turns out to be wrong.
bool SignProver::proveCarried(BlockArgument argument, ValueRange values) {
  assumed.insert(argument);
  known.clear();
  if (proveAll(values))
    return true;
  assumed.erase(argument);
  known.clear();
  return false;
}

bool SignProver::proveDifference(arith::SubIOp op) {
  if (isRestToMultiple(op))
    return prove(op.getLhs());
  scf::ForOp loop = getMirroredLoop(op);
  if (!loop)
    return false;
  // An index above -1 is not negative.
  APInt constant;
  return (matchPattern(loop.getLowerBound(), m_ConstantInt(&constant)) &&
          constant.isAllOnes()) ||
         prove(loop.getLowerBound());
}

/// A computed divisor of an index is assumed to be positive.
bool SignProver::proveQuotient(arith::DivSIOp op) {
  APInt constant;
  bool isKnown = isa<BlockArgument>(op.getRhs()) ||
                 matchPattern(op.getRhs(), m_ConstantInt(&constant));
  return prove(op.getLhs()) && (!isKnown || prove(op.getRhs()));
}

bool SignProver::proveResult(OpResult result) {
  unsigned number = result.getResultNumber();
  return llvm::TypeSwitch<Operation *, bool>(result.getOwner())
      .Case<tile::ProgramIdOp, tile::NumProgramsOp>([](auto) { return true; })
      .Case<tile::LoadOp, tile::AtomicRMWOp, tile::AtomicCASOp>(
          [&](Operation *) { return isSize(result); })
      // Remainders have the sign of the first operand.
      .Case([&](arith::RemSIOp op) { return prove(op.getLhs()); })
      .Case([&](arith::DivSIOp op) { return proveQuotient(op); })
      .Case<arith::ExtSIOp, arith::AddIOp, arith::MulIOp, arith::MinSIOp,
            arith::AndIOp, arith::ShRSIOp>(
          [&](Operation *op) { return proveAll(op->getOperands()); })
      // The second operand may be a constant, for which no size is assumed.
      .Case([&](arith::MaxSIOp op) {
        return prove(op.getRhs()) || prove(op.getLhs());
      })
      .Case([&](arith::SelectOp op) {
        return proveAll({op.getTrueValue(), op.getFalseValue()});
      })
      .Case([&](arith::SubIOp op) { return proveDifference(op); })
      .Case([&](scf::IfOp op) {
        return proveAll({op.thenYield()->getOperand(number),
                         op.elseYield()->getOperand(number)});
      })
      .Case([&](scf::ForOp op) { return prove(op.getRegionIterArg(number)); })
      .Case([&](scf::WhileOp op) {
        return prove(op.getConditionOp().getArgs()[number]);
      })
      .Default([](Operation *) { return false; });
}

bool SignProver::prove(Value value) {
  if (tile::isPromisedNonNegative(value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return proveArgument(argument);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return !constant.isNegative();
  if (auto found = known.find(value); found != known.end())
    return found->second;
  bool holds = proveResult(cast<OpResult>(value));
  known[value] = holds;
  return holds;
}

bool tilewright::isNonNegative(Value value, function_ref<bool(Value)> isSize) {
  return SignProver(isSize).prove(value);
}

/// The lower bound of the loop whose counter `value` is. Zero for other values.
static Polynomial getFirstCount(Value value) {
  auto counter = dyn_cast<BlockArgument>(value);
  auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp())
                      : scf::ForOp();
  return loop && counter == loop.getInductionVar()
             ? Polynomial(loop.getLowerBound())
             : Polynomial();
}

/// Rewrites values relative to their lower bounds. num_programs becomes
/// program_id + 1 + rest, where its own value denotes the rest. A loop
/// counter becomes its lower bound plus the rest.
static Polynomial countFromFirst(const Polynomial &polynomial) {
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
      term = term * (factor + getFirstCount(value));
    }
    result = result + term;
  }
  return result;
}

bool tilewright::isNonNegative(const Polynomial &polynomial,
                               function_ref<bool(Value)> isSize) {
  Polynomial counted = countFromFirst(polynomial);
  return llvm::all_of(counted.getTerms(), [&](const auto &term) {
    return term.second > 0 && llvm::all_of(term.first, [&](Value value) {
             return isNonNegative(value, isSize);
           });
  });
}
