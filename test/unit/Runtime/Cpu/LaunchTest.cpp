#include "test/unit/Runtime/Core/TemporaryDirectory.h"
#include "tilewright-c/runtime.h"

#include <atomic>
#include <thread>
#include <vector>

using namespace tilewright::runtime;

namespace {

/// args: an array of counters, one per program.
void countPrograms(const uint64_t *args, const int32_t grid[3], int64_t begin,
                   int64_t end) {
  auto *counters = reinterpret_cast<std::atomic<int> *>(args[0]);
  if (grid[0] != 5 || grid[1] != 4 || grid[2] != 3)
    return;
  for (int64_t i = begin; i < end; ++i)
    ++counters[i];
}

TEST(HostLaunch, RunsEveryProgramOnce) {
  std::vector<std::atomic<int>> counters(60);
  const uint64_t args[] = {reinterpret_cast<uint64_t>(counters.data())};
  const int64_t grid[] = {5, 4, 3};
  ASSERT_EQ(tw_host_launch(countPrograms, args, grid, 0), TW_OK);
  for (const std::atomic<int> &counter : counters)
    EXPECT_EQ(counter, 1);
}

void neverCalled(const uint64_t *, const int32_t *, int64_t, int64_t) {
  ADD_FAILURE() << "a grid without programs ran one";
}

TEST(HostLaunch, EmptyGridRunsNothing) {
  for (std::array<int64_t, 3> grid :
       {std::array<int64_t, 3>{0, 1, 1}, {1, 0, 1}, {7, 3, 0}})
    EXPECT_EQ(tw_host_launch(neverCalled, nullptr, grid.data(), 4), TW_OK);
}

TEST(HostLaunch, GridOutOfRange) {
  const int64_t negative[] = {1, -2, 1};
  EXPECT_EQ(tw_host_launch(neverCalled, nullptr, negative, 1),
            TW_INVALID_ARGUMENT);
  EXPECT_STREQ(tw_last_error(),
               "grid along y is -2, not between 0 and 2147483647");
  const int64_t large[] = {1, 1, int64_t(1) << 31};
  EXPECT_EQ(tw_host_launch(neverCalled, nullptr, large, 1),
            TW_INVALID_ARGUMENT);
  const int64_t overflowing[] = {INT32_MAX, INT32_MAX, INT32_MAX};
  EXPECT_EQ(tw_host_launch(neverCalled, nullptr, overflowing, 1),
            TW_INVALID_ARGUMENT);
  EXPECT_STREQ(tw_last_error(), "grid has more than 2^63 programs");
}

/// args: the program that fails, and a counter of the programs after it.
void failAt(const uint64_t *args, const int32_t *, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    if (i == static_cast<int64_t>(args[0])) {
      tw_host_assert_fail("x must be positive (kernel.py:12)");
      ++*reinterpret_cast<std::atomic<int> *>(args[1]);
    }
}

TEST(HostLaunch, FailedAssertionIsAnError) {
  for (unsigned threads : {1u, 4u}) {
    std::atomic<int> after{0};
    const uint64_t args[] = {57, reinterpret_cast<uint64_t>(&after)};
    const int64_t grid[] = {100, 1, 1};
    EXPECT_EQ(tw_host_launch(failAt, args, grid, threads), TW_KERNEL_ASSERT);
    EXPECT_STREQ(
        tw_last_error(),
        "assertion failed in a kernel: x must be positive (kernel.py:12)");
    EXPECT_EQ(after, 0) << "the program went on";
    // The pool still works.
    const uint64_t good[] = {1000, reinterpret_cast<uint64_t>(&after)};
    EXPECT_EQ(tw_host_launch(failAt, good, grid, threads), TW_OK);
  }
}

TEST(HostLaunch, AssertionsOfConcurrentLaunchesStayApart) {
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([caller] {
      std::atomic<int> after{0};
      const bool fails = caller % 2;
      const uint64_t args[] = {fails ? 3u : 1000u,
                               reinterpret_cast<uint64_t>(&after)};
      const int64_t grid[] = {50, 1, 1};
      for (int i = 0; i < 100; ++i)
        EXPECT_EQ(tw_host_launch(failAt, args, grid, 4),
                  fails ? TW_KERNEL_ASSERT : TW_OK);
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(HostLaunch, AssertionOutsideALaunchComesBack) {
  testing::internal::CaptureStderr();
  tw_host_assert_fail("by hand");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "assertion failed in a kernel: by hand\n");
}

TEST(HostLaunch, BadThreadCountIsReported) {
  ScopedEnvironment set("TILEWRIGHT_NUM_THREADS", "four");
  const int64_t grid[] = {1, 1, 1};
  EXPECT_EQ(tw_host_launch(neverCalled, nullptr, grid, 0), TW_INVALID_ARGUMENT);
  unsigned threads = 77;
  EXPECT_EQ(tw_host_thread_count(&threads), TW_INVALID_ARGUMENT);
  EXPECT_EQ(threads, 77u) << "outputs are left alone";
}

} // namespace
