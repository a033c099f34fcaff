// The threads on which host kernels run.
#ifndef TILEWRIGHT_RUNTIME_CPU_THREADPOOL_H
#define TILEWRIGHT_RUNTIME_CPU_THREADPOOL_H

#include "runtime/core/Status.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>

namespace tilewright::runtime::cpu {

/// How the items of a launch depend on each other, as `tw_host_order`.
enum class ProgramOrder { Any, Waiting, InOrder };

/// Runs ranges of [0, count) on several threads at once.
///
/// The caller's thread takes part, so a pool of one thread starts none and a
/// launch finishes even where no thread can be started. Several threads may
/// call `run` at the same time; workers serve the oldest launch first.
class ThreadPool {
public:
  /// Handles [begin, end); a failure stops the launch.
  using RangeFunction = std::function<Status(int64_t begin, int64_t end)>;
  /// Whether a launch should rather end.
  using InterruptFunction = std::function<bool()>;

  /// The pool of this process, which lives until it ends. A forked child gets
  /// one of its own, for its parent's threads are not there.
  static ThreadPool &shared();

  /// Returns when every range has been handled, or after a failure when no
  /// range is being handled any more; then with the first failure.
  /// With `Waiting` the ranges are single items, and where one waits, further
  /// threads take the next; with `InOrder` one thread takes all.
  /// `isInterrupted` is called several times a second by this thread, between
  /// ranges, in `giveWay`, and where it waits for others; if it gives true, the
  /// launch fails.
  Status run(int64_t count, unsigned threads, const RangeFunction &function,
             ProgramOrder order = ProgramOrder::Any,
             const InterruptFunction &isInterrupted = nullptr);

  /// Called in each round of an item that waits for another one: lets other
  /// threads run, and now and then asks for one that takes the next item. Gives
  /// why the item should rather end, or null.
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

/// TILEWRIGHT_NUM_THREADS, else the number of CPUs this process may run on.
Result<unsigned> defaultThreadCount();

} // namespace tilewright::runtime::cpu

#endif // TILEWRIGHT_RUNTIME_CPU_THREADPOOL_H
