// Tiles whose elements are affine in their indices:
//
//     base + constant + coefficient[0] * i0 + coefficient[1] * i1 + ...
//
// where constant and coefficients are polynomials over scalars of the kernel.
// Addresses, and the indices that masks compare, are of this form in most
// kernels. Integers are taken as unbounded, but for those of less than 32 bits
// and products by constants so large that a tile cannot but wrap around.

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

/// A product of scalars, each of them neither a constant nor a sum, in any
/// order. Sign extensions are looked through.
using Monomial = llvm::SmallVector<mlir::Value, 2>;

/// A sum of monomials with integer coefficients, in the order in which they
/// were added: what is emitted from it depends on the program alone, not on
/// where its values lie in memory.
class Polynomial {
public:
  Polynomial() = default;
  explicit Polynomial(int64_t constant);
  explicit Polynomial(mlir::Value value);

  using Term = std::pair<Monomial, int64_t>;
  llvm::ArrayRef<Term> getTerms() const { return terms; }
  /// 0 where it has no such term.
  int64_t getCoefficient(const Monomial &monomial) const;

  bool isZero() const { return terms.empty(); }
  std::optional<int64_t> getConstant() const;
  bool operator==(const Polynomial &other) const;

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  void add(const Monomial &monomial, int64_t coefficient);
  /// Divided by `divisor`, if that leaves no rest in any coefficient.
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
  /// The pointer, of a tile of pointers; else null.
  mlir::Value base;
  Polynomial constant;
  /// One for each dimension; none of a scalar.
  llvm::SmallVector<Polynomial> coefficients;

  bool isUniform() const;
};

/// What `op`, which only changes the shape of a tile, makes of `source`;
/// nothing for other ops, and where indices would mix.
std::optional<AffineTile> applyShapeOp(mlir::Operation *op,
                                       const AffineTile &source);

/// What a loop adds to what it carries, pointers or integers, if that makes
/// `next` of `carried`; null if it does something else.
mlir::Value getCarriedStep(mlir::Value carried, mlir::Value next);

class AffineTileAnalysis {
public:
  /// Nothing if `value`, an integer, a pointer or a tile of them, is not
  /// affine. (A scalar always is.)
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
  std::optional<AffineTile> computeDot(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, std::optional<AffineTile>> known;
};

/// One of the conditions that must all hold for a mask to: a value, and the
/// shape ops between it and the mask, the one next to the value last.
struct MaskCondition {
  mlir::Value value;
  llvm::SmallVector<mlir::Operation *> views;
};

/// The conditions whose conjunction `mask` is.
llvm::SmallVector<MaskCondition> splitMask(mlir::Value mask);

/// `index < limit` or `index >= limit`, in the indices of a mask.
struct IndexComparison {
  AffineTile index;
  Polynomial limit;
  bool isUpper;
  /// Whether more than 32 bits are compared.
  bool isWide;
};

/// The comparison that `condition` is, of an index with a uniform limit;
/// nothing for other conditions.
std::optional<IndexComparison> getComparison(const MaskCondition &condition,
                                             AffineTileAnalysis &tiles);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_AFFINETILES_H
