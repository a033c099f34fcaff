// How many programs the registers of a multiprocessor have room for, and how
// many registers a thread may have.

#pragma once

#include <algorithm>
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

/// Of a multiprocessor, each quarter of which deals out its own registers to
/// every fourth warp: to each thread as many, in units.
struct RegisterFile {
  static constexpr int64_t kQuarters = 4, kOfQuarter = 16384, kLanes = 32,
                           kUnit = 8, kOfThread = 255;
};

/// The warps of programs that fill a multiprocessor: as many as have 64
/// registers a thread.
inline constexpr int64_t kFillingWarps = 32;

/// The registers that there are for each thread if so many warps share a
/// multiprocessor.
inline int64_t getRegisterShare(int64_t numWarps) {
  using File = RegisterFile;
  int64_t warps =
      std::max<int64_t>((numWarps + File::kQuarters - 1) / File::kQuarters, 1);
  return File::kOfQuarter / (File::kLanes * warps) / File::kUnit * File::kUnit;
}

/// What each thread of so many warps starts with if its roles deal registers
/// out again: as the assembler chooses for so many programs.
inline int64_t getFirstRegisters(int64_t numWarps, int64_t programs) {
  using File = RegisterFile;
  return std::min(getRegisterShare(numWarps * programs),
                  File::kOfThread / File::kUnit * File::kUnit);
}

/// The programs of so many warps that share a multiprocessor.
inline int64_t countSharing(int64_t registers, int64_t numWarps) {
  using File = RegisterFile;
  return File::kQuarters * (File::kOfQuarter / (File::kLanes * registers)) /
         numWarps;
}

} // namespace tilewright
