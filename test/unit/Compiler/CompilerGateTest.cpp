#include "compiler/capi/CompilerGate.h"

#include "tilewright-c/compiler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilewright::capi;

static void sleepShortly() {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

/// Calls `meanwhile` while another thread is inside the gate for some time.
/// Returns whether that thread had left when `meanwhile` returned.
static bool waitsForThreadInside(const std::function<bool()> &meanwhile,
                                 std::atomic<bool> &left) {
  std::atomic<bool> entered{false};
  left = false;
  std::thread other([&] {
    const CompilerGate busy;
    entered = true;
    sleepShortly();
    left = true;
  });
  while (!entered)
    std::this_thread::yield();
  const bool result = meanwhile();
  other.join();
  return result;
}

TEST(CompilerGateTest, ForkWaitsForThreadsInside) {
  std::atomic<bool> left;
  EXPECT_TRUE(waitsForThreadInside(
      [&] {
        const pid_t child = fork();
        if (child == 0) {
          const CompilerGate busy; // Enters without waiting.
          _exit(left ? 0 : 1);
        }
        int status = 1;
        waitpid(child, &status, 0);
        return status == 0;
      },
      left));
}

TEST(CompilerGateTest, CloseWaitsForThreadsInside) {
  std::atomic<bool> left;
  EXPECT_TRUE(waitsForThreadInside(
      [&] {
        tw_compiler_close();
        return left.load();
      },
      left));
  tw_compiler_open();
}

TEST(CompilerGateTest, OthersWaitWhileItIsClosed) {
  tw_compiler_close();
  std::atomic<bool> entered{false};
  std::thread other([&] {
    const CompilerGate busy;
    entered = true;
  });
  sleepShortly();
  EXPECT_FALSE(entered);
  {
    const CompilerGate busy;
  } // The thread that closed the gate may enter.
  tw_compiler_open();
  other.join();
  EXPECT_TRUE(entered);
}
