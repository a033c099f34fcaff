// Runs shuffle plans on a model of the lanes of a warp. Tests the choice
// between shuffles and shared memory.

#include "RandomLayout.h"
#include "test/unit/Layout/Axes.h"

#include "lib/Layout/LayoutConversion.h"
#include "lib/Layout/LayoutInference.h"
#include "lib/Layout/TileLayouts.h"

#include "gtest/gtest.h"

#include <set>

using namespace tilewright;
using namespace tilewright::test;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

uint64_t apply(ArrayRef<uint64_t> columns, uint64_t x) {
  uint64_t y = 0;
  for (unsigned i = 0; i < columns.size(); ++i)
    if (x >> i & 1)
      y ^= columns[i];
  return y;
}

/// Runs the plan and checks the element of every register of every lane.
void checkShuffles(const ShufflePlan &plan) {
  unsigned registers = plan.result.getInSize(kReg);
  ASSERT_EQ(plan.rounds.size(), registers);
  for (uint64_t warp = 0; warp < uint64_t(plan.result.getInSize(kWarp)); ++warp)
    for (uint64_t lane = 0; lane < 32; ++lane) {
      std::set<uint64_t> filled;
      for (const ShufflePlan::Round &round : plan.rounds) {
        uint64_t from = apply(plan.sourceLane, lane) ^ round.laneXor;
        uint64_t given = apply(plan.sourceRegister, from) ^ round.source;
        ASSERT_LT(given, uint64_t(plan.source.getInSize(kReg)));
        uint64_t to = round.result ^ apply(plan.resultRegister, lane);
        filled.insert(to);
        EXPECT_EQ(elementAt(plan.source, given, from, warp),
                  elementAt(plan.result, to, lane, warp));
      }
      EXPECT_EQ(filled.size(), registers);
    }
  for (uint64_t step : plan.packable)
    for (const ShufflePlan::Round &round : plan.rounds)
      EXPECT_EQ(round.laneXor, plan.rounds[round.result ^ step].laneXor);
}

/// A random layout with the warps of `tile` and all other bits mixed.
LinearLayout mixWithinWarps(LayoutGenerator &random, const LinearLayout &tile) {
  unsigned bits = tile.getInBits(kReg) + tile.getInBits(kLane);
  LinearLayout mixed = random.surjective(
      {{kReg, tile.getInBits(kReg)}, {kLane, tile.getInBits(kLane)}},
      {{dimAxis(0), bits}});
  SmallVector<uint64_t> columns;
  for (uint64_t column : mixed.getColumns())
    columns.push_back(tile.applyFlat(column));
  llvm::append_range(columns, tile.getColumns(kWarp));
  return LinearLayout({{kReg, tile.getInBits(kReg)},
                       {kLane, tile.getInBits(kLane)},
                       {kWarp, tile.getInBits(kWarp)}},
                      tile.getOuts(), columns);
}

TEST(ShufflePlan, MovesAnythingWithinWarpsWithoutCopies) {
  LayoutGenerator random(1);
  for (int trial = 0; trial < 300; ++trial) {
    unsigned registerBits = random.below(5);
    LinearLayout source =
        random.surjective({{kReg, registerBits}, {kLane, 5}, {kWarp, 1}},
                          {{dimAxis(0), 3}, {dimAxis(1), registerBits + 3}});
    LinearLayout result = mixWithinWarps(random, source);
    auto plan = planShuffle(source, result);
    ASSERT_TRUE(plan) << source.toString() << "\n" << result.toString();
    checkShuffles(*plan);
  }
}

TEST(ShufflePlan, IsRightWhereverItIsFoundWithCopies) {
  LayoutGenerator random(2);
  int found = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    LinearLayout source = random.tile({2, 8}, random.below(3), 0);
    LinearLayout result = random.tile({2, 8}, random.below(3), 0);
    if (auto plan = planShuffle(source, result)) {
      ++found;
      checkShuffles(*plan);
    }
  }
  EXPECT_GT(found, 500);
}

TEST(ShufflePlan, TransposesRegistersAndLanesAlongFixedXors) {
  // Eight elements a lane, from consecutive to strided.
  LinearLayout blocked = blockedLayout({256}, {{8}, {32}, {1}, {0}});
  LinearLayout strided = blockedLayout({256}, {{1}, {32}, {1}, {0}});
  auto plan = planShuffle(strided, blocked);
  ASSERT_TRUE(plan);
  checkShuffles(*plan);
  // From the slice of an accumulator, which the lanes of a group hold in
  // copies, to one element a lane.
  LinearLayout rows =
      reducedLayout(mmaLayout(MmaOperand::Accumulator, 32, {32, 8}, {1, 1}), 1);
  plan = planShuffle(rows, blockedLayout({32}, {{1}, {32}, {1}, {0}}));
  ASSERT_TRUE(plan);
  checkShuffles(*plan);
}

