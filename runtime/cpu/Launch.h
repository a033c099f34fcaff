// Launches of host kernels over a grid.
#ifndef TILEWRIGHT_RUNTIME_CPU_LAUNCH_H
#define TILEWRIGHT_RUNTIME_CPU_LAUNCH_H

#include "runtime/cpu/HostKernel.h"
#include "runtime/cpu/ThreadPool.h"

#include <array>

namespace tilewright::runtime::cpu {

/// Runs the kernel once for each program of the grid and waits. With `threads`
/// 0, the default number of threads runs it. An empty grid runs nothing.
/// `isInterrupted` is called as in `ThreadPool::run`, and may launch kernels
/// itself.
Status launch(HostKernel kernel, const uint64_t *args,
              const std::array<int64_t, 3> &grid, unsigned threads,
              ProgramOrder order = ProgramOrder::Any,
              const ThreadPool::InterruptFunction &isInterrupted = nullptr);

} // namespace tilewright::runtime::cpu

#endif // TILEWRIGHT_RUNTIME_CPU_LAUNCH_H
