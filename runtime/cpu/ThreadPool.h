// The threads that run host kernels.
#ifndef TILEWRIGHT_RUNTIME_CPU_THREADPOOL_H
#define TILEWRIGHT_RUNTIME_CPU_THREADPOOL_H

#include "runtime/core/Status.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>

namespace tilewright::runtime::cpu {

/// Dependences between the items of a launch, as `tw_host_order`.
enum class ProgramOrder { Any, Waiting, InOrder };

/// Runs ranges of [0, count) on several threads at once.
///
/// The calling thread takes part, so a pool of one thread starts none, and a
/// launch finishes even if no thread can be started. Several threads may call
/// `run` at the same time. Workers serve the oldest launch first.
class ThreadPool {
public:
  /// Handles [begin, end); a failure stops the launch.
  using RangeFunction = std::function<Status(int64_t begin, int64_t end)>;
  /// Whether a launch should end early.
  using InterruptFunction = std::function<bool()>;

  /// The pool of this process, which lives until the process ends. A forked
  /// child gets its own, since it lacks its parent's threads.
  static ThreadPool &shared();

  /// Returns after every range has been handled. After a failure, waits for the
  /// running ranges and returns the first failure. With `Waiting` the ranges
  /// are single items, and while one waits, further threads take the next ones.
  /// With `InOrder` one thread takes all. The calling thread calls
  /// `isInterrupted` several times a second: between ranges, in `giveWay`, and
  /// while it waits for others. If it returns true, the launch fails.
  Status run(int64_t count, unsigned threads, const RangeFunction &function,
             ProgramOrder order = ProgramOrder::Any,
             const InterruptFunction &isInterrupted = nullptr);

  /// Called in each iteration of an item that waits for another one. Lets other
  /// threads run, and occasionally requests a thread for the next item. Returns
  /// the reason to end the item, or null.
  static const char *giveWay();

private:
  struct Launch;
  struct Waiting;

  void startWorkers(unsigned wanted);
  void addHelper(Launch &launch);
  void takePart(Launch &launch, bool isCaller);
  void waitForHelpers(Launch &launch, std::unique_lock<std::mutex> &lock);
  void workerLoop();
  Launch *nextLaunch();

  static thread_local Waiting waiting;
  std::mutex mutex;
  std::condition_variable workAvailable;
  std::condition_variable launchLeft;
  std::list<Launch *> launches;
  unsigned workers = 0;
};

/// Returns TILEWRIGHT_NUM_THREADS, else the number of CPUs of this process.
Result<unsigned> defaultThreadCount();

} // namespace tilewright::runtime::cpu

#endif // TILEWRIGHT_RUNTIME_CPU_THREADPOOL_H
