#include "lib/Layout/TileLayouts.h"
#include "test/unit/Layout/Axes.h"

#include "gtest/gtest.h"

#include <map>

using namespace tilewright;
using namespace tilewright::test;
using llvm::SmallVector;

namespace {

using Element = SmallVector<int64_t>;

/// How often each element is held.
std::map<Element, int> countHolders(const LinearLayout &layout) {
  std::map<Element, int> counts;
  for (uint64_t x = 0; x < uint64_t(1) << layout.getTotalInBits(); ++x)
    ++counts[layout.getElement(layout.unflattenIn(x))];
  return counts;
}

//===----------------------------------------------------------------------===//
// Blocked layouts
//===----------------------------------------------------------------------===//

TEST(BlockedLayout, NestsRegistersLanesAndWarps) {
  LinearLayout layout =
      blockedLayout({32, 64}, {{2, 4}, {4, 8}, {4, 1}, {1, 0}});
  EXPECT_EQ(layout.toString(),
            "{register = [[0, 1], [0, 2], [1, 0], [0, 32]], "
            "lane = [[0, 4], [0, 8], [0, 16], [2, 0], [4, 0]], "
            "warp = [[8, 0], [16, 0]], block = []} -> 32x64");
}

TEST(BlockedLayout, FollowsItsFormula) {
  // One warp in a row, four in a column, transposed order, two repetitions.
  LinearLayout layout =
      blockedLayout({64, 16}, {{4, 1}, {8, 4}, {1, 4}, {0, 1}});
  for (int64_t reg = 0; reg < 8; ++reg)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t warp = 0; warp < 4; ++warp) {
        Element expected = {reg % 4 + 4 * (lane % 8) + 32 * (reg / 4),
                            lane / 8 + 4 * warp};
        EXPECT_EQ(layout.getElement({{kReg, uint64_t(reg)},
                                     {kLane, uint64_t(lane)},
                                     {kWarp, uint64_t(warp)}}),
                  expected);
      }
}

TEST(BlockedLayout, HoldsEveryElementEquallyOften) {
  for (int64_t rows : {1, 2, 16, 128})
    for (int64_t columns : {1, 4, 32, 256})
      for (const BlockedParams &params :
           {BlockedParams{{1, 4}, {2, 16}, {4, 1}, {1, 0}},
            BlockedParams{{8, 1}, {16, 2}, {1, 8}, {0, 1}},
            BlockedParams{{2, 2}, {8, 4}, {2, 2}, {1, 0}}}) {
        LinearLayout layout = blockedLayout({rows, columns}, params);
        ASSERT_TRUE(layout.isSurjective());
        EXPECT_EQ(layout.getInBits(kLane), 5u);
        int64_t copies =
            (int64_t(1) << layout.getTotalInBits()) / (rows * columns);
        auto counts = countHolders(layout);
        EXPECT_EQ(int64_t(counts.size()), rows * columns);
        for (const auto &[element, count] : counts)
          EXPECT_EQ(count, copies);
        // Registers of a thread never hold the same element twice.
        EXPECT_EQ(layout.getFreeBits(kReg), 0u);
      }
}

TEST(CoalescedLayout, FillsTheFastestDimensionFirst) {
  LinearLayout wide = coalescedLayout({8, 1024}, 4, 4, {1, 0});
  EXPECT_EQ(wide.toString(),
            "{register = [[0, 1], [0, 2], [0, 512], [1, 0], [2, 0], [4, 0]], "
            "lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], "
            "warp = [[0, 128], [0, 256]], block = []} -> 8x1024");
  LinearLayout narrow = coalescedLayout({64, 16}, 8, 2, {1, 0});
  EXPECT_EQ(narrow.toString(),
            "{register = [[0, 1], [0, 2], [0, 4], [32, 0]], "
            "lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], "
            "warp = [[16, 0]], block = []} -> 64x16");
}

TEST(CoalescedLayout, MakesCopiesOfTilesSmallerThanAWarp) {
  LinearLayout layout = coalescedLayout({16}, 4, 4, {0});
  EXPECT_EQ(layout.toString(), "{register = [[1], [2]], "
                               "lane = [[4], [8], [0], [0], [0]], "
                               "warp = [[0], [0]], block = []} -> 16");
  LinearLayout scalar = coalescedLayout({}, 4, 2, {});
  EXPECT_EQ(scalar.getTotalOutBits(), 0u);
}

//===----------------------------------------------------------------------===//
// Tensor cores: the formulas of the PTX ISA, "Matrix Fragments for mma"
//===----------------------------------------------------------------------===//

