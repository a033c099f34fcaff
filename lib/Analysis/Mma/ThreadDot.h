// How threads without tensor cores get at the operands of a dot.
//
// Each thread computes its elements of the result and needs, of the operands,
// whole rows of `a` and columns of `b`. Where its registers hold them, nothing
// is to do. Otherwise both operands lie in shared memory and are read some
// steps along the contracted dimension at a time: registers for all of it would
// spill.
//
// 16 bytes are read at once: neighbours along the contracted dimension or
// across, however the operand lies in memory. What lanes next to each other
// read in one phase must lie in different banks: elements of neighbouring rows
// in the one case, 16 bytes side by side in the other. So a thread holds every
// eighth row of an operand that lies along the contracted dimension, and groups
// of neighbours of one that lies across.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpAttributes.h"
#include "lib/Layout/TileLayouts.h"

namespace tilewright {

/// The dimension of operand A or B, of rank 2 or 3, that a dot sums over.
unsigned getContractedDim(MmaOperand operand, unsigned rank);

/// Whether every thread holds what it needs of both operands.
bool holdsOperands(tile::DotOp dot);

/// The layout in shared memory of an operand that threads read, and that is
/// stored from registers laid out as `tile`; `contracted` is the dimension that
/// is summed over.
warp::LinearAttr chooseThreadOperand(mlir::RankedTensorType tile,
                                     unsigned contracted);

/// Whether threads with `layout` have neighbours along dimension `dim`.
bool hasNeighboursAlong(const LinearLayout &layout, unsigned dim);

} // namespace tilewright
