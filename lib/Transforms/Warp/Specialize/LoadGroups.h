// Loads through TMA, and the groups of them that fill a ring slot together.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_LOADGROUPS_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_LOADGROUPS_H

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

namespace tilewright::warp {

/// A tile that TMA loads.
struct TmaLoad {
  tile::DescriptorLoadOp load;
  /// The result of `load` without the leading dimensions of size 1 that a
  /// reshape drops.
  mlir::Value tile;
  SharedType memory;

  /// Returns the allocations of `tile` that a slot replaces.
  llvm::SmallVector<AllocOp> getServed() const;
  /// Returns the layout conversions of the tile that a read of the slot in the
  /// new layout replaces, because it reads several bytes at once.
  llvm::SmallVector<ConvertLayoutOp> getReadInstead() const;
};

/// Loads that fill a slot together.
struct LoadGroup {
  llvm::SmallVector<TmaLoad> loads;
  /// The index of its ring.
  unsigned ring = 0;
  /// The slots that the enclosing loop asks for.
  int64_t wantedSlots = 1;

  mlir::Block *getBlock() const { return loads.front().load->getBlock(); }
  llvm::SmallVector<SharedType> getTiles() const;
};

/// Whether `op` or an op in its regions releases memory to other programs.
/// Earlier reads of this program must be complete before it.
bool releases(mlir::Operation *op);

/// Returns the loads from descriptors of a function in groups. The operands of
/// one dot form a group, as do those of several dots that share an operand.
llvm::SmallVector<LoadGroup> collectGroups(tile::FuncOp func);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_LOADGROUPS_H
