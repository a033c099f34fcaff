// Limits that keep a launch free of allocations.
#ifndef TILEWRIGHT_PYTHON_RUNTIME_LIMITS_H
#define TILEWRIGHT_PYTHON_RUNTIME_LIMITS_H

#include <cstddef>

namespace tilewright::python {

/// Parameters of a kernel.
constexpr size_t kMaxParameters = 128;

/// Values that a launch passes: in debug mode an array and both its ends.
constexpr size_t kMaxSlots = 3 * kMaxParameters;

/// Options of a launch (num_warps, ...).
constexpr size_t kMaxOptions = 16;

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_RUNTIME_LIMITS_H
