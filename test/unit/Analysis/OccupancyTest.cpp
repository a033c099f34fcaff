#include "lib/Analysis/Target/Occupancy.h"

#include "lib/Analysis/Target/NvidiaTarget.h"

#include <gtest/gtest.h>

using namespace tilewright;

namespace {

struct Point {
  unsigned computeCapability;
  int64_t warps, registers, sharedBytes;
  int64_t ctas, byWarps, byCtas, bySharedMemory, byRegisters;
};

// From cuda_occupancy.h of CUDA 13.0, NVIDIA's occupancy calculator.
constexpr Point kPoints[] = {
    {80, 4, 32, 0, 16, 16, 32, 164, 16},
    {80, 4, 33, 0, 12, 16, 32, 164, 12},
    {80, 1, 16, 0, 32, 64, 32, 164, 128},
    {80, 12, 168, 230400, 0, 5, 32, 0, 1},
    {80, 8, 128, 0, 2, 8, 32, 164, 2},
    {80, 5, 56, 30000, 5, 12, 32, 5, 7},
    {80, 9, 96, 0, 2, 7, 32, 164, 2},
    {80, 4, 40, 41600, 3, 16, 32, 3, 12},
    {80, 2, 40, 1000, 24, 32, 32, 82, 24},
    {86, 4, 32, 0, 12, 12, 16, 100, 16},
    {86, 4, 33, 0, 12, 12, 16, 100, 12},
    {86, 1, 16, 0, 16, 48, 16, 100, 128},
    {86, 4, 64, 102400, 0, 12, 16, 0, 8},
    {86, 5, 56, 30000, 3, 9, 16, 3, 7},
    {86, 16, 48, 0, 2, 3, 16, 100, 2},
    {86, 2, 40, 1000, 16, 24, 16, 50, 24},
    {86, 32, 64, 0, 1, 1, 16, 100, 1},
    {90, 4, 32, 0, 16, 16, 32, 228, 16},
    {90, 12, 168, 230400, 1, 5, 32, 1, 1},
    {90, 4, 64, 102400, 2, 16, 32, 2, 8},
    {90, 5, 56, 30000, 7, 12, 32, 7, 7},
    {90, 4, 255, 0, 2, 16, 32, 228, 2},
    {90, 9, 96, 0, 2, 7, 32, 228, 2},
    {90, 6, 80, 0, 4, 10, 32, 228, 4},
    {90, 20, 96, 0, 1, 3, 32, 228, 1},
    // Shared memory comes in units of 128 bytes.
    {90, 8, 64, 45568, 4, 8, 32, 5, 4},
    {90, 8, 64, 45576, 4, 8, 32, 4, 4},
};

TEST(Occupancy, AgreesWithTheCalculator) {
  for (const Point &point : kPoints) {
    SCOPED_TRACE(testing::Message()
                 << point.computeCapability << ": " << point.warps << " warps, "
                 << point.registers << " registers, " << point.sharedBytes
                 << " bytes");
    const CtasPerSm found =
        Occupancy(point.computeCapability)
            .countCtas(point.warps, point.registers, point.sharedBytes);
    EXPECT_EQ(found.get(), point.ctas);
    EXPECT_EQ(found.byWarps, point.byWarps);
    EXPECT_EQ(found.byCtas, point.byCtas);
    EXPECT_EQ(found.bySharedMemory, point.bySharedMemory);
    EXPECT_EQ(found.byRegisters, point.byRegisters);
  }
}

TEST(Occupancy, UnknownRegistersDoNotLimit) {
  EXPECT_EQ(Occupancy(90).countCtas(4, 0, 0).byRegisters,
            CtasPerSm::kUnlimited);
  EXPECT_EQ(Occupancy(90).countCtas(4, 0, 0).get(), 16);
}

// A thread gets the most registers with which its CTAs still fit.
TEST(Occupancy, RegistersAreTheInverse) {
  const Occupancy occupancy(90);
  for (int64_t warps = 1; warps <= 32; ++warps)
    for (int64_t ctas = 1; ctas * warps <= 64; ++ctas) {
      SCOPED_TRACE(testing::Message()
                   << ctas << " CTAs, " << warps << " warps");
      const int64_t registers = occupancy.getRegisters(ctas, warps);
      EXPECT_LE(registers, 255);
      EXPECT_GE(occupancy.countCtasByRegisters(warps, registers), ctas);
      if (registers < 255) {
        EXPECT_LT(occupancy.countCtasByRegisters(warps, registers + 1), ctas);
      }
    }
}

TEST(Occupancy, SharedBytesAreTheInverse) {
  for (unsigned computeCapability : {80, 86, 90}) {
    const Occupancy occupancy(computeCapability);
    EXPECT_EQ(occupancy.getSharedBytes(1), occupancy.getMaxSharedBytes());
    for (int64_t ctas = 1; ctas <= 32; ++ctas) {
      const int64_t bytes = occupancy.getSharedBytes(ctas);
      EXPECT_GE(occupancy.countCtasBySharedMemory(bytes), ctas);
      EXPECT_LT(occupancy.countCtasBySharedMemory(bytes + 1), ctas);
    }
  }
}

TEST(Occupancy, RegistersBeforeRolesReallocate) {
  const Occupancy occupancy;
  // 255 is not a multiple of 8.
  EXPECT_EQ(occupancy.getInitialRegisters(1, 4), 248);
  EXPECT_EQ(occupancy.getInitialRegisters(1, 12), 168);
  EXPECT_EQ(occupancy.getInitialRegisters(2, 8), 128);
}

TEST(Occupancy, CtasOfRoles) {
  const Occupancy occupancy;
  // Two warpgroups with 240 registers, and one with 24.
  EXPECT_EQ(occupancy.countCtasOfRoles(12, 8 * 240 + 4 * 24), 1);
  // One warpgroup with 232, and one with 24.
  EXPECT_EQ(occupancy.countCtasOfRoles(8, 4 * 232 + 4 * 24), 2);
  EXPECT_EQ(occupancy.countCtasOfRoles(8, 4 * 240 + 4 * 24), 1);
}

TEST(Occupancy, EstimatesHaveNoUnits) {
  const Occupancy estimates = Occupancy::forEstimates();
  EXPECT_EQ(estimates.getRegisters(1, 9), 170);
  EXPECT_EQ(Occupancy().getRegisters(1, 9), 168);
  EXPECT_EQ(estimates.countCtasByRegisters(4, 44), 11);
  EXPECT_EQ(Occupancy().countCtasByRegisters(4, 44), 10);
  EXPECT_EQ(estimates.countCtasBySharedMemory(45576), 5);
}

TEST(Occupancy, EstimatesWithAnotherLimit) {
  const Occupancy estimates = Occupancy::forEstimates(2000);
  EXPECT_EQ(estimates.getMaxSharedBytes(), 2000);
  EXPECT_EQ(estimates.countCtasBySharedMemory(2000), 1);
  EXPECT_EQ(estimates.countCtasBySharedMemory(488), 2);
  EXPECT_EQ(estimates.getSharedBytes(2), 488);
}

TEST(Occupancy, Architectures) {
  for (unsigned known : {80, 86, 87, 89, 90, 100, 101, 103, 110, 120}) {
    SCOPED_TRACE(known);
    ASSERT_TRUE(Occupancy::find(known));
    const SmResources &sm = Occupancy(known).getResources();
    EXPECT_EQ(sm.computeCapability, known);
    EXPECT_EQ(sm.sharedBytes, sm.maxSharedBytes + sm.reservedSharedBytes);
    EXPECT_EQ(NvidiaTarget{known}.getSharedMemoryLimit(), sm.maxSharedBytes);
  }
  EXPECT_FALSE(Occupancy::find(75));
  EXPECT_FALSE(Occupancy::find(121));
  // The compiler accepts newer GPUs, with the least of each resource.
  EXPECT_EQ(NvidiaTarget{121}.getSharedMemoryLimit(), 99 * 1024);
}

} // namespace
