#include "lib/Layout/F2.h"

#include "gtest/gtest.h"

#include <random>
#include <set>

using namespace tilewright::f2;

namespace {

constexpr unsigned kBits = 7;

llvm::SmallVector<Vector> randomVectors(std::mt19937_64 &engine,
                                        unsigned count) {
  llvm::SmallVector<Vector> vectors;
  for (unsigned i = 0; i < count; ++i)
    vectors.push_back(engine() % (1 << kBits));
  return vectors;
}

/// All elements of the span, by enumeration.
std::set<Vector> span(llvm::ArrayRef<Vector> generators) {
  std::set<Vector> all = {0};
  for (Vector g : generators) {
    std::set<Vector> more = all;
    for (Vector v : all)
      more.insert(v ^ g);
    all = more;
  }
  return all;
}

TEST(F2, SubspaceHoldsItsSpan) {
  std::mt19937_64 engine(1);
  for (int trial = 0; trial < 200; ++trial) {
    auto generators = randomVectors(engine, engine() % 8);
    Subspace subspace(generators);
    std::set<Vector> all = span(generators);
    EXPECT_EQ(all.size(), size_t(1) << subspace.dimension());
    for (Vector v = 0; v < 1 << kBits; ++v) {
      EXPECT_EQ(subspace.contains(v), all.count(v) == 1);
      Vector smallest = v;
      for (Vector w : all)
        smallest = std::min(smallest, v ^ w);
      EXPECT_EQ(subspace.reduce(v), smallest);
    }
  }
}

TEST(F2, IntersectionHoldsTheCommonElements) {
  std::mt19937_64 engine(2);
  for (int trial = 0; trial < 200; ++trial) {
    auto a = randomVectors(engine, engine() % 7);
    auto b = randomVectors(engine, engine() % 7);
    std::set<Vector> inA = span(a), inB = span(b), both;
    for (Vector v : inA)
      if (inB.count(v))
        both.insert(v);
    Subspace common = intersection(Subspace(a), Subspace(b));
    EXPECT_EQ(span(common.getBasis()), both);
  }
}

TEST(F2, CommonComplementMeetsNeither) {
  std::mt19937_64 engine(3);
  for (int trial = 0; trial < 200; ++trial) {
    Subspace a(randomVectors(engine, engine() % 7));
    Subspace b(randomVectors(engine, engine() % 7));
    Subspace complement(commonComplement(a, b, kBits));
    EXPECT_EQ(complement.dimension(),
              kBits - std::max(a.dimension(), b.dimension()));
    EXPECT_EQ(intersection(complement, a).dimension(), 0u);
    EXPECT_EQ(intersection(complement, b).dimension(), 0u);
  }
}

TEST(F2, SolverFindsAllSolutions) {
  std::mt19937_64 engine(4);
  for (int trial = 0; trial < 200; ++trial) {
    auto columns = randomVectors(engine, engine() % 9);
    Solver solver(columns);
    auto combine = [&](Vector x) {
      Vector v = 0;
      for (unsigned i = 0; i < columns.size(); ++i)
        if (x >> i & 1)
          v ^= columns[i];
      return v;
    };
    std::set<Vector> reachable = span(columns);
    for (Vector rhs = 0; rhs < 1 << kBits; ++rhs) {
      auto x = solver.solve(rhs);
      ASSERT_EQ(x.has_value(), reachable.count(rhs) == 1);
      if (!x)
        continue;
      EXPECT_EQ(combine(*x), rhs);
      EXPECT_EQ(*x & solver.getDependentColumns(), 0u);
    }
    EXPECT_EQ(solver.rank() + solver.getKernel().dimension(), columns.size());
    for (Vector x : solver.getKernel().getBasis())
      EXPECT_EQ(combine(x), 0u);
  }
}

} // namespace
