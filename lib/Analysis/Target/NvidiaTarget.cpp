#include "lib/Analysis/Target/NvidiaTarget.h"

#include "lib/Analysis/Target/Occupancy.h"

using namespace tilewright;

int64_t NvidiaTarget::getSharedMemoryLimit() const {
  return Occupancy(computeCapability).getMaxSharedBytes();
}
