// How warp specialization divides shared memory between ring slots and the
// staging buffers of stores.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_SPECIALIZEMEMORY_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_SPECIALIZEMEMORY_H

#include "lib/Transforms/Warp/Specialize/SpecializePlan.h"

namespace tilewright::warp {

/// Assigns a ring to each group of loads. Groups with the same tile types share
/// one if their blocks are different and not nested.
void assignRings(SpecializePlan &plan, int64_t numStages);

/// Divides shared memory among the rings of `assignRings` and the stores. May
/// let more groups share a ring. Returns the number of CTAs per SM that fit.
int64_t planMemory(SpecializePlan &plan, tile::FuncOp func, int64_t numStages,
                   int64_t limit);

/// Whether each ring has `slots` slots, or as many as its loop asks for.
bool areDeep(const SpecializePlan &plan, int64_t slots);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_SPECIALIZEMEMORY_H
