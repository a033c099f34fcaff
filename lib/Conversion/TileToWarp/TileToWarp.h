// The steps of convert-tile-to-warp.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOWARP_TILETOWARP_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOWARP_TILETOWARP_H

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Layout/LayoutAssignment.h"
#include "lib/Analysis/Layout/TileSize.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

namespace tilewright::warp {

/// Emits an error and fails on ops that the NVIDIA back end does not support.
llvm::LogicalResult checkTiles(tile::FuncOp func, int64_t numWarps);

/// Emits an error and fails on an explicit wgmma that `numWarps` warps can not
/// compute.
llvm::LogicalResult checkDots(tile::FuncOp func, int64_t numWarps);

/// Rewrites dots that `target`'s tensor cores can not compute as they are into
/// dots for tensor cores or threads; see isTensorCoreDot. With `cutTf32`, tf32
/// operands are truncated, not rounded.
void decomposeDots(tile::FuncOp func, int64_t numWarps,
                   const NvidiaTarget &target, bool cutTf32);

/// Gives every tile its layout and makes each use see the layout it demands.
void materialiseLayouts(tile::FuncOp func, const LayoutAssignment &layouts);

/// Whether a conversion moves so much data that shared memory is faster. Beyond
/// a few words per thread, shuffles take more instructions than `ldmatrix`.
bool movesMuch(ConvertLayoutOp convert);

/// Stages loads in shared memory: those from which loops compute operands of
/// `mma.sync`, packed weights for `wgmma`, and `rows`. TMA loads the other
/// operands of `wgmma`.
void stageLoads(tile::FuncOp func, const LayoutAssignment &layouts,
                const StagedVectors &rows);

/// Replaces dots by tensor-core ops, and stores operands that these read from
/// shared memory there.
void formDots(tile::FuncOp func, const LayoutAssignment &layouts);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOWARP_TILETOWARP_H
