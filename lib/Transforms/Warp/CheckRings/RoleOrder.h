// Whether producers and consumers pass the slots of their rings in step.
//
// The roles run one against the other, with loops of few iterations. Loops that
// are the same in two roles run equally often, conditions that are the same
// come out alike, and all else every way. How many slots of a ring a role
// passes is linear in how often each loop runs, once it runs at all: what is
// equal for no, one and two iterations is so for any number. Each team goes
// through its role on its own, and which of two has a turn is known from how
// many there were.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLEORDER_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLEORDER_H

#include "dialect/Warp/WarpOps.h"

namespace tilewright::warp {

/// Fails, with an error, where roles would wait for each other for ever or
/// leave slots behind.
llvm::LogicalResult checkOrder(SpecializeOp roles);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLEORDER_H
