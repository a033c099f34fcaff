// The steps of convert-tile-to-warp.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOWARP_TILETOWARP_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOWARP_TILETOWARP_H

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/LayoutAssignment.h"
#include "lib/Analysis/NvidiaTarget.h"

namespace tilewright::warp {

/// Fails, with an error at the op, where the rings of an explicit kernel are
/// not used as their ops promise.
llvm::LogicalResult checkRings(tile::FuncOp func);

/// The roles of `func`; null if it has none.
SpecializeOp getRoles(tile::FuncOp func);

/// The roles of `roles` that have tiles in registers.
llvm::SmallVector<unsigned> getComputingRoles(SpecializeOp roles);

/// Fails, with an error at the op, on what the NVIDIA back end does not take.
llvm::LogicalResult checkTiles(tile::FuncOp func, int64_t numWarps);

/// Fails, with an error at the op, on an explicit product that `numWarps` warps
/// do not compute.
llvm::LogicalResult checkProducts(tile::FuncOp func, int64_t numWarps);

/// Fails, with an error at `op`, if `tile`, for which `numPlaces` elements are
/// held, is more than a program can compute on.
llvm::LogicalResult checkTileSize(mlir::Operation *op,
                                  mlir::RankedTensorType tile,
                                  int64_t numPlaces, int64_t numWarps);

/// Rewrites every dot that `target`'s tensor cores can not compute as it is
/// into such as they can or threads can: see isTensorCoreDot. With `cutTf32`
/// operands in tf32 are cut off, not rounded.
void decomposeDots(tile::FuncOp func, int64_t numWarps,
                   const NvidiaTarget &target, bool cutTf32);

/// Gives every tile its layout and makes each use see the layout it demands.
void materialiseLayouts(tile::FuncOp func, const LayoutAssignment &layouts);

/// Whether a conversion moves so much that shared memory is the better way:
/// beyond some words of a thread, shuffles take more instructions than loads of
/// matrices do.
bool movesMuch(ConvertLayoutOp convert);

/// Copies to shared memory what loops load and compute operands of `mma.sync`
/// from; of `wgmma` the packed weights, as tensor maps bring the rest. And
/// `rows`.
void stageLoads(tile::FuncOp func, const LayoutAssignment &layouts,
                const CopiedRows &rows);

/// Turns dots whose operands are in place into tensor-core ops, and stores to
/// shared memory what those read from there.
void formDots(tile::FuncOp func, const LayoutAssignment &layouts);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOWARP_TILETOWARP_H
