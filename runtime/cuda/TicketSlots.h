// Where launches of a kernel whose programs take turns count these: each has a
// place of its own among the counters of the kernel's module. A launch leaves
// its counter as it was, so that launches which never run at once share one.
#ifndef TILEWRIGHT_RUNTIME_CUDA_TICKETSLOTS_H
#define TILEWRIGHT_RUNTIME_CUDA_TICKETSLOTS_H

#include "runtime/cuda/CudaDriver.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <thread>

namespace tilewright::runtime::cuda {

class TicketSlots {
public:
  /// The counters of a module:
  /// lib/Conversion/WarpToLLVM/Program/TicketToLLVM.cpp.
  static constexpr int32_t kNumPlaces = 16384;

  /// The place of a launch on `stream`, which is that of the last one there.
  /// What is recorded in a graph runs at any time, on any stream: it gets a
  /// place that nobody else has until all have been given out once.
  int32_t get(StreamHandle stream, bool isCaptured);

private:
  int32_t takeNext();

  std::mutex mutex;
  int32_t next = 0;
  /// With the thread: each has a default stream under the same handle.
  std::map<std::pair<StreamHandle, std::thread::id>, int32_t> ofStream;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_TICKETSLOTS_H
