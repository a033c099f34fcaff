#include "lib/Layout/MatrixAccess.h"
#include "test/unit/Layout/Axes.h"

#include "lib/Layout/TileLayouts.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace tilewright;
using namespace tilewright::test;
using llvm::SmallVector;

namespace {

/// Compares the effect of the instructions, element by element, with the map.
void check(const LinearLayout &offsets, const MatrixAccess &access,
           unsigned elementBytes) {
  unsigned perWord = 4 / elementBytes;
  std::set<unsigned> written;
  auto offsetOf = [](const LinearLayout &map, uint64_t reg, uint64_t lane,
                     uint64_t warp) {
    return map.applyFlat(
        map.flattenIn({{kReg, reg}, {kLane, lane}, {kWarp, warp}}));
  };
  for (unsigned i = 0; i < access.getNumInstructions(); ++i)
    for (unsigned m = 0; m < access.getNumMatrices(); ++m)
      for (unsigned e = 0; e < perWord; ++e) {
        unsigned reg = access.getRegister(i, m, e);
        written.insert(reg);
        for (unsigned warp = 0; warp < offsets.getInSize(kWarp); ++warp)
          for (unsigned lane = 0; lane < 32; ++lane) {
            unsigned row = access.transposed ? 2 * (lane % 4) + e : lane / 4;
            unsigned column =
                access.transposed ? lane / 4 : perWord * (lane % 4) + e;
            EXPECT_EQ(offsetOf(offsets, reg, lane, warp),
                      offsetOf(access.rows, i, 8 * m + row, warp) + column);
          }
      }
  EXPECT_EQ(written.size(), size_t(offsets.getInSize(kReg)));
}

TEST(MatrixAccess, OperandsOfTensorCores) {
  for (unsigned bytes : {1, 2, 4})
    for (MmaOperand operand : {MmaOperand::A, MmaOperand::B})
      for (SmallVector<int32_t> order : {SmallVector<int32_t>{0, 1}, {1, 0}}) {
        const int64_t m = 64, k = 64;
        LinearLayout tile = mmaLayout(operand, 8 * bytes, {m, k}, {2, 2});
        LinearLayout memory = panelSharedLayout({m, k}, order, 8 * bytes, 64);
        LinearLayout offsets = tile.then(memory.inverse());
        auto access = planMatrixAccess(offsets, bytes);
        // Words of operands are contiguous along the contracted dimension.
        bool isStraight = order[0] == (operand == MmaOperand::A ? 1 : 0);
        ASSERT_EQ(access.has_value(), isStraight || bytes == 2);
        if (!access)
          continue;
        EXPECT_EQ(access->transposed, !isStraight);
        EXPECT_EQ(access->getNumMatrices(), 4u);
        check(offsets, *access, bytes);
      }
}

TEST(MatrixAccess, FewerMatricesThanFour) {
  LinearLayout tile = mmaLayout(MmaOperand::B, 16, {16, 8}, {1, 1});
  LinearLayout memory = sharedLayout({16, 8}, {0, 1});
  LinearLayout offsets = tile.then(memory.inverse());
  auto access = planMatrixAccess(offsets, 2);
  ASSERT_TRUE(access);
  EXPECT_EQ(access->getNumMatrices(), 2u);
  check(offsets, *access, 2);
}

TEST(MatrixAccess, RefusesSplitRows) {
  // Rows of four elements.
  LinearLayout tile = mmaLayout(MmaOperand::A, 16, {16, 16}, {1, 1});
  LinearLayout memory = swizzledSharedLayout({16, 16}, {1, 0}, {4, 1, 2});
  EXPECT_FALSE(planMatrixAccess(tile.then(memory.inverse()), 2));
  // A lane holds whole rows.
  LinearLayout rows = coalescedLayout({32, 16}, 8, 1, {1, 0});
  EXPECT_FALSE(
      planMatrixAccess(rows.then(sharedLayout({32, 16}, {1, 0}).inverse()), 2));
}

} // namespace
