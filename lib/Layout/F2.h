// Linear algebra over F2, the field of two elements, on vectors of up to 64
// bits. A vector is a machine word, addition is `xor`.

#ifndef TILEWRIGHT_LIB_LAYOUT_F2_H
#define TILEWRIGHT_LIB_LAYOUT_F2_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace tilewright::f2 {

using Vector = uint64_t;

/// A subspace, kept as a basis in echelon form: every basis vector has a
/// highest bit of its own, and the basis is sorted by it, highest first.
class Subspace {
public:
  Subspace() = default;
  explicit Subspace(llvm::ArrayRef<Vector> generators);

  /// Adds a generator; true if it was not contained before.
  bool insert(Vector v);
  void insert(const Subspace &other);

  /// The numerically smallest element of the coset `v + this`. It is zero
  /// exactly if the subspace contains `v`.
  Vector reduce(Vector v) const;

  bool contains(Vector v) const { return reduce(v) == 0; }
  bool contains(const Subspace &other) const;
  unsigned dimension() const { return basis.size(); }
  llvm::ArrayRef<Vector> getBasis() const & { return basis; }
  /// Not available on temporaries, which do not outlive the reference.
  llvm::ArrayRef<Vector> getBasis() const && = delete;

private:
  llvm::SmallVector<Vector, 16> basis;
};

/// The sum `a + b`.
Subspace sum(const Subspace &a, const Subspace &b);

/// The intersection of `a` and `b`.
Subspace intersection(const Subspace &a, const Subspace &b);

/// Extends the linearly independent `base` by unit vectors to a basis of the
/// space of `bits` dimensions; returns only the added vectors.
llvm::SmallVector<Vector> complementBasis(const Subspace &base, unsigned bits);

/// A subspace that is a complement of both `a` and `b` in the space of `bits`
/// dimensions. If their dimensions differ, it is a complement of the larger one
/// and of an extension of the smaller one.
///
/// It exists for any two subspaces. Let I be the intersection. Let a = I +
/// <x_i> and b = I + <y_i> with equally many x_i and y_i. Then the vectors x_i
/// + y_i and any complement of a + b span a common complement.
llvm::SmallVector<Vector> commonComplement(Subspace a, Subspace b,
                                           unsigned bits);

/// The matrix with the given columns, prepared to solve equations with it.
class Solver {
public:
  explicit Solver(llvm::ArrayRef<Vector> columns);

  /// The bit set x for which the sum of the columns at x is `rhs`. Nothing if
  /// there is none. Columns that depend on columns before them are not used.
  std::optional<Vector> solve(Vector rhs) const;

  unsigned rank() const { return pivots.size(); }
  /// All x for which the sum of the columns at x is zero.
  const Subspace &getKernel() const { return kernel; }
  /// The columns that depend on columns before them.
  Vector getDependentColumns() const { return dependent; }

private:
  struct Pivot {
    Vector value, combination;
  };
  Pivot reduce(Pivot p) const;

  llvm::SmallVector<Pivot, 16> pivots; // sorted by highest bit, highest first
  Subspace kernel;
  Vector dependent = 0;
};

} // namespace tilewright::f2

#endif // TILEWRIGHT_LIB_LAYOUT_F2_H
