// What the choice of layouts and of instructions needs to know of a GPU.

#ifndef TILEWRIGHT_LIB_ANALYSIS_TARGET_NVIDIATARGET_H
#define TILEWRIGHT_LIB_ANALYSIS_TARGET_NVIDIATARGET_H

#include <cstdint>

namespace tilewright {

struct NvidiaTarget {
  /// 10 * major + minor of the compute capability, from 80 on.
  unsigned computeCapability = 80;
  /// Whether code may use what only this very GPU has: `sm_90a`.
  bool archSpecific = false;
  /// Whether kernels may make tensor maps. Assemblers for PTX before 8.6 take
  /// the strides of an array in other units.
  bool makesMaps = true;

  /// Conversions and products of 8-bit floats.
  bool hasFloat8() const { return computeCapability >= 89; }
  /// Sums of two bfloat16 at a time.
  bool hasPairs() const { return computeCapability >= 90; }
  /// Conversions of integers to bfloat16 in one instruction.
  bool hasIntegerToBF16() const { return computeCapability >= 90; }
  /// Products of warpgroups.
  bool hasWgmma() const { return computeCapability == 90 && archSpecific; }
  /// `stmatrix`.
  bool hasStoreMatrix() const { return computeCapability >= 90; }
  /// Kernels that start before those in front of them on their stream end.
  bool hasDependentLaunches() const { return computeCapability >= 90; }
  /// The bytes of shared memory that one program may use.
  int64_t getSharedMemoryLimit() const;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_TARGET_NVIDIATARGET_H
