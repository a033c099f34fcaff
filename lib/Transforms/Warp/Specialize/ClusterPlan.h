// Plans clusters: the loads that the CTAs of a cluster can share, and whether
// the function allows for clusters.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_CLUSTERPLAN_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_CLUSTERPLAN_H

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::warp {

/// A load that neighbouring programs share.
struct SharedLoad {
  TmaLoadOp load;
  /// If false, they share it only if their coordinates are equal at run time.
  bool isAlways;
};

/// One role of the function.
struct ClusterRole {
  mlir::Region *region;
  /// The loop over the programs, or tiles, of a CTA, which starts at the id of
  /// the CTA; null if a CTA runs one program.
  mlir::scf::ForOp programs;
  /// Ops with effects that other programs or the host see.
  llvm::SmallVector<mlir::Operation *> stores;
};

struct ClusterPlan {
  SpecializeOp roles;
  llvm::SmallVector<ClusterRole, 2> parts;
  llvm::SmallVector<SharedLoad> loads;
  /// The rings that `loads` fill.
  llvm::SmallSetVector<mlir::Value, 2> rings;
  /// Why clusters are not possible; empty if they are.
  llvm::StringRef obstacle;
};

/// Returns the plan for clusters of `clusterSize` CTAs.
ClusterPlan planClusters(tile::FuncOp func, unsigned clusterSize);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_CLUSTERPLAN_H
