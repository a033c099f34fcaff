// Assigns each launch of a deterministic kernel a ticket counter in the module.
// A launch restores its counter, so launches that never overlap share one.
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
  /// Number of counters in a module:
  /// lib/Conversion/WarpToLLVM/Program/TicketToLLVM.cpp.
  static constexpr int32_t kNumSlots = 16384;

  /// Returns the slot of a launch on `stream`, the same as for earlier launches
  /// there. A launch recorded in a graph may run at any time, on any stream. It
  /// gets a slot of its own until all slots have been assigned once.
  int32_t get(StreamHandle stream, bool isCaptured);

private:
  int32_t takeNext();

  std::mutex mutex;
  int32_t next = 0;
  /// The key includes the thread: each has a default stream under the same
  /// handle.
  std::map<std::pair<StreamHandle, std::thread::id>, int32_t> ofStream;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_TICKETSLOTS_H
