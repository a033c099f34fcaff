#include "tilewright-c/occupancy.h"

#include <gtest/gtest.h>

namespace {

TEST(OccupancyCapi, CountsCtas) {
  tw_ctas_per_sm found;
  ASSERT_TRUE(tw_occupancy(90, 4, 64, 102400, &found));
  EXPECT_EQ(found.ctas, 2);
  EXPECT_EQ(found.by_warps, 16);
  EXPECT_EQ(found.by_ctas, 32);
  EXPECT_EQ(found.by_shared_memory, 2);
  EXPECT_EQ(found.by_registers, 8);
  EXPECT_EQ(found.max_warps, 64);
}

TEST(OccupancyCapi, RegistersMayBeUnknown) {
  tw_ctas_per_sm found;
  ASSERT_TRUE(tw_occupancy(86, 8, 0, 0, &found));
  EXPECT_EQ(found.ctas, 6);
  EXPECT_EQ(found.by_registers, INT64_MAX);
}

TEST(OccupancyCapi, RefusesUnknownGpus) {
  tw_ctas_per_sm found;
  EXPECT_FALSE(tw_occupancy(75, 4, 32, 0, &found));
}

TEST(OccupancyCapi, RefusesNumbersOutOfRange) {
  tw_ctas_per_sm found;
  EXPECT_FALSE(tw_occupancy(90, 0, 32, 0, &found));
  EXPECT_FALSE(tw_occupancy(90, 4, -1, 0, &found));
  EXPECT_FALSE(tw_occupancy(90, 4, 32, -1, &found));
}

} // namespace
