// Which loads the blocks of a cluster can bring together, and whether the
// function allows for clusters.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::warp {

/// A load that neighbouring programs share.
struct SharedLoad {
  TmaLoadOp load;
  /// Else they do where the places turn out to be the same.
  bool isAlways;
};

/// What one role of the function runs.
struct ClusterRole {
  mlir::Region *region;
  /// The loop over the programs, or tiles, of a block, which starts at the
  /// block's number; null where a block runs one program.
  mlir::scf::ForOp programs;
  /// Ops that other programs, or the host, see.
  llvm::SmallVector<mlir::Operation *> stores;
};

struct ClusterPlan {
  SpecializeOp roles;
  llvm::SmallVector<ClusterRole, 2> parts;
  llvm::SmallVector<SharedLoad> loads;
  /// The rings that these fill.
  llvm::SmallSetVector<mlir::Value, 2> rings;
  /// Why there are no clusters; empty if there are.
  llvm::StringRef obstacle;
};

/// The plan for clusters of `clusterSize` blocks.
ClusterPlan planClusters(tile::FuncOp func, unsigned clusterSize);

} // namespace tilewright::warp
