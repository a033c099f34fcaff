#include "runtime/cpu/HostKernel.h"

#include <csetjmp>
#include <cstdio>
#include <string>

namespace tilewright::runtime::cpu {

namespace {
/// The range that this thread is running.
struct ActiveRange {
  jmp_buf exit;
  std::string failure;
};
} // namespace

static thread_local ActiveRange *activeRange = nullptr;

/// Returns whether the range ran to its end. Between setjmp and longjmp are
/// only this frame and frames of compiled kernels. None of them has destructors
/// to run.
static bool runGuarded(ActiveRange &range, HostKernel kernel,
                       const uint64_t *args, const int32_t grid[3],
                       int64_t begin, int64_t end) {
  if (_setjmp(range.exit) != 0)
    return false;
  kernel(args, grid, begin, end);
  return true;
}

Status runPrograms(HostKernel kernel, const uint64_t *args,
                   const int32_t grid[3], int64_t begin, int64_t end) {
  ActiveRange range;
  ActiveRange *outer = activeRange;
  activeRange = &range;
  const bool finished = runGuarded(range, kernel, args, grid, begin, end);
  activeRange = outer;
  if (finished)
    return Status::success();
  return Status(StatusCode::KernelAssert,
                "assertion failed in a kernel: " + range.failure);
}

void failAssertion(const char *message) {
  if (!activeRange) {
    // Called by a user's own program that runs a kernel without the runtime.
    std::fprintf(stderr, "assertion failed in a kernel: %s\n", message);
    return;
  }
  activeRange->failure = message;
  _longjmp(activeRange->exit, 1);
}

} // namespace tilewright::runtime::cpu
