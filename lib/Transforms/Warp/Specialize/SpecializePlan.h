// The plan of warp specialization for one function: the loads that a producer
// warp issues, and their rings.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_SPECIALIZEPLAN_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_SPECIALIZEPLAN_H

#include "lib/Transforms/Warp/Specialize/LoadGroups.h"

namespace tilewright::warp {

/// A scalar that the consumers compute and forward to the producer.
struct RingScalar {
  mlir::Operation *op;
  /// One slot with one scalar.
  RingType ring;
};

struct SpecializePlan {
  llvm::SmallVector<LoadGroup> groups;
  llvm::SmallVector<RingType> rings;
  llvm::SmallVector<RingScalar> scalars;
  /// The number of ping-pong groups; 1 if all warps share each tile.
  int32_t numGroups = 1;
  /// The accumulators of two consumer warpgroups allow only one CTA per SM.
  bool isTight = false;
  /// The accumulators allow two CTAs per SM only if the producer warpgroups
  /// release registers.
  bool isHalved = false;
  /// Allocations that reuse the ring slots after the last use of the rings.
  llvm::SmallVector<mlir::Operation *> reusesSlots;
  /// Staging buffers of stores, and the bytes that they shrink to.
  llvm::SmallVector<std::pair<AllocOp, int64_t>> shrunk;
};

struct PingPongPlan;

/// Returns the plan for a function. It has no groups if the function loads
/// nothing from descriptors.
///
/// Rings have `numStages` slots in loops without a hint. They have fewer if
/// `limit`, the bytes of shared memory of a CTA, requires it. Two choices trade
/// shared memory for deeper rings or for occupancy:
///   1. Tiles that are needed one after the other share a ring.
///   2. Stores use one staging buffer instead of two, so a copy no longer
///      overlaps the next write.
/// Each is taken if it makes a shallow ring deeper or lets one more CTA run per
/// SM. For ping-pong groups any deeper ring justifies the second.
///
/// If `pingPong` is given, it receives the plan for ping-pong groups, and the
/// memory is divided among them.
SpecializePlan planSpecialization(tile::FuncOp func, int64_t numStages,
                                  int64_t limit, PingPongPlan *pingPong);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_SPECIALIZEPLAN_H
