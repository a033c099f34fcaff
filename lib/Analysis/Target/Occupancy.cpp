#include "lib/Analysis/Target/Occupancy.h"

#include <algorithm>

using namespace tilewright;

static constexpr int64_t kKilobyte = 1024;

/// Source: CUDA programming guide, "Compute Capabilities", tables of technical
/// specifications. Its 11.0 is the former 10.1.
static constexpr SmResources kArchitectures[] = {
    {80, 64, 32, 164 * kKilobyte, 163 * kKilobyte},
    {86, 48, 16, 100 * kKilobyte, 99 * kKilobyte},
    {87, 48, 16, 164 * kKilobyte, 163 * kKilobyte},
    {89, 48, 24, 100 * kKilobyte, 99 * kKilobyte},
    {90, 64, 32, 228 * kKilobyte, 227 * kKilobyte},
    {100, 64, 32, 228 * kKilobyte, 227 * kKilobyte},
    {101, 48, 24, 228 * kKilobyte, 227 * kKilobyte},
    {103, 64, 32, 228 * kKilobyte, 227 * kKilobyte},
    {110, 48, 24, 228 * kKilobyte, 227 * kKilobyte},
    {120, 48, 24, 100 * kKilobyte, 99 * kKilobyte},
};

/// The architecture with the least of each resource.
static constexpr unsigned kSmallest = 86;

static int64_t alignTo(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

static int64_t alignDown(int64_t value, int64_t unit) {
  return value / unit * unit;
}

int64_t CtasPerSm::get() const {
  return std::min({byWarps, byCtas, bySharedMemory, byRegisters});
}

std::optional<Occupancy> Occupancy::find(unsigned computeCapability) {
  for (const SmResources &sm : kArchitectures)
    if (sm.computeCapability == computeCapability)
      return Occupancy(sm);
  return std::nullopt;
}

Occupancy::Occupancy(unsigned computeCapability)
    : Occupancy(find(computeCapability).value_or(*find(kSmallest))) {}

Occupancy Occupancy::forEstimates(std::optional<int64_t> maxSharedBytes) {
  Occupancy occupancy(kHopper);
  SmResources &sm = occupancy.sm;
  sm.sharedUnit = sm.registerUnit = 1;
  if (maxSharedBytes) {
    sm.maxSharedBytes = *maxSharedBytes;
    sm.sharedBytes = *maxSharedBytes + sm.reservedSharedBytes;
  }
  return occupancy;
}

CtasPerSm Occupancy::countCtas(int64_t numWarps, int64_t registers,
                               int64_t sharedBytes) const {
  return {countCtasByWarps(numWarps), sm.maxCtas,
          countCtasBySharedMemory(sharedBytes),
          registers ? countCtasByRegisters(numWarps, registers)
                    : CtasPerSm::kUnlimited};
}

int64_t Occupancy::countCtasByWarps(int64_t numWarps) const {
  return sm.maxWarps / numWarps;
}

int64_t Occupancy::countCtasByRegisters(int64_t numWarps,
                                        int64_t registers) const {
  int64_t ofWarp = SmResources::kLanes * alignTo(registers, sm.registerUnit);
  return sm.partitions * (sm.registers / sm.partitions / ofWarp) / numWarps;
}

int64_t Occupancy::countCtasBySharedMemory(int64_t sharedBytes) const {
  return sm.sharedBytes /
         alignTo(sharedBytes + sm.reservedSharedBytes, sm.sharedUnit);
}

int64_t Occupancy::getRegisters(int64_t numCtas, int64_t numWarps) const {
  int64_t ofPartition = std::max<int64_t>(
      alignTo(numCtas * numWarps, sm.partitions) / sm.partitions, 1);
  int64_t registers =
      sm.registers / sm.partitions / (SmResources::kLanes * ofPartition);
  return std::min(alignDown(registers, sm.registerUnit), sm.maxRegisters);
}

int64_t Occupancy::getSharedBytes(int64_t numCtas) const {
  return std::min(alignDown(sm.sharedBytes / numCtas, sm.sharedUnit) -
                      sm.reservedSharedBytes,
                  sm.maxSharedBytes);
}

int64_t Occupancy::getInitialRegisters(int64_t numCtas,
                                       int64_t numWarps) const {
  return alignDown(getRegisters(numCtas, numWarps), sm.registerUnit);
}

int64_t Occupancy::countCtasOfRoles(int64_t numWarps, int64_t registers) const {
  int64_t numCtas = 1;
  while (getInitialRegisters(numCtas + 1, numWarps) * numWarps >= registers)
    ++numCtas;
  return numCtas;
}
