#include "runtime/cpu/Scratch.h"

#include "tilewright-c/runtime.h"

#include <cstring>
#include <gtest/gtest.h>
#include <thread>

TEST(Scratch, IsAlignedAndUsable) {
  void *memory = tw_host_scratch(1000);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
  std::memset(memory, 1, 1000);
}

TEST(Scratch, IsKeptUntilMoreIsNeeded) {
  void *memory = tw_host_scratch(1 << 20);
  EXPECT_EQ(tw_host_scratch(100), memory);
  EXPECT_EQ(tw_host_scratch(1 << 20), memory);
}

TEST(Scratch, BelongsToItsThread) {
  void *mine = tw_host_scratch(4096);
  void *other = nullptr;
  std::thread([&] { other = tw_host_scratch(4096); }).join();
  EXPECT_NE(mine, other);
}

TEST(Scratch, OfAnotherLaunchMeanwhile) {
  auto *memory = static_cast<char *>(tw_host_scratch(4096));
  {
    const tilewright::runtime::cpu::OtherScratch other;
    EXPECT_NE(tw_host_scratch(4096), memory);
  }
  EXPECT_EQ(tw_host_scratch(4096), memory);
}
