#include "RandomLayout.h"
#include "test/unit/Layout/Axes.h"

#include "lib/Layout/LayoutInference.h"

#include "gtest/gtest.h"

using namespace tilewright;
using namespace tilewright::test;

namespace {

/// Checks that register r of every thread of `result` holds the element of
/// register map(r) of the same thread of `source`.
void expectSameElements(const LinearLayout &source, const LinearLayout &result,
                        const LinearLayout &map) {
  uint64_t threads = uint64_t(1)
                     << (result.getTotalInBits() - result.getInBits(kReg));
  for (uint64_t t = 0; t < threads; ++t)
    for (uint64_t r = 0; r < uint64_t(result.getInSize(kReg)); ++r)
      EXPECT_EQ(
          result.applyFlat(t << result.getInBits(kReg) | r),
          source.applyFlat(t << source.getInBits(kReg) | map.applyFlat(r)));
}

TEST(RegisterMap, FindsPermutedAndRepeatedRegisters) {
  LayoutGenerator random(1);
  for (int trial = 0; trial < 100; ++trial) {
    LinearLayout source = random.tile({16, 16}, 3, 1);
    LinearLayout wanted =
        random.any({{kReg, random.below(5)}}, {{kReg, 3}}); // register map
    llvm::SmallVector<uint64_t> columns;
    for (uint64_t column : wanted.getColumns())
      columns.push_back(source.applyFlat(column));
    for (LayoutAxis axis : {LayoutAxis::Lane, LayoutAxis::Warp})
      llvm::append_range(columns, source.getColumns(axis));
    LinearLayout result({{kReg, wanted.getTotalInBits()},
                         {LayoutAxis::Lane, 5},
                         {LayoutAxis::Warp, 1}},
                        source.getOuts(), columns);
    auto map = registerMap(source, result);
    ASSERT_TRUE(map);
    expectSameElements(source, result, *map);
  }
}

TEST(RegisterMap, RefusesElementsOfOtherThreads) {
  LayoutGenerator random(2);
  LinearLayout source =
      random.surjective({{kReg, 2}, {LayoutAxis::Lane, 5}}, {{dimAxis(0), 7}});
  LinearLayout result =
      source.sublayout({LayoutAxis::Lane}, {dimAxis(0)}) * LinearLayout();
  EXPECT_TRUE(registerMap(source, result));
  LinearLayout other =
      random.surjective({{kReg, 2}, {LayoutAxis::Lane, 5}}, {{dimAxis(0), 7}});
  EXPECT_FALSE(registerMap(source, other));
}

TEST(BroadcastRegisters, FollowsTheReducedLayout) {
  LayoutGenerator random(3);
  for (int trial = 0; trial < 100; ++trial) {
    LinearLayout result = random.tile({8, 16}, 3, 2);
    unsigned axis = random.below(2);
    LinearLayout source = reducedLayout(result, axis).expandDim(axis);
    auto map = broadcastRegisters(source, result);
    ASSERT_TRUE(map);
    expectSameElements(source, result.sliceDim(axis).expandDim(axis), *map);
    // Copies cost no registers.
    EXPECT_EQ(source.getFreeBits(kReg), 0u);
  }
}

TEST(ReshapeRegisters, FollowsRowMajorOrder) {
  LayoutGenerator random(4);
  LinearLayout source = random.tile({8, 16}, 3, 1);
  auto map = reshapeRegisters(source, source.reshape({4, 4, 8}));
  ASSERT_TRUE(map);
  EXPECT_EQ(*map, LinearLayout::identity(kReg, kReg, 3));
  EXPECT_FALSE(reshapeRegisters(source, source.transpose({1, 0})));
  EXPECT_FALSE(reshapeRegisters(source, random.tile({8, 8}, 3, 1)));
}

} // namespace
