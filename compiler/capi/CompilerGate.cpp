#include "compiler/capi/CompilerGate.h"

#include "tilewright-c/compiler.h"

#include <condition_variable>
#include <mutex>
#include <new>
#include <pthread.h>
#include <thread>

using namespace tilewright::capi;

namespace {
class Gate {
public:
  void enter() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [this] { return mayEnter(); });
    ++inside;
  }

  void leave() {
    std::lock_guard<std::mutex> lock(mutex);
    if (--inside == 0)
      changed.notify_all();
  }

  /// Returns when no thread is inside. Until `open`, only this thread may
  /// enter.
  void close() {
    waitForAll();
    closer = std::this_thread::get_id();
    isClosed = true;
    mutex.unlock();
  }

  void open() {
    std::lock_guard<std::mutex> lock(mutex);
    isClosed = false;
    changed.notify_all();
  }

  /// Returns, holding the mutex, when no thread is inside. Threads that arrive
  /// meanwhile wait, so that the wait ends.
  void waitForAll() {
    std::unique_lock<std::mutex> lock(mutex);
    ++waiting;
    changed.wait(lock, [this] { return inside == 0; });
    --waiting;
    lock.release();
  }

  void goOn() {
    changed.notify_all();
    mutex.unlock();
  }

private:
  bool mayEnter() const {
    return waiting == 0 && (!isClosed || closer == std::this_thread::get_id());
  }

  std::mutex mutex;
  std::condition_variable changed;
  unsigned inside = 0, waiting = 0;
  bool isClosed = false;
  std::thread::id closer;
};
} // namespace

// Never destroyed: a thread may be inside until the process ends.
static Gate &gate = *new Gate;

/// The child of a fork lacks the threads that the gate waits for.
static void renew() { new (&gate) Gate; }

[[maybe_unused]] static const int registered =
    pthread_atfork([] { gate.waitForAll(); }, [] { gate.goOn(); }, renew);

CompilerGate::CompilerGate() { gate.enter(); }
CompilerGate::~CompilerGate() { gate.leave(); }

void tw_compiler_close(void) { gate.close(); }
void tw_compiler_open(void) { gate.open(); }
