#include "runtime/capi/Guard.h"
#include "runtime/cpu/Launch.h"
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
