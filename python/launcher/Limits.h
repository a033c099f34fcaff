// Limits that make allocations during a launch unnecessary.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_LIMITS_H
#define TILEWRIGHT_PYTHON_LAUNCHER_LIMITS_H

#include <cstddef>

namespace tilewright::python {

/// Parameters of a kernel, including each element of a tuple. Kernels that
/// PyTorch's compiler fuses have up to 250.
constexpr size_t kMaxParameters = 320;

/// Values that a launch passes: in debug mode an array and both its bounds.
constexpr size_t kMaxSlots = 3 * kMaxParameters;

/// Options of a launch (num_warps, ...).
constexpr size_t kMaxOptions = 24;

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_LIMITS_H
