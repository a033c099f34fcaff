#include "lib/Layout/F2.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace tilewright::f2;
using llvm::ArrayRef;
using llvm::SmallVector;

static Vector highestBit(Vector v) { return llvm::bit_floor(v); }

//===----------------------------------------------------------------------===//
// Subspace
//===----------------------------------------------------------------------===//

Subspace::Subspace(ArrayRef<Vector> generators) {
  for (Vector v : generators)
    insert(v);
}

Vector Subspace::reduce(Vector v) const {
  for (Vector b : basis)
    if (v & highestBit(b))
      v ^= b;
  return v;
}

bool Subspace::insert(Vector v) {
  v = reduce(v);
  if (!v)
    return false;
  basis.insert(llvm::find_if(basis, [v](Vector b) { return b < v; }), v);
  return true;
}

void Subspace::insert(const Subspace &other) {
  for (Vector v : other.basis)
    insert(v);
}

bool Subspace::contains(const Subspace &other) const {
  return llvm::all_of(other.basis, [this](Vector v) { return contains(v); });
}

Subspace tilewright::f2::sum(const Subspace &a, const Subspace &b) {
  Subspace result = a;
  result.insert(b);
  return result;
}

Subspace tilewright::f2::intersection(const Subspace &a, const Subspace &b) {
  // A relation between the generators of a and b equates a sum of generators of
  // a with one of b. That sum is in the intersection.
  SmallVector<Vector> columns(a.getBasis());
  columns.append(b.getBasis().begin(), b.getBasis().end());
  Subspace result;
  Solver solver(columns);
  for (Vector relation : solver.getKernel().getBasis()) {
    Vector v = 0;
    for (auto [i, generator] : llvm::enumerate(a.getBasis()))
      if (relation >> i & 1)
        v ^= generator;
    result.insert(v);
  }
  return result;
}

SmallVector<Vector> tilewright::f2::complementBasis(const Subspace &base,
                                                    unsigned bits) {
  Subspace all = base;
  SmallVector<Vector> added;
  for (unsigned i = 0; i < bits; ++i)
    if (all.insert(Vector(1) << i))
      added.push_back(Vector(1) << i);
  return added;
}

/// Vectors of `space` that extend `base`, a subspace of it, to all of it.
static SmallVector<Vector> extensionWithin(Subspace base,
                                           const Subspace &space) {
  SmallVector<Vector> added;
  for (Vector v : space.getBasis())
    if (base.insert(v))
      added.push_back(v);
  return added;
}

SmallVector<Vector> tilewright::f2::commonComplement(Subspace a, Subspace b,
                                                     unsigned bits) {
  if (a.dimension() < b.dimension())
    std::swap(a, b);
  // Extend the smaller subspace, by vectors of the larger one if possible.
  for (Vector v : a.getBasis())
    if (b.dimension() < a.dimension())
      b.insert(v);
  Subspace common = intersection(a, b);
  SmallVector<Vector> xs = extensionWithin(common, a);
  SmallVector<Vector> ys = extensionWithin(common, b);
  assert(xs.size() == ys.size() && "dimensions were made equal");
  SmallVector<Vector> result;
  for (auto [x, y] : llvm::zip_equal(xs, ys))
    result.push_back(x ^ y);
  llvm::append_range(result, complementBasis(sum(a, b), bits));
  return result;
}

//===----------------------------------------------------------------------===//
// Solver
//===----------------------------------------------------------------------===//

Solver::Solver(ArrayRef<Vector> columns) {
  assert(columns.size() <= 64 && "a combination is one word");
  for (auto [i, column] : llvm::enumerate(columns)) {
    Pivot p = reduce({column, Vector(1) << i});
    if (!p.value) {
      kernel.insert(p.combination);
      dependent |= Vector(1) << i;
      continue;
    }
    auto *position = llvm::find_if(
        pivots, [&p](const Pivot &q) { return q.value < p.value; });
    pivots.insert(position, p);
  }
}

Solver::Pivot Solver::reduce(Pivot p) const {
  for (const Pivot &q : pivots)
    if (p.value & highestBit(q.value)) {
      p.value ^= q.value;
      p.combination ^= q.combination;
    }
  return p;
}

std::optional<Vector> Solver::solve(Vector rhs) const {
  Pivot p = reduce({rhs, 0});
  if (p.value)
    return std::nullopt;
  return p.combination;
}
