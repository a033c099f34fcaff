// The occupancy that a kernel gains from.
#ifndef TILEWRIGHT_LIB_ANALYSIS_TARGET_OCCUPANCYGOAL_H
#define TILEWRIGHT_LIB_ANALYSIS_TARGET_OCCUPANCYGOAL_H

#include <cstdint>

namespace tilewright {

/// The number of CTAs per SM that a kernel gains from, and the warps of each.
/// Converts to false for other kernels.
struct OccupancyGoal {
  int64_t ctas = 0, warps = 0;
  /// Whether it has dots, which wait for work of threads.
  bool hasDots = false;
  /// Whether ring slots were given up for another CTA.
  bool isPlanned = false;
  /// Whether threads compute operands of its dots in registers.
  bool computesInRegisters = false;

  explicit operator bool() const { return ctas > 1; }
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_TARGET_OCCUPANCYGOAL_H
