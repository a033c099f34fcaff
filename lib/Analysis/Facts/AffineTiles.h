// Tiles whose elements are affine in their indices:
//
//     base + constant + coefficient[0] * i0 + coefficient[1] * i1 + ...
//
// where constant and coefficients are polynomials over scalars of the kernel.
// Addresses, and the indices that masks compare, are of this form in most
// kernels. Integers are assumed not to wrap around, with two exceptions: types
// of less than 32 bits, and coefficients so large that a tile must wrap.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_AFFINETILES_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_AFFINETILES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace tilewright {

/// The factors of a monomial in any order. No factor is a constant or a sum.
/// Sign extensions are looked through.
using Monomial = llvm::SmallVector<mlir::Value, 2>;

/// A sum of monomials with integer coefficients, in the order in which they
/// were added. So the code that is emitted from it is deterministic and does
/// not depend on the addresses of values.
class Polynomial {
public:
  Polynomial() = default;
  explicit Polynomial(int64_t constant);
  explicit Polynomial(mlir::Value value);

  using Term = std::pair<Monomial, int64_t>;
  llvm::ArrayRef<Term> getTerms() const { return terms; }
  /// 0 if there is no such term.
  int64_t getCoefficient(const Monomial &monomial) const;

  bool isZero() const { return terms.empty(); }
  std::optional<int64_t> getConstant() const;
  bool operator==(const Polynomial &other) const;

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  void add(const Monomial &monomial, int64_t coefficient);
  /// The quotient by `divisor`, if that divides all coefficients.
  std::optional<Polynomial> divide(int64_t divisor) const;

  /// Whether `predicate` holds for all scalars.
  bool allOf(llvm::function_ref<bool(mlir::Value)> predicate) const;

  /// The value as an integer of `type`, computed at the builder. Scalars of
  /// other widths are extended or truncated.
  mlir::Value emit(mlir::OpBuilder &b, mlir::Location loc,
                   mlir::IntegerType type) const;

private:
  std::vector<Term> terms;
};

struct AffineTile {
  /// The base pointer of a tile of pointers; else null.
  mlir::Value base;
  Polynomial constant;
  /// One for each dimension; empty for a scalar.
  llvm::SmallVector<Polynomial> coefficients;

  bool isUniform() const;
};

/// Applies a shape op to `source`. Nothing for other ops, and if the result is
/// not affine in its indices.
std::optional<AffineTile> applyShapeOp(mlir::Operation *op,
                                       const AffineTile &source);

/// The step that a loop adds to the loop-carried `carried`, pointers or
/// integers, to get `next`. Null if `next` is computed otherwise.
mlir::Value getCarriedStep(mlir::Value carried, mlir::Value next);

class AffineTileAnalysis {
public:
  /// The affine form of `value`, an integer, a pointer or a tile of either.
  /// Nothing if it has none. (A scalar always has one.)
  std::optional<AffineTile> get(mlir::Value value);

private:
  std::optional<AffineTile> compute(mlir::Value value);
  std::optional<AffineTile> computeArgument(mlir::BlockArgument argument);
  std::optional<AffineTile> computeInWhile(mlir::scf::WhileOp loop,
                                           mlir::BlockArgument argument);
  std::optional<AffineTile> computeCarried(mlir::LoopLikeOpInterface loop,
                                           mlir::Value first, mlir::Value step,
                                           const Polynomial &passed,
                                           int64_t stride);
  std::optional<AffineTile> computeProduct(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, std::optional<AffineTile>> known;
};

/// One of the conditions whose conjunction is a mask: a value, and the shape
/// ops between it and the mask, from the mask to the value.
struct MaskCondition {
  mlir::Value value;
  llvm::SmallVector<mlir::Operation *> views;
};

/// Splits `mask`, a conjunction, into its conditions.
llvm::SmallVector<MaskCondition> splitMask(mlir::Value mask);

/// `index < limit` (`isUpper`) or `index >= limit`.
struct IndexComparison {
  AffineTile index;
  Polynomial limit;
  bool isUpper;
  /// Whether the comparison has more than 32 bits.
  bool isWide;
};

/// `condition` as the comparison of an index with a uniform limit. Nothing for
/// other conditions.
std::optional<IndexComparison> getComparison(const MaskCondition &condition,
                                             AffineTileAnalysis &tiles);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_AFFINETILES_H
