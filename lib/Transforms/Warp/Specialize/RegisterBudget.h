// The occupancy that the registers of the consumers allow.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_REGISTERBUDGET_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_REGISTERBUDGET_H

#include "dialect/Tile/TileOps.h"

namespace tilewright::warp {

class RegisterBudget {
public:
  /// `func` gets one producer warp; `numGroups` is its number of ping-pong
  /// groups.
  RegisterBudget(tile::FuncOp func, int32_t numGroups);

  /// Whether threads compute operands of some dots from the results of others,
  /// as in attention. Occupancy then hides more latency than deeper prefetching
  /// does.
  bool areChained() const { return isChained; }
  /// Whether the accumulators of two warpgroups leave no registers for a second
  /// CTA.
  bool areTight() const { return isTight; }
  /// Whether two CTAs of one consumer warpgroup fit on an SM only if consumer
  /// threads take registers over from the producer, and that suffices.
  bool needHalf() const { return isHalf; }
  /// Returns an estimate of the CTAs per SM that the registers allow. It is 1
  /// if more would cost ring slots without a gain.
  int64_t countCtas() const { return numCtas; }

private:
  bool isChained, isTight, isHalf;
  int64_t numCtas = 1;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_REGISTERBUDGET_H
