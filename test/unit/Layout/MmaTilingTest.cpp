#include "lib/Layout/MmaTiling.h"
#include "test/unit/Layout/Axes.h"

#include "lib/Layout/TileLayouts.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace tilewright;
using namespace tilewright::test;
using llvm::SmallVector;

namespace {

/// The coordinates of element 0 of an atom of a warp.
SmallVector<int64_t> origin(const LinearLayout &tile, unsigned atomRegisters,
                            unsigned atom, unsigned warp) {
  return tile.getElement(
      {{kReg, uint64_t(atom) * atomRegisters}, {kWarp, warp}});
}

TEST(PlanMma, MultipliesEachPairOfAtomsOnce) {
  for (unsigned bits : {8, 16, 32})
    for (SmallVector<int64_t> warps :
         {SmallVector<int64_t>{1, 1}, {2, 2}, {4, 1}, {1, 8}}) {
      const int64_t m = 64, n = 32, k = 64;
      LinearLayout a = mmaLayout(MmaOperand::A, bits, {m, k}, warps);
      LinearLayout b = mmaLayout(MmaOperand::B, bits, {k, n}, warps);
      LinearLayout c = mmaLayout(MmaOperand::Accumulator, 32, {m, n}, warps);
      auto steps = planMma(a, b, c, bits);
      ASSERT_TRUE(steps);
      unsigned registersA = 4 * 32 / bits, registersB = 2 * 32 / bits;
      int64_t atomK = 256 / bits;
      for (unsigned warp = 0; warp < warps[0] * warps[1]; ++warp) {
        std::set<std::tuple<int64_t, int64_t, int64_t>> done;
        for (const MmaStep &step : *steps) {
          auto inA = origin(a, registersA, step.a, warp);
          auto inB = origin(b, registersB, step.b, warp);
          auto inC = origin(c, 4, step.acc, warp);
          EXPECT_EQ(inA[0], inC[0]);
          EXPECT_EQ(inB[1], inC[1]);
          EXPECT_EQ(inA[1], inB[0]);
          EXPECT_TRUE(done.insert({inC[0], inC[1], inA[1]}).second);
        }
        int64_t atoms = c.getInSize(kReg) / 4;
        EXPECT_EQ(int64_t(done.size()), atoms * (k / atomK));
      }
    }
}

TEST(PlanMma, MultipliesEachPairOfAtomsOfEachDotOfABatchOnce) {
  for (SmallVector<int64_t> warps :
       {SmallVector<int64_t>{1, 2, 2}, {4, 1, 1}, {2, 1, 4}}) {
    const int64_t batch = 4, m = 32, n = 32, k = 32;
    LinearLayout a = mmaLayout(MmaOperand::A, 16, {batch, m, k}, warps);
    LinearLayout b = mmaLayout(MmaOperand::B, 16, {batch, k, n}, warps);
    LinearLayout c =
        mmaLayout(MmaOperand::Accumulator, 32, {batch, m, n}, warps);
    auto steps = planMma(a, b, c, 16);
    ASSERT_TRUE(steps);
    std::set<SmallVector<int64_t>> done;
    for (unsigned warp = 0; warp < warps[0] * warps[1] * warps[2]; ++warp)
      for (const MmaStep &step : *steps) {
        auto inA = origin(a, 8, step.a, warp), inB = origin(b, 4, step.b, warp);
        auto inC = origin(c, 4, step.acc, warp);
        EXPECT_EQ(inA[0], inC[0]);
        EXPECT_EQ(inB[0], inC[0]);
        EXPECT_EQ(inA[1], inC[1]);
        EXPECT_EQ(inB[2], inC[2]);
        EXPECT_EQ(inA[2], inB[1]);
        done.insert({inC[0], inC[1], inC[2], inA[2]});
      }
    EXPECT_EQ(int64_t(done.size()), batch * (m / 16) * (n / 8) * (k / 16));
  }
}

TEST(PlanMma, RefusesOperandsOfOtherWidthsAndTilesSmallerThanAnAtom) {
  LinearLayout a = mmaLayout(MmaOperand::A, 16, {32, 32}, {2, 1});
  LinearLayout b = mmaLayout(MmaOperand::B, 16, {32, 32}, {2, 1});
  LinearLayout c = mmaLayout(MmaOperand::Accumulator, 32, {32, 32}, {2, 1});
  EXPECT_TRUE(planMma(a, b, c, 16));
  EXPECT_FALSE(planMma(a, b, c, 8));
  EXPECT_FALSE(planMma(a, c, b, 16));
  LinearLayout small = mmaLayout(MmaOperand::A, 16, {32, 8}, {2, 1});
  EXPECT_FALSE(planMma(small, b, c, 16));
}

TEST(PlanMma, RefusesWarpsThatLackTheirPart) {
  LinearLayout a = mmaLayout(MmaOperand::A, 16, {32, 32}, {2, 1});
  LinearLayout b = mmaLayout(MmaOperand::B, 16, {32, 32}, {1, 2});
  LinearLayout c = mmaLayout(MmaOperand::Accumulator, 32, {32, 32}, {2, 1});
  EXPECT_FALSE(planMma(a, b, c, 16));
}

} // namespace
