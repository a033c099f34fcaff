#include "runtime/cpu/Launch.h"

#include "runtime/cpu/Scratch.h"

namespace tilewright::runtime::cpu {

/// Returns the number of programs. Extents fit in 32 bits; the total must fit
/// in 64.
static Result<int64_t> programCount(const std::array<int64_t, 3> &grid) {
  int64_t count = 1;
  for (int i = 0; i < 3; ++i) {
    if (grid[i] < 0 || grid[i] > INT32_MAX)
      return Status(StatusCode::InvalidArgument,
                    std::string("grid along ") + "xyz"[i] + " is " +
                        std::to_string(grid[i]) + ", not between 0 and " +
                        std::to_string(INT32_MAX));
    if (__builtin_mul_overflow(count, grid[i], &count))
      return Status(StatusCode::InvalidArgument,
                    "grid has more than 2^63 programs");
  }
  return count;
}

Status launch(HostKernel kernel, const uint64_t *args,
              const std::array<int64_t, 3> &grid, unsigned threads,
              ProgramOrder order,
              const ThreadPool::InterruptFunction &isInterrupted) {
  Result<int64_t> count = programCount(grid);
  if (!count.ok())
    return count.status();
  if (threads == 0) {
    Result<unsigned> preset = defaultThreadCount();
    if (!preset.ok())
      return preset.status();
    threads = *preset;
  }
  const int32_t extents[3] = {static_cast<int32_t>(grid[0]),
                              static_cast<int32_t>(grid[1]),
                              static_cast<int32_t>(grid[2])};
  ThreadPool::InterruptFunction inItsOwnMemory;
  if (isInterrupted)
    inItsOwnMemory = [&] {
      // May be called in the middle of a program.
      const OtherScratch scratch;
      return isInterrupted();
    };
  return ThreadPool::shared().run(
      *count, threads,
      [&](int64_t begin, int64_t end) {
        return runPrograms(kernel, args, extents, begin, end);
      },
      order, inItsOwnMemory);
}

} // namespace tilewright::runtime::cpu
