// Places the operands of dots that threads compute without tensor cores.
//
// Each thread computes its elements of the result. For that it needs whole rows
// of `a` and columns of `b`. If its registers hold them, nothing is to do.
// Otherwise both operands are in shared memory, and a thread reads some steps
// along the contracted dimension at a time. Registers for all steps would
// spill.
//
// A thread reads 16 bytes at once: consecutive elements along the contracted
// dimension or across it, depending on the layout in memory. Adjacent lanes
// must read different banks in one phase: elements of adjacent rows in the
// first case, adjacent 16-byte vectors in the second. If an operand is
// contiguous along the contracted dimension, a thread holds every eighth row.
// Otherwise it holds groups of consecutive rows.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MMA_THREADDOT_H
#define TILEWRIGHT_LIB_ANALYSIS_MMA_THREADDOT_H

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpAttributes.h"
#include "lib/Layout/TileLayouts.h"

namespace tilewright {

/// The dimension of operand A or B, of rank 2 or 3, that a dot sums over.
unsigned getContractedDim(MmaOperand operand, unsigned rank);

/// Whether every thread holds the rows and columns that it needs of the
/// operands.
bool holdsOperands(tile::DotOp dot);

/// The layout in shared memory of an operand that threads read and that is
/// stored from registers with the layout of `tile`. `contracted` is the
/// dimension that is summed over.
warp::LinearAttr chooseThreadOperand(mlir::RankedTensorType tile,
                                     unsigned contracted);

/// Whether a thread with `layout` holds consecutive elements along `dim`.
bool hasNeighboursAlong(const LinearLayout &layout, unsigned dim);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MMA_THREADDOT_H
