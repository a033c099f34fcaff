#include "runtime/cpu/ThreadPool.h"

#include "test/unit/Runtime/Core/TemporaryDirectory.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <sched.h>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <vector>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cpu;

namespace {

/// Runs `count` items and counts how often each is handled.
std::vector<int> handledTimes(ThreadPool &pool, int64_t count,
                              unsigned threads) {
  std::vector<std::atomic<int>> times(static_cast<size_t>(count));
  Status status = pool.run(count, threads, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      ++times[static_cast<size_t>(i)];
    return Status::success();
  });
  EXPECT_TRUE(status.ok());
  return std::vector<int>(times.begin(), times.end());
}

TEST(ThreadPool, EveryItemOnce) {
  for (int64_t count : {0, 1, 2, 3, 17, 1000, 100003})
    for (unsigned threads : {0u, 1u, 2u, 4u, 9u})
      EXPECT_EQ(handledTimes(ThreadPool::shared(), count, threads),
                std::vector<int>(static_cast<size_t>(count), 1))
          << count << " on " << threads;
}

TEST(ThreadPool, SeveralThreadsTakePart) {
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> inside{0};
  // Each item waits until another thread is inside as well.
  Status status = ThreadPool::shared().run(2, 2, [&](int64_t, int64_t) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      seen.insert(std::this_thread::get_id());
    }
    ++inside;
    while (inside < 2)
      std::this_thread::yield();
    return Status::success();
  });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(seen.size(), 2u);
}

TEST(ThreadPool, FirstFailureStopsTheLaunch) {
  std::atomic<int64_t> handled{0};
  Status status =
      ThreadPool::shared().run(1000000, 4, [&](int64_t begin, int64_t end) {
        handled += end - begin;
        if (begin == 0)
          return Status(StatusCode::KernelAssert, "no");
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return Status::success();
      });
  EXPECT_EQ(status.code(), StatusCode::KernelAssert);
  EXPECT_EQ(status.message(), "no");
  EXPECT_LT(handled, 1000000);
}

TEST(ThreadPool, ItemsThatWaitForEachOther) {
  for (unsigned threads : {1u, 2u, 4u}) {
    std::atomic<int> inside{0};
    Status status = ThreadPool::shared().run(
        40, threads,
        [&](int64_t begin, int64_t end) {
          EXPECT_EQ(end, begin + 1);
          ++inside;
          while (inside < 40)
            EXPECT_EQ(ThreadPool::giveWay(), nullptr);
          return Status::success();
        },
        ProgramOrder::Waiting);
    EXPECT_TRUE(status.ok());
  }
}

TEST(ThreadPool, AFailureEndsWaiting) {
  Status status = ThreadPool::shared().run(
      8, 4,
      [&](int64_t begin, int64_t) {
        if (begin == 7)
          return Status(StatusCode::KernelAssert, "no");
        while (!ThreadPool::giveWay())
          ;
        return Status(StatusCode::KernelAssert, "another one's");
      },
      ProgramOrder::Waiting);
  EXPECT_EQ(status.message(), "no");
}

/// An interruption, in a launch of all threads or of one, whose items end.
TEST(ThreadPool, AnInterruptionEndsTheLaunch) {
  for (ProgramOrder order : {ProgramOrder::Any, ProgramOrder::InOrder}) {
    std::atomic<int64_t> handled{0};
    const auto caller = std::this_thread::get_id();
    Status status = ThreadPool::shared().run(
        1000000, 4,
        [&](int64_t begin, int64_t end) {
          handled += end - begin;
          std::this_thread::sleep_for((end - begin) *
                                      std::chrono::milliseconds(1));
          return Status::success();
        },
        order,
        [&] {
          EXPECT_EQ(std::this_thread::get_id(), caller);
          return true;
        });
    EXPECT_EQ(status.code(), StatusCode::Interrupted);
    EXPECT_GT(handled, 0);
    EXPECT_LT(handled, 10000);
  }
}

TEST(ThreadPool, AnInterruptionEndsWaiting) {
  for (unsigned threads : {1u, 4u}) {
    std::atomic<int> questions{0};
    Status status = ThreadPool::shared().run(
        8, threads,
        [&](int64_t, int64_t) {
          while (!ThreadPool::giveWay())
            ;
          return Status(StatusCode::KernelAssert, "its end");
        },
        ProgramOrder::Waiting, [&] { return ++questions == 2; });
    EXPECT_EQ(status.code(), StatusCode::Interrupted);
    EXPECT_EQ(questions, 2);
  }
}

