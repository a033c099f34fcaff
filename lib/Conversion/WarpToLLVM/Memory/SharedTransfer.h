// Transfers one tile between registers and shared memory.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_SHAREDTRANSFER_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_SHAREDTRANSFER_H

#include "lib/Conversion/WarpToLLVM/Memory/SharedTile.h"
#include "lib/Layout/MatrixAccess.h"

namespace tilewright {

class SharedTransfer {
public:
  /// `registers` is the layout of a tile of the LLVM type `element`, which
  /// takes `elementBytes` in memory. `memory` is the layout of the memory at
  /// `base`: the same tile, or a larger one that contains it at `start`, a
  /// multiple of its extents.
  SharedTransfer(mlir::ImplicitLocOpBuilder &b, const LinearLayout &registers,
                 const LinearLayout &memory, mlir::Type element,
                 unsigned elementBytes, mlir::Value base,
                 llvm::ArrayRef<int64_t> start = {});

  /// Stores the registers of the tile, one of each set of copies.
  /// `hasStoreMatrix`: whether the target has `stmatrix`.
  void store(mlir::ValueRange values, bool hasStoreMatrix = false);
  /// Returns the registers of the tile.
  llvm::SmallVector<mlir::Value> load();
  /// As `load`, from the memory of another CTA of the cluster; `base` is an
  /// address in it.
  llvm::SmallVector<mlir::Value> loadRemote();

private:
  std::optional<MatrixAccess> planMatrices() const;

  mlir::ImplicitLocOpBuilder &b;
  mlir::Type element;
  unsigned elementBytes;
  mlir::Value base;
  /// Start of the tile in the memory, in elements.
  uint64_t origin;
  /// The register layout with and without registers that hold copies.
  LinearLayout full, registers;
  SharedAccess access;
  SharedTile shared;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_SHAREDTRANSFER_H
