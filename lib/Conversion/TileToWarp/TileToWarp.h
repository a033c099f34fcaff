// The steps of convert-tile-to-warp.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOWARP_TILETOWARP_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOWARP_TILETOWARP_H

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Layout/LayoutAssignment.h"
#include "lib/Analysis/Layout/TileSize.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

namespace tilewright::warp {

/// Fails, with an error at the op, on what the NVIDIA back end does not take.
llvm::LogicalResult checkTiles(tile::FuncOp func, int64_t numWarps);

/// Fails, with an error at the op, on an explicit product that `numWarps` warps
/// do not compute.
llvm::LogicalResult checkDots(tile::FuncOp func, int64_t numWarps);

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
                const StagedVectors &rows);

/// Turns dots whose operands are in place into tensor-core ops, and stores to
/// shared memory what those read from there.
void formDots(tile::FuncOp func, const LayoutAssignment &layouts);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOWARP_TILETOWARP_H
