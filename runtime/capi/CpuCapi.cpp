#include "runtime/capi/Guard.h"
#include "runtime/cpu/Launch.h"
#include "runtime/cpu/Print.h"
#include "runtime/cpu/Scratch.h"
#include "runtime/cpu/ThreadPool.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::capi;

tw_status tw_host_thread_count(unsigned *threads) {
  return guardedInto(threads, cpu::defaultThreadCount);
}

tw_status tw_host_launch(tw_host_kernel kernel, const uint64_t *args,
                         const int64_t grid[3], unsigned threads) {
  return guarded([&] {
    return cpu::launch(kernel, args, {grid[0], grid[1], grid[2]}, threads);
  });
}

tw_status tw_host_launch_ordered(tw_host_kernel kernel, const uint64_t *args,
                                 const int64_t grid[3], unsigned threads,
                                 tw_host_order order) {
  return guarded([&] {
    return cpu::launch(kernel, args, {grid[0], grid[1], grid[2]}, threads,
                       static_cast<cpu::ProgramOrder>(order));
  });
}

tw_status tw_host_launch_interruptible(tw_host_kernel kernel,
                                       const uint64_t *args,
                                       const int64_t grid[3], unsigned threads,
                                       tw_host_order order,
                                       int (*interrupted)(void *user),
                                       void *user) {
  return guarded([&] {
    return cpu::launch(kernel, args, {grid[0], grid[1], grid[2]}, threads,
                       static_cast<cpu::ProgramOrder>(order),
                       [&] { return interrupted(user) != 0; });
  });
}

void tw_host_wait() {
  if (const char *failure = cpu::ThreadPool::giveWay())
    cpu::failAssertion(failure);
}

void tw_host_assert_fail(const char *message) { cpu::failAssertion(message); }

void tw_host_print(const char *prefix, int32_t kind, uint64_t bits,
                   const int32_t *indices, int32_t rank) {
  (void)guarded([&] {
    const auto how = static_cast<cpu::PrintKind>(kind);
    std::string line = cpu::formatIndices(how, indices, rank) + prefix;
    cpu::printLine(line + cpu::formatValue(how, bits));
    return Status::success();
  });
}

void *tw_host_scratch(uint64_t bytes) {
  void *memory = cpu::getScratch(bytes);
  if (!memory)
    cpu::failAssertion("out of memory for the kernel's tiles");
  return memory;
}
