#include "RandomLayout.h"
#include "test/unit/Layout/Axes.h"

#include "gtest/gtest.h"

#include <map>

using namespace tilewright;
using namespace tilewright::test;
using llvm::SmallVector;

namespace {

constexpr LayoutAxis kDim0 = dimAxis(0), kDim1 = dimAxis(1), kDim2 = dimAxis(2);

LinearLayout example() {
  return LinearLayout::fromBases(
      {{kReg, {{0, 1}, {0, 2}}},
       {kLane, {{0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 0}}},
       {kWarp, {{8, 0}}}},
      {16, 16});
}

TEST(LinearLayout, EvaluatesTheExampleOfItsHeader) {
  EXPECT_EQ(example().getElement({{kReg, 3}, {kLane, 5}, {kWarp, 1}}),
            (SmallVector<int64_t>{9, 7}));
}

TEST(LinearLayout, PrintsBasesAndShape) {
  EXPECT_EQ(
      LinearLayout::fromBases({{kLane, {{0, 1}, {2, 0}}}, {kReg, {}}}, {4, 2})
          .toString(),
      "{register = [], lane = [[0, 1], [2, 0]]} -> 4x2");
  EXPECT_EQ(LinearLayout::identity(kDim0, kLane, 1).toString(),
            "{dim0 = [[1]]} -> lane:2");
}

TEST(LinearLayout, DoesNotDependOnTheOrderOfAxesGiven) {
  LinearLayout a({{kReg, 1}, {kLane, 2}}, {{kDim0, 1}, {kDim1, 2}},
                 {0b001, 0b010, 0b110});
  LinearLayout b({{kLane, 2}, {kReg, 1}}, {{kDim1, 2}, {kDim0, 1}},
                 {0b001, 0b011, 0b100});
  EXPECT_EQ(a, b);
  EXPECT_EQ(hash_value(a), hash_value(b));
  EXPECT_NE(a, a.transpose({1, 0}));
}

TEST(LinearLayout, IsLinear) {
  LayoutGenerator random(1);
  for (int trial = 0; trial < 100; ++trial) {
    LinearLayout layout = random.tile({8, 16}, 3, 2);
    uint64_t x = random.word(10), y = random.word(10);
    EXPECT_EQ(layout.applyFlat(x ^ y),
              layout.applyFlat(x) ^ layout.applyFlat(y));
    EXPECT_EQ(layout.flattenOut(layout.apply(layout.unflattenIn(x))),
              layout.applyFlat(x));
  }
}

TEST(LinearLayout, InverseRoundTrips) {
  LayoutGenerator random(2);
  for (int trial = 0; trial < 100; ++trial) {
    LinearLayout layout =
        random.surjective({{kReg, 2}, {kLane, 5}}, {{kDim0, 3}, {kDim1, 4}});
    ASSERT_TRUE(layout.isInvertible());
    LinearLayout inverse = layout.inverse();
    for (uint64_t x = 0; x < 1 << 7; ++x) {
      EXPECT_EQ(inverse.applyFlat(layout.applyFlat(x)), x);
      EXPECT_EQ(layout.applyFlat(inverse.applyFlat(x)), x);
    }
    EXPECT_EQ(inverse.inverse(), layout);
  }
}

TEST(LinearLayout, PseudoInverseFindsTheCopyWithFreeBitsZero) {
  LayoutGenerator random(3);
  for (int trial = 0; trial < 100; ++trial) {
    LinearLayout layout = random.tile({8, 4}, 2, 2);
    LinearLayout inverse = layout.pseudoInverse();
    uint64_t free = layout.flattenIn(layout.getFreeBits());
    for (uint64_t x = 0; x < 1 << 5; ++x) {
      EXPECT_EQ(layout.applyFlat(inverse.applyFlat(x)), x);
      EXPECT_EQ(inverse.applyFlat(x) & free, 0u);
    }
  }
}

TEST(LinearLayout, PositionsWithoutFreeBitsHoldEveryElementOnce) {
  LayoutGenerator random(4);
  for (int trial = 0; trial < 100; ++trial) {
    LinearLayout layout = random.any({{kReg, 2}, {kLane, 5}, {kWarp, 1}},
                                     {{kDim0, 3}, {kDim1, 3}});
    uint64_t free = layout.flattenIn(layout.getFreeBits());
    std::map<uint64_t, int> all, representatives;
    for (uint64_t x = 0; x < 1 << 8; ++x) {
      ++all[layout.applyFlat(x)];
      if (!(x & free))
        ++representatives[layout.applyFlat(x)];
    }
    EXPECT_EQ(all.size(), representatives.size());
    for (auto [element, count] : representatives)
      EXPECT_EQ(count, 1);
  }
}

TEST(LinearLayout, CompositionIsAssociativeAndPointwise) {
  LayoutGenerator random(5);
  for (int trial = 0; trial < 100; ++trial) {
    LinearLayout f =
        random.any({{kReg, 3}, {kLane, 5}}, {{kDim0, 4}, {kDim1, 2}});
    LinearLayout g =
        random.any({{kDim0, 4}, {kDim1, 3}}, {{LayoutAxis::Offset, 7}});
    LinearLayout h = random.any({{LayoutAxis::Offset, 7}}, {{kDim2, 6}});
    EXPECT_EQ(f.then(g).then(h), f.then(g.then(h)));
    auto x = f.unflattenIn(random.word(8));
    EXPECT_EQ(f.then(g).apply(x)[0].value, g.apply(f.apply(x))[0].value);
  }
}

TEST(LinearLayout, InvertAndComposeFindsTheSameElement) {
  LayoutGenerator random(6);
  for (int trial = 0; trial < 100; ++trial) {
    LinearLayout to = random.tile({16, 8}, random.below(4), 2);
    LinearLayout from = random.tile({16, 8}, random.below(4), 2);
    LinearLayout map = to.invertAndCompose(from);
    EXPECT_EQ(map.then(from), to);
  }
}

TEST(LinearLayout, InvertAndComposePrefersTheNearestPosition) {
  LayoutGenerator random(7);
  for (int trial = 0; trial < 100; ++trial) {
    // A thread finds its own elements in its own registers, despite copies.
    LinearLayout layout = random.tile({8, 4}, 2, 3);
    LinearLayout map = layout.invertAndCompose(layout);
    for (uint64_t x = 0; x < 1 << 10; ++x)
      EXPECT_EQ(map.applyFlat(x), x);
  }
  // All warps hold copies, and the result is distributed over warps.
  LinearLayout copies = LinearLayout::identity(kLane, kDim0, 5) *
                        LinearLayout::zeros(kWarp, kDim0, 2);
  LinearLayout spread = LinearLayout::identity(kLane, kDim0, 3) *
                        LinearLayout::zeros(kLane, kDim0, 2) *
                        LinearLayout::identity(kWarp, kDim0, 2);
  LinearLayout map = spread.invertAndCompose(copies);
  for (unsigned warp = 0; warp < 4; ++warp)
    EXPECT_EQ(map.apply({{kWarp, warp}})[1].value, warp);
}

TEST(LinearLayout, MultiplicationPutsTheOuterTileAboveTheInner) {
  LayoutGenerator random(8);
  for (int trial = 0; trial < 100; ++trial) {
    LinearLayout inner =
        random.any({{kReg, 2}, {kLane, 3}}, {{kDim0, 2}, {kDim1, 3}});
    LinearLayout outer =
        random.any({{kReg, 1}, {kWarp, 2}}, {{kDim0, 1}, {kDim2, 2}});
    LinearLayout nested = inner * outer;
    EXPECT_EQ(nested.divideByInner(inner),
              outer * random.any({{kLane, 0}}, {{kDim1, 0}}));
    EXPECT_EQ(nested.divideByOuter(outer),
              inner * random.any({{kWarp, 0}}, {{kDim2, 0}}));
    uint64_t reg = random.word(3), lane = random.word(3), warp = random.word(2);
    auto in = inner.apply({{kReg, reg & 3}, {kLane, lane}});
    auto out = outer.apply({{kReg, reg >> 2}, {kWarp, warp}});
    auto both = nested.apply({{kReg, reg}, {kLane, lane}, {kWarp, warp}});
    EXPECT_EQ(nested.flattenOut(both),
              nested.flattenOut({{kDim2, out[0].value},
                                 {kDim1, in[0].value},
                                 {kDim0, in[1].value | out[1].value << 2}}));
  }
}

TEST(LinearLayout, MultiplicationIsAssociativeWithTheEmptyLayoutAsUnit) {
  LayoutGenerator random(9);
  for (int trial = 0; trial < 50; ++trial) {
    LinearLayout a = random.any({{kReg, 2}}, {{kDim0, 2}});
    LinearLayout b =
        random.any({{kReg, 1}, {kLane, 2}}, {{kDim0, 3}, {kDim1, 1}});
    LinearLayout c = random.any({{kLane, 2}}, {{kDim1, 2}});
    EXPECT_EQ((a * b) * c, a * (b * c));
    EXPECT_EQ(LinearLayout() * a, a);
    EXPECT_EQ(a * LinearLayout(), a);
  }
}

TEST(LinearLayout, DoesNotDivideByWhatItDoesNotContain) {
  EXPECT_EQ(example().divideByInner(LinearLayout::strided(kReg, kDim1, 1, 1)),
            std::nullopt);
  EXPECT_EQ(example().divideByInner(LinearLayout::identity(kWarp, kDim1, 2)),
            std::nullopt);
  EXPECT_TRUE(example().divideByInner(LinearLayout::identity(kReg, kDim1, 2)));
}

TEST(LinearLayout, SublayoutRestrictsAndProjects) {
  LinearLayout part = example().sublayout({kLane, kWarp}, {kDim0});
  EXPECT_EQ(part.toString(),
            "{lane = [[0], [0], [1], [2], [4]], warp = [[8]]} -> 16");
}

TEST(LinearLayout, DropsRegistersThatHoldCopies) {
  LinearLayout sliced = example().sliceDim(1);
  EXPECT_EQ(sliced.getInBits(kReg), 2u);
  LinearLayout dropped = sliced.dropRedundantBits(kReg);
  EXPECT_EQ(
      dropped.toString(),
      "{register = [], lane = [[0], [0], [1], [2], [4]], warp = [[8]]} -> 16");
  EXPECT_EQ(dropped.getFreeBits(kLane), 0b00011u);
  EXPECT_EQ(dropped.getFreeBits(kWarp), 0u);
}

TEST(LinearLayout, CountsConsecutiveElements) {
  EXPECT_EQ(example().getNumConsecutive(kReg, kDim1), 4);
  EXPECT_EQ(example().getNumConsecutive(kReg, kDim0), 1);
  LinearLayout shuffled =
      LinearLayout::fromBases({{kReg, {{0, 2}, {0, 1}}}}, {1, 4});
  EXPECT_EQ(shuffled.getNumConsecutive(kReg, kDim1), 1);
}

TEST(LinearLayout, ReshapeKeepsRowMajorOrder) {
  LayoutGenerator random(10);
  for (int trial = 0; trial < 50; ++trial) {
    LinearLayout layout = random.tile({8, 16}, 3, 1);
    LinearLayout reshaped = layout.reshape({2, 32, 1, 2});
    for (uint64_t x = 0; x < 1 << 9; ++x) {
      auto a = layout.getElement(layout.unflattenIn(x));
      auto b = reshaped.getElement(layout.unflattenIn(x));
      EXPECT_EQ(a[0] * 16 + a[1], ((b[0] * 32 + b[1]) + b[2]) * 2 + b[3]);
    }
    EXPECT_EQ(reshaped.reshape({8, 16}), layout);
  }
}

TEST(LinearLayout, TransposeMovesDimensions) {
  LayoutGenerator random(11);
  LinearLayout layout = random.tile({2, 8, 4}, 2, 1);
  LinearLayout moved = layout.transpose({2, 0, 1});
  EXPECT_EQ(moved.getShape(), (SmallVector<int64_t>{4, 2, 8}));
  for (uint64_t x = 0; x < 1 << 8; ++x) {
    auto a = layout.getElement(layout.unflattenIn(x));
    auto b = moved.getElement(layout.unflattenIn(x));
    EXPECT_EQ(b, (SmallVector<int64_t>{a[2], a[0], a[1]}));
  }
  EXPECT_EQ(moved.transpose({1, 2, 0}), layout);
}

TEST(LinearLayout, ExpandSliceAndBroadcastAreConsistent) {
  LayoutGenerator random(12);
  for (unsigned dim = 0; dim < 3; ++dim) {
    LinearLayout layout = random.tile({8, 4}, 2, 1);
    LinearLayout expanded = layout.expandDim(dim);
    EXPECT_EQ(expanded.getOutSize(dimAxis(dim)), 1);
    EXPECT_EQ(expanded.sliceDim(dim), layout);
    LinearLayout stretched = expanded.broadcastDim(dim, 8);
    EXPECT_EQ(stretched.getOutSize(dimAxis(dim)), 8);
    EXPECT_TRUE(stretched.isSurjective());
    EXPECT_EQ(stretched.sliceDim(dim).selectBits(kReg, 3), layout);
  }
}

} // namespace