TEST(MmaLayout, AccumulatorFollowsThePtxIsa) {
  LinearLayout atom = mmaAtom(MmaOperand::Accumulator, 32);
  EXPECT_EQ(atom.getShape(), (Element{16, 8}));
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i) {
      int64_t group = lane >> 2, inGroup = lane % 4;
      Element expected = {i < 2 ? group : group + 8, inGroup * 2 + (i & 1)};
      EXPECT_EQ(atom.getElement({{kReg, uint64_t(i)}, {kLane, uint64_t(lane)}}),
                expected);
    }
}

TEST(MmaLayout, HalfOperandsFollowThePtxIsa) {
  LinearLayout a = mmaAtom(MmaOperand::A, 16), b = mmaAtom(MmaOperand::B, 16);
  EXPECT_EQ(a.getShape(), (Element{16, 16}));
  EXPECT_EQ(b.getShape(), (Element{16, 8}));
  for (uint64_t lane = 0; lane < 32; ++lane) {
    int64_t group = lane >> 2, inGroup = lane % 4;
    for (int64_t i = 0; i < 8; ++i) {
      bool upperRow = !((0 <= i && i < 2) || (4 <= i && i < 6));
      Element expected = {group + (upperRow ? 8 : 0),
                          inGroup * 2 + (i & 1) + (i < 4 ? 0 : 8)};
      EXPECT_EQ(a.getElement({{kReg, uint64_t(i)}, {kLane, lane}}), expected);
    }
    for (int64_t i = 0; i < 4; ++i) {
      Element expected = {inGroup * 2 + (i & 1) + (i < 2 ? 0 : 8), group};
      EXPECT_EQ(b.getElement({{kReg, uint64_t(i)}, {kLane, lane}}), expected);
    }
  }
}

TEST(MmaLayout, Tf32OperandsFollowThePtxIsa) {
  LinearLayout a = mmaAtom(MmaOperand::A, 32), b = mmaAtom(MmaOperand::B, 32);
  EXPECT_EQ(a.getShape(), (Element{16, 8}));
  EXPECT_EQ(b.getShape(), (Element{8, 8}));
  for (uint64_t lane = 0; lane < 32; ++lane) {
    int64_t group = lane >> 2, inGroup = lane % 4;
    for (int64_t i = 0; i < 4; ++i) {
      Element expected = {i == 0 || i == 2 ? group : group + 8,
                          i < 2 ? inGroup : inGroup + 4};
      EXPECT_EQ(a.getElement({{kReg, uint64_t(i)}, {kLane, lane}}), expected);
    }
    for (int64_t i = 0; i < 2; ++i) {
      Element expected = {i == 0 ? inGroup : inGroup + 4, group};
      EXPECT_EQ(b.getElement({{kReg, uint64_t(i)}, {kLane, lane}}), expected);
    }
  }
}

TEST(MmaLayout, ByteOperandsFollowThePtxIsa) {
  LinearLayout a = mmaAtom(MmaOperand::A, 8), b = mmaAtom(MmaOperand::B, 8);
  EXPECT_EQ(a.getShape(), (Element{16, 32}));
  EXPECT_EQ(b.getShape(), (Element{32, 8}));
  for (uint64_t lane = 0; lane < 32; ++lane) {
    int64_t group = lane >> 2, inGroup = lane % 4;
    for (int64_t i = 0; i < 16; ++i) {
      bool lowerRow = (0 <= i && i < 4) || (8 <= i && i < 12);
      Element expected = {lowerRow ? group : group + 8,
                          inGroup * 4 + (i & 3) + (i < 8 ? 0 : 16)};
      EXPECT_EQ(a.getElement({{kReg, uint64_t(i)}, {kLane, lane}}), expected);
    }
    for (int64_t i = 0; i < 8; ++i) {
      Element expected = {inGroup * 4 + (i & 3) + (i < 4 ? 0 : 16), group};
      EXPECT_EQ(b.getElement({{kReg, uint64_t(i)}, {kLane, lane}}), expected);
    }
  }
}