TEST(ShufflePlan, SwapsOneRegisterBitWithHalfOfTheShuffles) {
  LinearLayout source = LinearLayout::identity(kReg, dimAxis(0), 1) *
                        LinearLayout::identity(kLane, dimAxis(0), 5);
  LinearLayout result = LinearLayout::identity(kLane, dimAxis(0), 1) *
                        LinearLayout::identity(kReg, dimAxis(0), 1) *
                        LinearLayout::identity(kLane, dimAxis(0), 4);
  auto plan = planShuffle(source, result);
  ASSERT_TRUE(plan);
  checkShuffles(*plan);
  EXPECT_TRUE(plan->isButterfly());
  EXPECT_EQ(plan->rounds[0].laneXor, 0u);
  EXPECT_EQ(plan->rounds[1].laneXor, 1u);
}

TEST(ShufflePlan, LeavesSharedMemoryWhatTakesManySelects) {
  // A transposed tile: each lane sends and receives other registers in each
  // round.
  auto transpose = [](int64_t registers, int64_t warps) {
    LinearLayout source = blockedLayout(
        {32 * warps, registers}, {{1, registers}, {32, 1}, {warps, 1}, {1, 0}});
    LinearLayout result = blockedLayout(
        {32 * warps, registers},
        {{registers, 1}, {32 / registers, registers}, {warps, 1}, {0, 1}});
    return chooseConversion(source, result, 4);
  };
  EXPECT_EQ(transpose(8, 1), ConversionKind::Shuffle);
  EXPECT_EQ(transpose(32, 1), ConversionKind::SharedMemory);
  // More warps wait for each other at the barriers.
  EXPECT_EQ(transpose(16, 1), ConversionKind::SharedMemory);
  EXPECT_EQ(transpose(16, 4), ConversionKind::Shuffle);
  EXPECT_EQ(transpose(32, 4), ConversionKind::SharedMemory);
}

TEST(ShufflePlan, RefusesToLeaveTheWarp) {
  LinearLayout a = blockedLayout({64}, {{1}, {32}, {2}, {0}});
  LinearLayout b = blockedLayout({64}, {{2}, {32}, {2}, {0}});
  EXPECT_FALSE(planShuffle(a, b));
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

TEST(ChooseConversion, TakesTheCheapestWay) {
  LinearLayout warps = blockedLayout({128}, {{1}, {32}, {4}, {0}});
  EXPECT_EQ(chooseConversion(warps, warps, 4), ConversionKind::None);
  LinearLayout a = blockedLayout({8, 32}, {{2, 1}, {1, 32}, {1, 1}, {1, 0}});
  LinearLayout b = blockedLayout({8, 32}, {{4, 1}, {1, 32}, {1, 1}, {1, 0}});
  LinearLayout permuted = LinearLayout::fromBases(
      {{kReg, {{4, 0}, {1, 0}, {2, 0}}},
       {kLane, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}}},
       {kWarp, {}},
       {LayoutAxis::Block, {}}},
      {8, 32});
  EXPECT_EQ(chooseConversion(a, b, 4), ConversionKind::None);
  EXPECT_EQ(chooseConversion(a, permuted, 4), ConversionKind::Registers);
  EXPECT_EQ(getScratchBytes(a, permuted, 4), 0);
  LinearLayout lanes =
      blockedLayout({8, 32}, {{1, 2}, {2, 16}, {1, 1}, {1, 0}});
  EXPECT_EQ(chooseConversion(a, lanes, 4), ConversionKind::Shuffle);
  EXPECT_EQ(getScratchBytes(a, lanes, 4), 0);
  LinearLayout apart = blockedLayout({128}, {{2}, {32}, {4}, {0}});
  EXPECT_EQ(chooseConversion(warps, apart, 4), ConversionKind::SharedMemory);
  EXPECT_EQ(getScratchBytes(warps, apart, 4), 512);
}

TEST(ChooseConversion, AccumulatorsBecomeOperandsWithoutMoving) {
  // Attention: the f16 operand A of the second dot is the accumulator of
  // the first.
  LinearLayout acc = mmaLayout(MmaOperand::Accumulator, 32, {64, 64}, {4, 1});
  LinearLayout a = mmaLayout(MmaOperand::A, 16, {64, 64}, {4, 1});
  ConversionKind kind = chooseConversion(acc, a, 2);
  EXPECT_TRUE(kind == ConversionKind::None ||
              kind == ConversionKind::Registers);
}

} // namespace
