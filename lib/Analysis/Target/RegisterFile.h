// Relates the registers of a thread to the CTAs that fit on an SM.

#pragma once

#include <algorithm>
#include <cstdint>

namespace tilewright {

/// Estimates the registers of a thread with chained dots: accumulators,
/// operands that are computed from them, and addresses and row values. The fit
/// is from benchmarks/notes/occupancy.md.
inline int64_t estimateRegisters(int64_t accRegisters) {
  constexpr int64_t kOthers = 32;
  return accRegisters + accRegisters / 2 + kOthers;
}

/// The register file of an SM. Each quarter allocates its registers to every
/// fourth warp, with the same number for each thread, in multiples of `kUnit`.
struct RegisterFile {
  static constexpr int64_t kQuarters = 4, kOfQuarter = 16384, kLanes = 32,
                           kUnit = 8, kOfThread = 255;
};

/// The warps that fill an SM with 64 registers a thread.
inline constexpr int64_t kFillingWarps = 32;

/// The registers of a thread if `numWarps` warps share an SM.
inline int64_t getRegisterShare(int64_t numWarps) {
  using File = RegisterFile;
  int64_t warps =
      std::max<int64_t>((numWarps + File::kQuarters - 1) / File::kQuarters, 1);
  return File::kOfQuarter / (File::kLanes * warps) / File::kUnit * File::kUnit;
}

/// The initial registers of a thread in a CTA of `numWarps` warps whose roles
/// reallocate registers: the assembler's choice for `numCtas` CTAs per SM.
inline int64_t getFirstRegisters(int64_t numWarps, int64_t numCtas) {
  using File = RegisterFile;
  return std::min(getRegisterShare(numWarps * numCtas),
                  File::kOfThread / File::kUnit * File::kUnit);
}

/// The CTAs of `numWarps` warps that fit on an SM with `registers` a thread.
inline int64_t countCtasByRegisters(int64_t registers, int64_t numWarps) {
  using File = RegisterFile;
  return File::kQuarters * (File::kOfQuarter / (File::kLanes * registers)) /
         numWarps;
}

} // namespace tilewright
