#include "lib/Analysis/Target/NvidiaTarget.h"

using namespace tilewright;

int64_t NvidiaTarget::getSharedMemoryLimit() const {
  // CUDA programming guide, "Compute Capabilities": the maximum of a CTA, which
  // is 1 KB less than that of an SM.
  constexpr int64_t kKilobyte = 1024;
  switch (computeCapability) {
  case 80:
  case 87:
    return 163 * kKilobyte;
  case 90:
  case 100:
  case 101:
  case 103:
  case 110:
    return 227 * kKilobyte;
  default:
    return 99 * kKilobyte;
  }
}
