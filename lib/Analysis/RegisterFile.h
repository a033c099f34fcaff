// How many programs the registers of a multiprocessor have room for.

#pragma once

#include <cstdint>

namespace tilewright {

/// About the registers that a thread takes whose products wait for what threads
/// compute: sums, operands made of them, and what addresses and rows need. (Of
/// sums of 64 registers 124 and 126 were seen, of 96 156 and 183, of 128 205
/// and 212.)
inline int64_t estimateRegisters(int64_t sums) {
  constexpr int64_t kOthers = 32;
  return sums + sums / 2 + kOthers;
}

/// The programs of so many warps that share a multiprocessor, each quarter of
/// which deals out its own registers.
inline int64_t countSharing(int64_t registers, int64_t numWarps) {
  constexpr int64_t kQuarters = 4, kQuarterRegisters = 16384, kLanes = 32;
  return kQuarters * (kQuarterRegisters / (kLanes * registers)) / numWarps;
}

} // namespace tilewright
