// Loads of the tensor memory accelerator, and which of them fill a slot of a
// ring together.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

namespace tilewright::warp {

/// A tile that the tensor memory accelerator brings.
struct TmaLoad {
  tile::DescriptorLoadOp load;
  /// The result of `load` without the leading dimensions of size 1 that a
  /// reshape drops.
  mlir::Value tile;
  SharedType memory;

  /// The allocations of `tile` that a slot takes the place of.
  llvm::SmallVector<AllocOp> getServed() const;
  /// The conversions of the tile that threads may as well leave out: they read
  /// it from memory in the new layout, several bytes at once.
  llvm::SmallVector<ConvertLayoutOp> getReadInstead() const;
};

/// Loads that fill a slot together.
struct LoadGroup {
  llvm::SmallVector<TmaLoad> loads;
  /// The number of its ring.
  unsigned ring = 0;
  /// The slots that the loop around wants.
  int64_t wantedSlots = 1;

  mlir::Block *getBlock() const { return loads.front().load->getBlock(); }
  llvm::SmallVector<SharedType> getTiles() const;
};

/// Whether `op`, or what stands in it, tells other programs that this one has
/// read what comes before it.
bool releases(mlir::Operation *op);

/// The loads of a function from descriptors, in groups: both operands of a
/// product come together, and so do those of several products that share one.
llvm::SmallVector<LoadGroup> collectGroups(tile::FuncOp func);

} // namespace tilewright::warp
