// Decides about producers of kernels whose dot operands are upcast: threads
// compute them from narrower types, such as weights of few bits, and store them
// for wgmma.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MMA_UPCASTOPERANDS_H
#define TILEWRIGHT_LIB_ANALYSIS_MMA_UPCASTOPERANDS_H

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

namespace tilewright {

/// Whether the consumers of `func` should also load the operands of its dots,
/// without a producer warp:
/// 1. All dots are in loops, wgmma computes them, and they are not chained.
/// 2. Each loop upcasts B, or idle programs are scattered over the grid, so
///    that no CTA runs several programs in sequence.
/// 3. More CTAs fit on an SM without the producer warp, by registers and by
///    shared memory for `numStages` iterations.
bool fitsMoreCtasWithoutProducer(tile::FuncOp func, int64_t numWarps,
                                 int64_t numStages, const NvidiaTarget &target);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MMA_UPCASTOPERANDS_H
