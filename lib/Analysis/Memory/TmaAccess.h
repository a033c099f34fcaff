// Which loads from descriptors the tensor memory accelerator serves.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMAACCESS_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMAACCESS_H

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/AxisInfo.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

namespace tilewright {

/// Whether the tile is an operand of a product of warpgroups, as it is, by
/// elementwise ops, or joined, split and put into another shape.
bool feedsWgmma(mlir::Value tile, int64_t numWarps, const NvidiaTarget &target);

/// `block` without the leading dimensions of size 1 that a reshape gives it.
mlir::Value dropLeadingOnes(mlir::Value block);

/// Why the tensor memory accelerator can not copy a block of `desc` that starts
/// at `offsets`; empty if it can. The host makes the map, or the device for
/// `access`, unless that is null.
llvm::StringRef getCopyObstacle(mlir::Value desc, mlir::OperandRange offsets,
                                const AxisInfoAnalysis &axes,
                                mlir::Operation *access = nullptr);

/// Why a load, or all loads of a function, go another way.
struct TmaObstacle {
  mlir::Operation *op;
  llvm::StringRef reason;
};

/// The loads of `func` that a producer warp brings to shared memory by tensor
/// maps: those of operands of `wgmma`.
/// What is in the way of others is appended to `obstacles`.
llvm::SmallVector<tile::DescriptorLoadOp>
findTmaLoads(tile::FuncOp func, int64_t numWarps, const NvidiaTarget &target,
             llvm::SmallVectorImpl<TmaObstacle> &obstacles);

/// A store that the tensor memory accelerator makes; one that `asks`, only
/// where rows turn out to hold a multiple of 16 bytes, as their length comes
/// from memory.
struct TmaStore {
  tile::DescriptorStoreOp op;
  bool asks;
};

/// The stores to descriptors of `func` that the tensor memory accelerator
/// makes: whole tiles, to arrays that the kernel touches nowhere else.
llvm::SmallVector<TmaStore>
findTmaStores(tile::FuncOp func, const NvidiaTarget &target,
              llvm::SmallVectorImpl<TmaObstacle> &obstacles);

/// Remarks of `pass` for what is in the way.
void remarkTmaObstacles(llvm::ArrayRef<TmaObstacle> obstacles,
                        llvm::StringRef pass);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_TMAACCESS_H
