#include "runtime/cuda/TicketSlots.h"

namespace tilewright::runtime::cuda {

int32_t TicketSlots::takeNext() {
  // Streams that took slots before the counters ran out may be destroyed.
  if (next == kNumSlots) {
    ofStream.clear();
    next = 0;
  }
  return next++;
}

int32_t TicketSlots::get(StreamHandle stream, bool isCaptured) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isCaptured)
    return takeNext();
  const std::pair key(stream, std::this_thread::get_id());
  if (auto known = ofStream.find(key); known != ofStream.end())
    return known->second;
  const int32_t slot = takeNext();
  ofStream.emplace(key, slot);
  return slot;
}

} // namespace tilewright::runtime::cuda
