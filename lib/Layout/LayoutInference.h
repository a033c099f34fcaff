// Layouts of results from layouts of operands, for ops that move no element
// between threads, and which register of the operand each register of the
// result then takes.

#pragma once

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

/// Layouts of the same tile: from each register of `result` to the register of
/// `source` in which the same thread holds the same element, for every thread
/// alike; nothing if some element is elsewhere. A layout Register -> Register.
std::optional<LinearLayout> registerMap(const LinearLayout &source,
                                        const LinearLayout &result);

/// The layout of a tile of `source` after `axis` was reduced: every thread that
/// took part keeps the elements it contributed to.
LinearLayout reducedLayout(const LinearLayout &source, unsigned axis);

/// `registerMap` for a result that repeats `source` along dimensions of size 1.
std::optional<LinearLayout> broadcastRegisters(const LinearLayout &source,
                                               const LinearLayout &result);

/// `registerMap` for a result with the elements of `source` in row-major order.
std::optional<LinearLayout> reshapeRegisters(const LinearLayout &source,
                                             const LinearLayout &result);

} // namespace tilewright
