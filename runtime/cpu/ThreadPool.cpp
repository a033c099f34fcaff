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

/// Ranges a thread takes in a launch of equal programs: enough to even out
/// unequal ones, few enough that taking them costs nothing.
static constexpr int64_t kRangesPerThread = 16;

/// One call of `run`. Workers join and leave it under the pool's mutex; ranges
/// are taken without it.
struct ThreadPool::Launch {
  Launch(int64_t count, int64_t chunk, unsigned helpers,
         const RangeFunction &function)
      : count(count), chunk(chunk), helpersWanted(helpers), function(function) {
  }

  bool wantsHelp() const {
    return helpersWanted > 0 && next.load(std::memory_order_relaxed) < count;
  }

  /// Handles ranges until none is left.
  void work() {
    for (;;) {
      const int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= count)
        return;
      Status status = function(begin, std::min(begin + chunk, count));
      if (!status.ok())
        fail(std::move(status));
    }
  }

  void fail(Status status) {
    hasFailed.store(true, std::memory_order_relaxed);
    // Nobody takes another range.
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
  std::mutex failureMutex;
  Status failure;
};

/// What a thread takes part in, and how long its item has been waiting.
struct ThreadPool::Waiting {
  ThreadPool *pool = nullptr;
  Launch *launch = nullptr;
  uint32_t rounds = 0;
  std::chrono::steady_clock::time_point since;
};

thread_local ThreadPool::Waiting ThreadPool::waiting;

static std::atomic<ThreadPool *> sharedPool{nullptr};

/// The child of a fork has none of the pool's threads, and its mutex may be
/// held by one that is gone: leave the old pool alone, make a new one at need.
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

void ThreadPool::takePart(Launch &launch) {
  Waiting outer = std::exchange(waiting, {this, &launch, 0, {}});
  launch.work();
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
    takePart(*launch);
    lock.lock();
    if (--launch->helpersInside == 0)
      launchLeft.notify_all();
  }
}

void ThreadPool::startWorkers(unsigned wanted) {
  if (workers >= wanted)
    return;
  // Signals are for the program's own threads: an interrupt handled on a
  // worker would run in the middle of a kernel.
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

/// One more thread for a launch of which an item waits, unless all items are
/// taken or a thread is on its way.
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

/// A program that waits this long for a later one, which waits for its end,
/// waits for ever.
static constexpr std::chrono::seconds kLongestWait{5};

const char *ThreadPool::giveWay() {
  constexpr uint32_t kRoundsPerYield = 16, kRoundsPerHelper = 1024;
  ++waiting.rounds;
  if (waiting.rounds % kRoundsPerYield)
    return nullptr;
  sched_yield();
  Launch *launch = waiting.launch;
  if (launch && launch->hasFailed.load(std::memory_order_relaxed))
    return "another program has failed";
  if (waiting.rounds % kRoundsPerHelper)
    return nullptr;
  if (launch) {
    waiting.pool->addHelper(*launch);
    return nullptr;
  }
  const auto now = std::chrono::steady_clock::now();
  if (waiting.since == std::chrono::steady_clock::time_point())
    waiting.since = now;
  return now - waiting.since < kLongestWait
             ? nullptr
             : "a program waits for a later one, which cannot start before it "
               "ends: programs run in order";
}

Status ThreadPool::run(int64_t count, unsigned threads,
                       const RangeFunction &function, ProgramOrder order) {
  if (count <= 0)
    return Status::success();
  threads =
      static_cast<unsigned>(std::min<int64_t>(std::max(threads, 1u), count));
  if (order == ProgramOrder::InOrder ||
      (threads == 1 && order == ProgramOrder::Any)) {
    Waiting outer = std::exchange(waiting, {});
    Status status = function(0, count);
    waiting = outer;
    return status;
  }
  const int64_t chunk =
      order == ProgramOrder::Waiting
          ? 1
          : std::max<int64_t>(1, count / (int64_t(threads) * kRangesPerThread));
  Launch launch(count, chunk, threads - 1, function);
  std::list<Launch *>::iterator place;
  {
    std::lock_guard<std::mutex> lock(mutex);
    startWorkers(threads - 1);
    place = launches.insert(launches.end(), &launch);
  }
  workAvailable.notify_all();
  takePart(launch);
  std::unique_lock<std::mutex> lock(mutex);
  launches.erase(place);
  launchLeft.wait(lock, [&] { return launch.helpersInside == 0; });
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