TEST(ThreadPool, AnInterruptionWhileTheCallerWaitsForOthers) {
  std::atomic<bool> isInterrupted{false};
  const auto caller = std::this_thread::get_id();
  Status status = ThreadPool::shared().run(
      2, 2,
      [&](int64_t, int64_t) {
        while (std::this_thread::get_id() != caller && !isInterrupted)
          std::this_thread::yield();
        return Status::success();
      },
      ProgramOrder::Waiting, [&] { return isInterrupted = true; });
  // The caller may have run both items.
  EXPECT_TRUE(status.ok() || isInterrupted);
}

TEST(ThreadPool, NoInterruption) {
  int questions = 0;
  std::atomic<int> handled{0};
  Status status = ThreadPool::shared().run(
      300, 2,
      [&](int64_t begin, int64_t end) {
        handled += static_cast<int>(end - begin);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return Status::success();
      },
      ProgramOrder::Any, [&] { return ++questions < 0; });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(handled, 300);
  EXPECT_GT(questions, 0);
}

TEST(ThreadPool, InOrder) {
  std::vector<int64_t> seen;
  Status status = ThreadPool::shared().run(
      1000, 8,
      [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          seen.push_back(i);
        return Status::success();
      },
      ProgramOrder::InOrder);
  EXPECT_TRUE(status.ok());
  ASSERT_EQ(seen.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(ThreadPool, ConcurrentCallers) {
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i)
    callers.emplace_back([] {
      for (int round = 0; round < 50; ++round)
        EXPECT_EQ(handledTimes(ThreadPool::shared(), 500, 4),
                  std::vector<int>(500, 1));
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(ThreadPool, CallerInsideALaunch) {
  std::atomic<int> inner{0};
  Status status = ThreadPool::shared().run(8, 4, [&](int64_t, int64_t) {
    return ThreadPool::shared().run(8, 4, [&](int64_t begin, int64_t end) {
      inner += static_cast<int>(end - begin);
      return Status::success();
    });
  });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(inner, 64);
}

TEST(ThreadPool, ForkedChildHasThreadsOfItsOwn) {
  ASSERT_EQ(handledTimes(ThreadPool::shared(), 1000, 4),
            std::vector<int>(1000, 1));
  // Forked while other threads are in the middle of launches.
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop)
      handledTimes(ThreadPool::shared(), 1000, 4);
  });
  for (int i = 0; i < 20; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20); // A child that hangs fails instead.
      std::atomic<int> inside{0};
      Status status = ThreadPool::shared().run(2, 2, [&](int64_t, int64_t) {
        ++inside;
        while (inside < 2)
          std::this_thread::yield();
        return Status::success();
      });
      _exit(status.ok() ? 0 : 1);
    }
    int result = 0;
    ASSERT_EQ(waitpid(child, &result, 0), child);
    EXPECT_TRUE(WIFEXITED(result) && WEXITSTATUS(result) == 0);
  }
  stop = true;
  busy.join();
}

TEST(ThreadPool, WorkersBlockSignals) {
  std::atomic<int> inside{0};
  std::atomic<int> open{0};
  const std::thread::id caller = std::this_thread::get_id();
  Status status = ThreadPool::shared().run(2, 2, [&](int64_t, int64_t) {
    ++inside;
    while (inside < 2)
      std::this_thread::yield();
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    if (std::this_thread::get_id() != caller && !sigismember(&mask, SIGINT))
      ++open;
    return Status::success();
  });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(open, 0);
}

TEST(ThreadCount, FollowsTheEnvironment) {
  ScopedEnvironment set("TILEWRIGHT_NUM_THREADS", "3");
  EXPECT_EQ(*defaultThreadCount(), 3u);
}

TEST(ThreadCount, FollowsTheAffinityMask) {
  ScopedEnvironment unset("TILEWRIGHT_NUM_THREADS", nullptr);
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(*defaultThreadCount(), static_cast<unsigned>(CPU_COUNT(&before)));
  int cpu = 0;
  while (!CPU_ISSET(cpu, &before))
    ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(*defaultThreadCount(), 1u);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

TEST(ThreadCount, BadNumbersAreRefused) {
  for (const char *text : {"0", "5000", "four"}) {
    ScopedEnvironment set("TILEWRIGHT_NUM_THREADS", text);
    Result<unsigned> count = defaultThreadCount();
    ASSERT_FALSE(count.ok());
    EXPECT_EQ(count.status().code(), StatusCode::InvalidArgument);
    EXPECT_NE(count.status().message().find("TILEWRIGHT_NUM_THREADS"),
              std::string::npos);
  }
}

} // namespace
