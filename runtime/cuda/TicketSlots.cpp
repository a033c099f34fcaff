#include "runtime/cuda/TicketSlots.h"

namespace tilewright::runtime::cuda {

int32_t TicketSlots::takeNext() {
  // Streams that came before the counters were used up may be gone.
  if (next == kNumPlaces) {
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
  const int32_t place = takeNext();
  ofStream.emplace(key, place);
  return place;
}

} // namespace tilewright::runtime::cuda
