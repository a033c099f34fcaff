// How warp specialisation divides shared memory: the slots of rings, and the
// memory of stores.

#pragma once

#include "lib/Transforms/Warp/Specialize/SpecializePlan.h"

namespace tilewright::warp {

/// Gives each group of loads a ring; groups of the same tiles that are not
/// loaded in turn take turns with one.
void assignRings(SpecializePlan &plan, int64_t numStages);

/// Divides shared memory among the rings of `assignRings` and stores, where
/// more groups may share a ring; gives the number of programs for which it
/// suffices.
int64_t planMemory(SpecializePlan &plan, tile::FuncOp func, int64_t numStages,
                   int64_t limit);

/// Whether each ring has that many slots, or all that its loop asks for.
bool areDeep(const SpecializePlan &plan, int64_t slots);

} // namespace tilewright::warp