TEST(MmaLayout, OperandsAgreeWithTheAccumulatorOnWarps) {
  LinearLayout c = mmaLayout(MmaOperand::Accumulator, 32, {64, 64}, {2, 4});
  LinearLayout a = mmaLayout(MmaOperand::A, 16, {64, 32}, {2, 4});
  LinearLayout b = mmaLayout(MmaOperand::B, 16, {32, 64}, {2, 4});
  for (unsigned bit = 0; bit < 3; ++bit) {
    SmallVector<int64_t> basis = c.getBasis(kWarp, bit);
    EXPECT_EQ(a.getBasis(kWarp, bit), (Element{basis[0], 0}));
    EXPECT_EQ(b.getBasis(kWarp, bit), (Element{0, basis[1]}));
  }
  EXPECT_TRUE(c.isInvertible());
  EXPECT_TRUE(a.isSurjective());
  EXPECT_EQ(a.getFreeBits(kWarp), 0b011u);
  EXPECT_EQ(b.getFreeBits(kWarp), 0b100u);
  EXPECT_TRUE(a.divideByInner(mmaAtom(MmaOperand::A, 16)));
  EXPECT_TRUE(b.divideByInner(mmaAtom(MmaOperand::B, 16)));
}

TEST(MmaLayout, SmallTilesHoldCopies) {
  LinearLayout layout = mmaLayout(MmaOperand::Accumulator, 32, {16, 8}, {2, 2});
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_EQ(layout.getFreeBits(kWarp), 0b11u);
}

TEST(ThreadOperandLayout, HoldsWhatTheThreadMultiplies) {
  LinearLayout c = blockedLayout({32, 64}, {{2, 4}, {4, 8}, {2, 2}, {1, 0}});
  LinearLayout a = threadOperandLayout(MmaOperand::A, c, 16);
  LinearLayout b = threadOperandLayout(MmaOperand::B, c, 16);
  EXPECT_EQ(a.getShape(), (Element{32, 16}));
  EXPECT_EQ(b.getShape(), (Element{16, 64}));
  for (uint64_t lane = 0; lane < 32; ++lane)
    for (uint64_t warp = 0; warp < 4; ++warp) {
      std::map<Element, int> inA, inB;
      for (uint64_t r = 0; r < uint64_t(a.getInSize(kReg)); ++r)
        ++inA[a.getElement({{kReg, r}, {kLane, lane}, {kWarp, warp}})];
      for (uint64_t r = 0; r < uint64_t(b.getInSize(kReg)); ++r)
        ++inB[b.getElement({{kReg, r}, {kLane, lane}, {kWarp, warp}})];
      for (uint64_t r = 0; r < uint64_t(c.getInSize(kReg)); ++r) {
        auto e = c.getElement({{kReg, r}, {kLane, lane}, {kWarp, warp}});
        for (int64_t k = 0; k < 16; ++k) {
          EXPECT_EQ((inA[{e[0], k}]), 1);
          EXPECT_EQ((inB[{k, e[1]}]), 1);
        }
      }
    }
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TEST(SharedLayout, CountsAlongTheOrder) {
  LinearLayout layout = sharedLayout({4, 8}, {0, 1});
  for (uint64_t offset = 0; offset < 32; ++offset)
    EXPECT_EQ(layout.getElement({{LayoutAxis::Offset, offset}}),
              (Element{int64_t(offset % 4), int64_t(offset / 4)}));
}

TEST(SharedLayout, SwizzlePermutesVectorsOfARow) {
  LinearLayout layout = swizzledSharedLayout({16, 64}, {1, 0}, {8, 2, 4});
  EXPECT_TRUE(layout.isInvertible());
  LinearLayout inverse = layout.inverse();
  for (uint64_t row = 0; row < 16; ++row)
    for (uint64_t column = 0; column < 64; ++column) {
      uint64_t phase = row / 2 % 4;
      uint64_t expected = row * 64 + (((column / 8) ^ phase) * 8 + column % 8);
      EXPECT_EQ(
          inverse.apply({{dimAxis(0), row}, {dimAxis(1), column}})[0].value,
          expected);
    }
}

TEST(SharedLayout, PanelsFollowTheTmaSwizzle) {
  // The swizzle combines the 16-byte chunk number (address bits 4 to 6) by xor
  // with bits 7 to 9, as far as it reaches.
  for (int64_t bytes : {32, 64, 128}) {
    LinearLayout inverse =
        panelSharedLayout({64, 128}, {1, 0}, 16, bytes).inverse();
    uint64_t rowElements = bytes / 2;
    for (uint64_t row = 0; row < 64; ++row)
      for (uint64_t column = 0; column < 128; ++column) {
        uint64_t panel = column / rowElements;
        uint64_t address =
            (panel * 64 + row) * bytes + column % rowElements * 2;
        uint64_t chunks = bytes / 16 - 1;
        address ^= (address >> 7 & chunks) << 4;
        EXPECT_EQ(
            inverse.apply({{dimAxis(0), row}, {dimAxis(1), column}})[0].value,
            address / 2);
      }
  }
}

} // namespace
