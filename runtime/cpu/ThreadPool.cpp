#include "runtime/cpu/ThreadPool.h"

#include "runtime/core/Environment.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <sched.h>
#include <system_error>
#include <thread>
#include <utility>

namespace tilewright::runtime::cpu {

/// Ranges per thread in a launch of independent programs. More ranges balance
/// programs of unequal cost; fewer cost less to take.
static constexpr int64_t kRangesPerThread = 16;

using Clock = std::chrono::steady_clock;

/// Interval between calls of `isInterrupted`.
static constexpr std::chrono::milliseconds kTimeBetweenQuestions{100};

/// One call of `run`. Workers join and leave it under the pool's mutex, but
/// take ranges without it.
struct ThreadPool::Launch {
  Launch(int64_t count, int64_t chunk, unsigned helpers,
         const RangeFunction &function, const InterruptFunction &isInterrupted)
      : count(count), chunk(chunk), helpersWanted(helpers), function(function),
        isInterrupted(isInterrupted) {
    if (isInterrupted)
      nextQuestion = Clock::now() + kTimeBetweenQuestions;
  }

  bool wantsHelp() const {
    return helpersWanted > 0 && next.load(std::memory_order_relaxed) < count;
  }

  /// Handles ranges until none is left.
  void work(bool isCaller) {
    int64_t piece = isInterrupted ? 1 : chunk;
    for (;;) {
      const int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= count)
        return;
      handle(begin, std::min(begin + chunk, count), piece, isCaller);
    }
  }

  /// Handles a range in pieces short enough for the thread to notice soon that
  /// it should end.
  void handle(int64_t begin, int64_t end, int64_t &piece, bool isCaller) {
    constexpr std::chrono::milliseconds kTimeOfPiece{2};
    while (begin < end && !hasFailed.load(std::memory_order_relaxed)) {
      const int64_t stop = begin + std::min(piece, end - begin);
      const bool isMeasured = stop < end;
      const auto start = isMeasured ? Clock::now() : Clock::time_point();
      if (Status status = function(begin, stop); !status.ok())
        fail(std::move(status));
      if (isMeasured)
        piece = Clock::now() - start < kTimeOfPiece
                    ? std::min(2 * piece, chunk)
                    : std::max<int64_t>(piece / 2, 1);
      begin = stop;
      if (isCaller)
        askWhetherToEnd();
    }
  }

  /// Called by the launching thread only.
  void askWhetherToEnd() {
    if (!isInterrupted || hasFailed.load(std::memory_order_relaxed) ||
        Clock::now() < nextQuestion)
      return;
    if (isInterrupted())
      fail(Status(StatusCode::Interrupted, "the launch was interrupted"));
    nextQuestion = Clock::now() + kTimeBetweenQuestions;
  }

  void fail(Status status) {
    hasFailed.store(true, std::memory_order_relaxed);
    // No thread takes another range.
    next.store(count, std::memory_order_relaxed);
    std::lock_guard<std::mutex> lock(failureMutex);
    if (failure.ok())
      failure = std::move(status);
  }

  const int64_t count;
  const int64_t chunk;
  std::atomic<int64_t> next{0};
  std::atomic<bool> hasFailed{false};
  /// Guarded by the pool's mutex.
  unsigned helpersWanted;
  unsigned helpersInside = 0;
  const RangeFunction &function;
  const InterruptFunction &isInterrupted;
  Clock::time_point nextQuestion;
  std::mutex failureMutex;
  Status failure;
};

/// The launch of a waiting thread, and the duration of its wait.
struct ThreadPool::Waiting {
  /// Null if no further thread may take part.
  ThreadPool *pool = nullptr;
  Launch *launch = nullptr;
  bool isCaller = false;
  uint32_t rounds = 0;
  Clock::time_point since;
};

thread_local ThreadPool::Waiting ThreadPool::waiting;

static std::atomic<ThreadPool *> sharedPool{nullptr};

/// The child of a fork has none of the pool's threads, and a vanished thread
/// may hold its mutex. Abandons the old pool; a new one is created on demand.
static void forgetSharedPool() { sharedPool.store(nullptr); }

ThreadPool &ThreadPool::shared() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, forgetSharedPool);
  (void)registered;
  if (ThreadPool *pool = sharedPool.load(std::memory_order_acquire))
    return *pool;
  auto *fresh = new ThreadPool;
  ThreadPool *present = nullptr;
  if (sharedPool.compare_exchange_strong(present, fresh))
    return *fresh;
  delete fresh;
  return *present;
}

ThreadPool::Launch *ThreadPool::nextLaunch() {
  for (Launch *launch : launches)
    if (launch->wantsHelp())
      return launch;
  return nullptr;
}

void ThreadPool::takePart(Launch &launch, bool isCaller) {
  Waiting outer = std::exchange(waiting, {this, &launch, isCaller, 0, {}});
  launch.work(isCaller);
  waiting = outer;
}

