// One tile on its way between the registers of the threads and a tile in shared
// memory.

#pragma once

#include "lib/Conversion/WarpToLLVM/Memory/SharedTile.h"
#include "lib/Layout/MatrixAccess.h"

namespace tilewright {

class SharedTransfer {
public:
  /// `registers` lays out a tile of the LLVM type `element`, which takes
  /// `elementBytes` in memory, and `memory` what is at `base`: the same tile,
  /// or a larger one in which the tile starts at `start`, a multiple of its
  /// sides.
  SharedTransfer(mlir::ImplicitLocOpBuilder &b, const LinearLayout &registers,
                 const LinearLayout &memory, mlir::Type element,
                 unsigned elementBytes, mlir::Value base,
                 llvm::ArrayRef<int64_t> start = {});

  /// Stores the registers of the tile; of copies, one is stored.
  /// `hasStoreMatrix` says whether the target has `stmatrix`.
  void store(mlir::ValueRange values, bool hasStoreMatrix = false);
  /// The registers of the tile.
  llvm::SmallVector<mlir::Value> load();
  /// The same from the memory of another block of the cluster, of which base is
  /// an address.
  llvm::SmallVector<mlir::Value> loadRemote();

private:
  std::optional<MatrixAccess> planMatrices() const;

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type element;
  unsigned elementBytes;
  mlir::Value base;
  /// Where the tile starts in the memory, in elements.
  uint64_t origin;
  /// With and without registers that hold copies.
  LinearLayout full, registers;
  SharedAccess access;
  SharedTile shared;
};

} // namespace tilewright
