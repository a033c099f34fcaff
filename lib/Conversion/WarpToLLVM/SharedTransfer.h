// One tile on its way between the registers of the threads and a tile in shared
// memory.

#pragma once

#include "lib/Conversion/WarpToLLVM/SharedTile.h"

namespace tilewright {

class SharedTransfer {
public:
  /// `registers` and `memory` lay out the same tile of the LLVM type `element`,
  /// which takes `elementBytes` in memory; it starts at `base`.
  SharedTransfer(mlir::ImplicitLocOpBuilder &b, const LinearLayout &registers,
                 const LinearLayout &memory, mlir::Type element,
                 unsigned elementBytes, mlir::Value base);

  /// Stores the registers of the tile; of copies, one is stored.
  /// `hasStoreMatrix` says whether the target has `stmatrix`.
  void store(mlir::ValueRange values, bool hasStoreMatrix = false);
  /// The registers of the tile.
  llvm::SmallVector<mlir::Value> load();
  /// The same from the memory of another block of the cluster, of which base is
  /// an address.
  llvm::SmallVector<mlir::Value> loadRemote();

private:
  mlir::ImplicitLocOpBuilder &b;
  mlir::Type element;
  unsigned elementBytes;
  mlir::Value base;
  /// With and without registers that hold copies.
  LinearLayout full, registers;
  SharedAccess access;
  SharedTile shared;
};

} // namespace tilewright
