// Checks that producers and consumers pass the slots of their rings in step.
//
// Simulates all roles together for all combinations of small trip counts and
// branch outcomes. Loops that are the same in two roles have the same trip
// count, and conditions that are the same have the same outcome. The number of
// slots that a role passes is linear in the trip count of each loop that runs
// at all. So equality for zero, one and two iterations implies it for any
// number. Each ping-pong group runs the role by itself; the parity of
// iterations tells which group has a tile.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLEORDER_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLEORDER_H

#include "dialect/Warp/WarpOps.h"

namespace tilewright::warp {

/// Fails with an error if roles deadlock or leave filled slots.
llvm::LogicalResult checkOrder(SpecializeOp roles);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLEORDER_H
