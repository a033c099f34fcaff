// Whether the order of the elements of a reduction makes no difference.

#pragma once

#include "dialect/Tile/TileOps.h"

namespace tilewright {

/// Whether `op` says so, or its region computes the same, up to which operand
/// of an addition or the like stands first, with both sides exchanged.
bool commutes(tile::ReduceOp op);

/// Says it of all reductions in `func` of which it is found, so that nothing
/// that later becomes of their regions changes how they are computed.
void markCommuting(tile::FuncOp func);

} // namespace tilewright
