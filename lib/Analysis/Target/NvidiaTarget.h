// Properties of a GPU that decide about layouts and instructions.

#ifndef TILEWRIGHT_LIB_ANALYSIS_TARGET_NVIDIATARGET_H
#define TILEWRIGHT_LIB_ANALYSIS_TARGET_NVIDIATARGET_H

#include <cstdint>

namespace tilewright {

struct NvidiaTarget {
  /// 10 * major + minor of the compute capability, from 80 on.
  unsigned computeCapability = 80;
  /// Whether code may use architecture-specific features, as `sm_90a` allows.
  bool archSpecific = false;
  /// Whether kernels may build tensor maps. Assemblers for PTX before 8.6
  /// expect strides in other units.
  bool makesMaps = true;

  /// Conversions and mma of 8-bit floats.
  bool hasFloat8() const { return computeCapability >= 89; }
  /// Packed addition of two bfloat16.
  bool hasPairs() const { return computeCapability >= 90; }
  /// Conversions of integers to bfloat16 in one instruction.
  bool hasIntegerToBF16() const { return computeCapability >= 90; }
  /// `wgmma`.
  bool hasWgmma() const { return computeCapability == 90 && archSpecific; }
  /// `stmatrix`.
  bool hasStoreMatrix() const { return computeCapability >= 90; }
  /// Programmatic dependent launch: a kernel starts before its predecessor on
  /// the stream ends.
  bool hasDependentLaunches() const { return computeCapability >= 90; }
  /// The maximum shared memory of a CTA in bytes.
  int64_t getSharedMemoryLimit() const;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_TARGET_NVIDIATARGET_H
