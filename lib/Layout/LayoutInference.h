// For ops that move no element between threads: infers layouts of results from
// those of operands, and the register of the operand for each register of the
// result.

#ifndef TILEWRIGHT_LIB_LAYOUT_LAYOUTINFERENCE_H
#define TILEWRIGHT_LIB_LAYOUT_LAYOUTINFERENCE_H

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

/// A layout Register -> Register between two layouts of the same tile. Maps
/// each register of `result` to the register of `source` in which the same
/// thread holds the same element, equally for all threads. Nothing if there is
/// no such map.
std::optional<LinearLayout> registerMap(const LinearLayout &source,
                                        const LinearLayout &result);

/// The layout of a tile of `source` after `axis` is reduced. Every
/// participating thread holds the elements to which it contributed.
LinearLayout reducedLayout(const LinearLayout &source, unsigned axis);

/// `registerMap` for a result that repeats `source` along dimensions of size 1.
std::optional<LinearLayout> broadcastRegisters(const LinearLayout &source,
                                               const LinearLayout &result);

/// `registerMap` for a result with the elements of `source` in row-major order.
std::optional<LinearLayout> reshapeRegisters(const LinearLayout &source,
                                             const LinearLayout &result);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_LAYOUTINFERENCE_H
