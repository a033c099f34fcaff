// Whether two warpgroups can take the tiles of a kernel in turn: one computes
// its products while the other stores the tile before.

#pragma once

#include "lib/Transforms/Warp/Specialize/SpecializePlan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SetVector.h"

namespace tilewright::warp {

struct PingPongPlan {
  static constexpr int32_t kNumPingPongGroups = 2;

  /// The loop over tiles, null where there is none for teams.
  mlir::scf::ForOp tiles;
  /// What of its body tells how many slots a tile takes, and what the next one
  /// starts with: all teams compute it for all tiles, in this order.
  llvm::SetVector<mlir::Operation *> common;
  /// Why there are no teams, and the op that is in the way.
  llvm::StringRef obstacle;
  mlir::Operation *obstacleOp = nullptr;
};

/// The plan for `func`, which loads `groups` and hands values over.
PingPongPlan planPingPong(tile::FuncOp func, const SpecializePlan &plan);

/// A loop in the body of `tiles` that fills, or waits for, slots; or the body
/// itself.
struct SlotLoop {
  /// Null where one slot is passed.
  mlir::scf::ForOp loop;
  mlir::Value ring;
};

/// Rewrites the consumer's loop over tiles, which waits for `slots`: each team
/// computes every second tile and passes the slots of the others by.
void formPingPong(const PingPongPlan &plan, llvm::ArrayRef<SlotLoop> slots);

} // namespace tilewright::warp