void ThreadPool::workerLoop() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    Launch *launch = nextLaunch();
    if (!launch) {
      workAvailable.wait(lock);
      continue;
    }
    --launch->helpersWanted;
    ++launch->helpersInside;
    lock.unlock();
    takePart(*launch, /*isCaller=*/false);
    lock.lock();
    if (--launch->helpersInside == 0)
      launchLeft.notify_all();
  }
}

void ThreadPool::startWorkers(unsigned wanted) {
  if (workers >= wanted)
    return;
  // Signals belong to the program's own threads: an interrupt on a worker would
  // run in the middle of a kernel.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (; workers < wanted; ++workers) {
    try {
      std::thread(&ThreadPool::workerLoop, this).detach();
    } catch (const std::system_error &) {
      break; // No more threads to be had: go on with those there are.
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Adds a thread to a launch with a waiting item, unless all items are taken or
/// a thread is already starting.
void ThreadPool::addHelper(Launch &launch) {
  std::lock_guard<std::mutex> lock(mutex);
  if (launch.next.load(std::memory_order_relaxed) >= launch.count)
    return;
  if (launch.helpersWanted == 0)
    launch.helpersWanted = 1;
  unsigned busy = 0;
  for (const Launch *other : launches)
    busy += other->helpersInside + other->helpersWanted;
  startWorkers(busy);
  workAvailable.notify_one();
}

/// A program that waits this long for a later one, which itself waits for this
/// one to end, is deadlocked.
static constexpr std::chrono::seconds kLongestWait{5};

const char *ThreadPool::giveWay() {
  constexpr uint32_t kRoundsPerYield = 16, kRoundsPerHelper = 1024;
  ++waiting.rounds;
  if (waiting.rounds % kRoundsPerYield)
    return nullptr;
  sched_yield();
  Launch *launch = waiting.launch;
  if (waiting.isCaller)
    launch->askWhetherToEnd();
  if (launch && launch->hasFailed.load(std::memory_order_relaxed))
    return "another program has failed";
  if (waiting.rounds % kRoundsPerHelper)
    return nullptr;
  if (waiting.pool) {
    waiting.pool->addHelper(*launch);
    return nullptr;
  }
  const auto now = Clock::now();
  if (waiting.since == Clock::time_point())
    waiting.since = now;
  return now - waiting.since < kLongestWait
             ? nullptr
             : "a program waits for a later one, which cannot start before it "
               "ends: programs run in order";
}

/// Returns, holding the lock, when no other thread takes part.
void ThreadPool::waitForHelpers(Launch &launch,
                                std::unique_lock<std::mutex> &lock) {
  const auto areGone = [&] { return launch.helpersInside == 0; };
  if (!launch.isInterrupted)
    launchLeft.wait(lock, areGone);
  while (!launchLeft.wait_for(lock, kTimeBetweenQuestions, areGone)) {
    lock.unlock();
    launch.askWhetherToEnd();
    lock.lock();
  }
}

Status ThreadPool::run(int64_t count, unsigned threads,
                       const RangeFunction &function, ProgramOrder order,
                       const InterruptFunction &isInterrupted) {
  if (count <= 0)
    return Status::success();
  threads =
      static_cast<unsigned>(std::min<int64_t>(std::max(threads, 1u), count));
  if (order == ProgramOrder::InOrder ||
      (threads == 1 && order == ProgramOrder::Any)) {
    Launch launch(count, count, 0, function, isInterrupted);
    Waiting outer = std::exchange(waiting, {nullptr, &launch, true, 0, {}});
    launch.work(/*isCaller=*/true);
    waiting = outer;
    return launch.failure;
  }
  const int64_t chunk =
      order == ProgramOrder::Waiting
          ? 1
          : std::max<int64_t>(1, count / (int64_t(threads) * kRangesPerThread));
  Launch launch(count, chunk, threads - 1, function, isInterrupted);
  std::list<Launch *>::iterator position;
  {
    std::lock_guard<std::mutex> lock(mutex);
    startWorkers(threads - 1);
    position = launches.insert(launches.end(), &launch);
  }
  workAvailable.notify_all();
  takePart(launch, /*isCaller=*/true);
  std::unique_lock<std::mutex> lock(mutex);
  launches.erase(position);
  waitForHelpers(launch, lock);
  return launch.failure;
}

Result<unsigned> defaultThreadCount() {
  cpu_set_t mask;
  uint64_t available = 1;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0)
    available = static_cast<uint64_t>(std::max(CPU_COUNT(&mask), 1));
  Result<uint64_t> count =
      environmentCount("TILEWRIGHT_NUM_THREADS", available);
  if (!count.ok())
    return count.status();
  if (*count < 1 || *count > 4096)
    return Status(StatusCode::InvalidArgument,
                  "TILEWRIGHT_NUM_THREADS=" + std::to_string(*count) +
                      " is not between 1 and 4096");
  return static_cast<unsigned>(*count);
}

} // namespace tilewright::runtime::cpu
