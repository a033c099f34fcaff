// What the lowering must know of the GPU.

#pragma once

namespace tilewright {

struct NvidiaTarget {
  /// 10 * major + minor of the compute capability.
  unsigned computeCapability = 80;

  /// Conversions and products of 8-bit floats.
  bool hasFloat8() const { return computeCapability >= 89; }
};

} // namespace tilewright
