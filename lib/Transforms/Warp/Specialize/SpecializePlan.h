// What warp specialisation will do to a function: which loads a producer warp
// issues, and through which rings.

#pragma once

#include "lib/Transforms/Warp/Specialize/LoadGroups.h"

namespace tilewright::warp {

/// What the consumers compute and the producer needs.
struct RingScalar {
  mlir::Operation *op;
  /// Of one number.
  RingType ring;
};

struct SpecializePlan {
  llvm::SmallVector<LoadGroup> groups;
  llvm::SmallVector<RingType> rings;
  llvm::SmallVector<RingScalar> handed;
  /// The warpgroups that take tiles in turn; 1 where all warps share each tile.
  int32_t numGroups = 1;
  /// The sums of two warpgroups of consumers take so many registers that one
  /// program takes all of a multiprocessor's.
  bool isTight = false;
  /// They take so many that two programs share a multiprocessor only if the
  /// producers give theirs back.
  bool isHalved = false;
  /// Memory that lies in the slots of rings when nobody needs these any more.
  llvm::SmallVector<mlir::Operation *> behind;
  /// Memory of stores, and the bytes that it shrinks to.
  llvm::SmallVector<std::pair<AllocOp, int64_t>> shrunk;
};

struct PingPongPlan;

/// The plan for a function, without groups where it loads nothing from
/// descriptors. Rings have `numStages` slots in loops without a hint, fewer
/// where `limit`, the bytes of shared memory of a program, asks for it. Tiles
/// that are needed one behind the other share a ring where that makes another
/// one deep enough or lets another program run on the multiprocessor. Stores
/// go through two pieces of memory, one of which is copied while the other is
/// written, but through one where that makes a ring deep enough, of teams
/// deeper at all, or lets another program run on the multiprocessor. Where
/// `teams` is given, it is filled with the plan for those, and the memory is
/// divided for as many as there are.
SpecializePlan planSpecialization(tile::FuncOp func, int64_t numStages,
                                  int64_t limit, PingPongPlan *teams);

} // namespace tilewright::warp
