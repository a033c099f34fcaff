// Limits that keep a launch free of allocations.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_LIMITS_H
#define TILEWRIGHT_PYTHON_LAUNCHER_LIMITS_H

#include <cstddef>

namespace tilewright::python {

/// Parameters of a kernel, each element of a tuple among them. What PyTorch's
/// compiler fuses has up to 250.
constexpr size_t kMaxParameters = 320;

/// Values that a launch passes: in debug mode an array and both its ends.
constexpr size_t kMaxSlots = 3 * kMaxParameters;

/// Options of a launch (num_warps, ...).
constexpr size_t kMaxOptions = 24;

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_LIMITS_H
