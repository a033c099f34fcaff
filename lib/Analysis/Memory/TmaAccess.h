// Selects the accesses through descriptors that the tensor memory accelerator
// (TMA) performs.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMAACCESS_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMAACCESS_H

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/AxisInfo.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

namespace tilewright {

/// Whether elementwise ops and reshapes of matrices, such as joins and splits,
/// compute an operand of a dot from `tile` that `wgmma` computes.
bool feedsWgmma(mlir::Value tile, int64_t numWarps, const NvidiaTarget &target);

/// The source of `block` before reshapes added leading dimensions of size 1.
mlir::Value dropLeadingOnes(mlir::Value block);

/// Returns why TMA cannot copy a block of `desc` that starts at `offsets`;
/// empty if it can. The host builds the tensor map, or the device for `access`
/// unless that is null.
llvm::StringRef getCopyObstacle(mlir::Value desc, mlir::OperandRange offsets,
                                const AxisInfoAnalysis &axes,
                                mlir::Operation *access = nullptr);

/// Why TMA does not perform an access, or all loads of a function.
struct TmaObstacle {
  mlir::Operation *op;
  llvm::StringRef reason;
};

/// The loads of `func` that a producer warp copies to shared memory by TMA:
/// those of operands of `wgmma`. Appends the reasons for other loads to
/// `obstacles`.
llvm::SmallVector<tile::DescriptorLoadOp>
findTmaLoads(tile::FuncOp func, int64_t numWarps, const NvidiaTarget &target,
             llvm::SmallVectorImpl<TmaObstacle> &obstacles);

/// A store that TMA performs. With `asks`, the kernel checks at run time that
/// rows have a multiple of 16 bytes, since their length comes from memory.
struct TmaStore {
  tile::DescriptorStoreOp op;
  bool asks;
};

/// The stores to descriptors of `func` that TMA performs: whole tiles, to
/// arrays that the kernel does not access elsewhere.
llvm::SmallVector<TmaStore>
findTmaStores(tile::FuncOp func, const NvidiaTarget &target,
              llvm::SmallVectorImpl<TmaObstacle> &obstacles);

/// Emits `obstacles` as remarks of `pass`.
void remarkTmaObstacles(llvm::ArrayRef<TmaObstacle> obstacles,
                        llvm::StringRef pass);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMAACCESS_H
