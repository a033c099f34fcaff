// The binary interface between compiled host kernels and the runtime.
#ifndef TILEWRIGHT_RUNTIME_CPU_HOSTKERNEL_H
#define TILEWRIGHT_RUNTIME_CPU_HOSTKERNEL_H

#include "runtime/core/Status.h"

#include <cstdint>

namespace tilewright::runtime::cpu {

/// A compiled kernel. Runs the programs with linear numbers [begin, end), x
/// fastest: number = x + grid[0] * (y + grid[1] * z). `args` has one slot of
/// eight bytes per kernel argument in order: a pointer's address, an integer
/// sign-extended, the bits of a float in the low bytes.
using HostKernel = void (*)(const uint64_t *args, const int32_t grid[3],
                            int64_t begin, int64_t end);

/// Runs the kernel on a range of programs in this thread. A failed assertion
/// ends the range at once and is returned.
Status runPrograms(HostKernel kernel, const uint64_t *args,
                   const int32_t grid[3], int64_t begin, int64_t end);

/// Fails the range that this thread is running, with this message. Returns only
/// in a thread that is running none.
void failAssertion(const char *message);

} // namespace tilewright::runtime::cpu

#endif // TILEWRIGHT_RUNTIME_CPU_HOSTKERNEL_H
