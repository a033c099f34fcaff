#include "lib/Layout/TmaTiling.h"

#include "lib/Layout/TileLayouts.h"

#include <gtest/gtest.h>

using namespace tilewright;

namespace {

/// Checks that the layout has every element of every box at its address. The
/// chunks of a swizzled row are permuted as in hardware.
void expectCopiesFill(const LinearLayout &layout, unsigned elementBits,
                      unsigned numParts = 1) {
  auto plan = planTma(layout, elementBits, numParts);
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

TEST(TmaTilingTest, ExtentsAreAtMost256) {
  auto plan = planTma(*tmaLayout({1024, 64}, 16), 16);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->box[0], 256);
  EXPECT_EQ(plan->boxes.size(), 4u);
  EXPECT_EQ(plan->boxes[1].offsetBytes, 256 * 128);
}

/// Checks that part p is part 0 shifted p times as far as part 1.
void expectParts(const TmaPlan &plan, unsigned numParts) {
  ASSERT_EQ(plan.boxes.size() % numParts, 0u);
  size_t each = plan.boxes.size() / numParts;
  for (size_t i = 0; i < plan.boxes.size(); ++i) {
    const TmaBox &box = plan.boxes[i], &first = plan.boxes[i % each];
    int64_t part = i / each;
    EXPECT_EQ(box.offsetBytes - first.offsetBytes,
              part *
                  (plan.boxes[each].offsetBytes - plan.boxes[0].offsetBytes));
    for (size_t d = 0; d < box.start.size(); ++d)
      EXPECT_EQ(box.start[d] - first.start[d],
                part * (plan.boxes[each].start[d] - plan.boxes[0].start[d]));
  }
}

TEST(TmaTilingTest, PartsFillTheTileToo) {
  for (unsigned parts : {2, 4, 8})
    for (int64_t rows : {64, 128, 256, 512})
      for (int64_t columns : {16, 32, 64, 128, 256}) {
        auto layout = tmaLayout({rows, columns}, 16);
        auto plan = planTma(*layout, 16, parts);
        ASSERT_TRUE(plan) << rows << " x " << columns << " in " << parts;
        expectParts(*plan, parts);
        expectCopiesFill(*layout, 16, parts);
      }
}

TEST(TmaTilingTest, WholePanelsArePartsWhereThereAreEnough) {
  auto plan = planTma(*tmaLayout({64, 256}, 16), 16, 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->box[0], 64);
  EXPECT_EQ(plan->boxes.size(), 4u);
  auto cut = planTma(*tmaLayout({256, 64}, 16), 16, 2);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->box[0], 128);
  EXPECT_EQ(cut->boxes.size(), 2u);
}

TEST(TmaTilingTest, RefusesUndividableTiles) {
  EXPECT_FALSE(planTma(*tmaLayout({8, 64}, 16), 16, 2))
      << "a swizzle has a period of 8 rows";
  EXPECT_FALSE(planTma(*tmaLayout({32}, 32), 32, 2)) << "64 bytes a part";
  EXPECT_FALSE(planTma(*tmaLayout({1, 64}, 16), 16, 2)) << "one row";
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

TEST(TmaTilingTest, RefusesLayoutsOfOtherTiles) {
  EXPECT_FALSE(tmaLayout({8, 4}, 16)) << "rows of 8 bytes";
  EXPECT_FALSE(planTma(sharedLayout({16, 16}, {0, 1}), 16)) << "columns";
  EXPECT_FALSE(tmaLayout({4, 4, 512}, 16)) << "a row of two boxes";
}

} // namespace
