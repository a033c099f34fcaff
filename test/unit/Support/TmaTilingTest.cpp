#include "lib/Support/TmaTiling.h"

#include "lib/Support/TileLayouts.h"

#include <gtest/gtest.h>

using namespace tilewright;

namespace {

/// Every element of every box stands where the layout says it does, the chunks
/// of a swizzled row permuted as the hardware does it.
void expectCopiesFill(const LinearLayout &layout, unsigned elementBits) {
  auto plan = planTma(layout, elementBits);
  ASSERT_TRUE(plan);
  int64_t bytes = elementBits / 8, copied = 0;
  for (const TmaBox &box : plan->boxes) {
    int64_t columns = plan->box.back();
    for (int64_t row = 0; row < plan->box[0]; ++row)
      for (int64_t column = 0; column < columns; ++column, ++copied) {
        uint64_t offset = box.offsetBytes + (row * columns + column) * bytes;
        uint64_t chunks = plan->swizzleBytes ? plan->swizzleBytes - 16 : 0;
        offset ^= (offset >> 3) & chunks;
        auto element =
            layout.getElement({{LayoutAxis::Offset, offset / uint64_t(bytes)}});
        EXPECT_EQ(element[0], box.start[0] + row);
        EXPECT_EQ(element[1], box.start[1] + column);
      }
  }
  EXPECT_EQ(copied,
            layout.getOutSize(dimAxis(0)) * layout.getOutSize(dimAxis(1)));
}

TEST(TmaTilingTest, PanelsAreCopiedBoxByBox) {
  for (int64_t rows : {8, 64, 512})
    for (int64_t columns : {16, 32, 64, 256}) {
      auto layout = tmaLayout({rows, columns}, 16);
      ASSERT_TRUE(layout);
      expectCopiesFill(*layout, 16);
    }
}

TEST(TmaTilingTest, NarrowerSwizzlesThanTheRow) {
  for (unsigned bytes : {32, 64}) {
    LinearLayout layout = panelSharedLayout({16, 128}, {1, 0}, 16, bytes);
    auto plan = planTma(layout, 16);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan->swizzleBytes, bytes);
    expectCopiesFill(layout, 16);
  }
}

TEST(TmaTilingTest, SidesAreAtMost256) {
  auto plan = planTma(*tmaLayout({1024, 64}, 16), 16);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->box[0], 256);
  EXPECT_EQ(plan->boxes.size(), 4u);
  EXPECT_EQ(plan->boxes[1].offsetBytes, 256 * 128);
}

TEST(TmaTilingTest, OtherRanksAreRowMajor) {
  auto line = planTma(*tmaLayout({1024}, 32), 32);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->swizzleBytes, 0u);
  EXPECT_EQ(line->boxes.size(), 4u);
  auto cube = planTma(*tmaLayout({4, 8, 16}, 8), 8);
  ASSERT_TRUE(cube);
  EXPECT_EQ(cube->boxes.size(), 1u);
}

TEST(TmaTilingTest, WhatCanNotBeCopied) {
  EXPECT_FALSE(tmaLayout({8, 4}, 16)) << "rows of 8 bytes";
  EXPECT_FALSE(planTma(sharedLayout({16, 16}, {0, 1}), 16)) << "columns";
  EXPECT_FALSE(tmaLayout({4, 4, 512}, 16)) << "a row of two boxes";
}

} // namespace
