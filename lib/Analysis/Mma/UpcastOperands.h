// Operands of products that threads compute from narrower numbers, as those of
// weights of few bits, and store for the product to read.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

namespace tilewright {

/// Whether the threads that compute `func` had better load for its products,
/// too: a loop multiplies by what they make of narrower numbers, or programs
/// that have nothing to do lie scattered over the grid, so that none takes
/// several in turn; and without the warp of a producer one more program shares
/// a multiprocessor, as far as registers and memory for `numStages` iterations
/// tell.
bool sharesWithoutProducer(tile::FuncOp func, int64_t numWarps,
                           int64_t numStages, const NvidiaTarget &target);

} // namespace tilewright
