#include "runtime/core/Status.h"

namespace tilewright::runtime {

const std::string &Status::message() const {
  static const std::string none;
  return failure ? failure->message : none;
}

static Status &lastErrorSlot() {
  static thread_local Status slot;
  return slot;
}

void setLastError(const Status &status) { lastErrorSlot() = status; }

const Status &lastError() { return lastErrorSlot(); }

} // namespace tilewright::runtime
