// Decides whether two ping-pong groups can alternate between the tiles of a
// kernel: one group runs its dots while the other stores the previous tile.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_PINGPONGPLAN_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_PINGPONGPLAN_H

#include "lib/Transforms/Warp/Specialize/SpecializePlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SetVector.h"

namespace tilewright::warp {

struct PingPongPlan {
  static constexpr int32_t kNumPingPongGroups = 2;

  /// The loop over tiles; null if ping-pong is not possible.
  mlir::scf::ForOp tiles;
  /// The ops of its body, in order, that determine the slots of a tile and the
  /// values that the next iteration starts with. All groups run them for all
  /// tiles.
  llvm::SetVector<mlir::Operation *> common;
  /// Why ping-pong is not possible, and the op that prevents it.
  llvm::StringRef obstacle;
  mlir::Operation *obstacleOp = nullptr;
};

/// Returns the ping-pong plan for `func`, whose specialization is `plan`.
PingPongPlan planPingPong(tile::FuncOp func, const SpecializePlan &plan);

/// A loop in the body of `tiles` that waits for one slot of a ring in each
/// iteration.
struct SlotLoop {
  /// Null if the body itself waits for one slot.
  mlir::scf::ForOp loop;
  mlir::Value ring;
};

/// Rewrites the loop over tiles of the consumer, which waits for `slots`. Each
/// group computes every second tile and skips the slots of the others.
void formPingPong(const PingPongPlan &plan, llvm::ArrayRef<SlotLoop> slots);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_PINGPONGPLAN_H
