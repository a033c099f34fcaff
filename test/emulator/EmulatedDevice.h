// The state of the emulated driver.
#ifndef TILEWRIGHT_TEST_EMULATOR_EMULATEDDEVICE_H
#define TILEWRIGHT_TEST_EMULATOR_EMULATEDDEVICE_H

#include "runtime/cuda/DriverTypes.h"
#include "test/emulator/Machine.h"

#include <mutex>

#define EMULATED extern "C" __attribute__((visibility("default"))) int

namespace emulator {

/// The operations of a captured stream.
struct Graph {
  std::vector<std::function<int()>> steps;
};

struct Device {
  std::mutex mutex;
  Allocations allocations;
  std::map<uint64_t, std::pair<std::unique_ptr<char[]>, size_t>> blocks;
  size_t used = 0;
  std::vector<void *> contexts;
  void *captured = nullptr;
  std::unique_ptr<Graph> graph;
  uint64_t handles = 0x10000, launches = 0;
  /// The error of the last kernel that failed.
  int failure = 0;
  std::string words;
};

inline Device &device() {
  static auto *made = new Device;
  return *made;
}

constexpr size_t kMemory = size_t(8) << 30;

inline void *newHandle() {
  return reinterpret_cast<void *>(device().handles += 16);
}

/// Runs `step`, or records it if the stream is captured.
inline int inStream(void *stream, std::function<int()> step) {
  if (device().captured && device().captured == stream) {
    device().graph->steps.push_back(std::move(step));
    return tilewright::runtime::cuda::kSuccess;
  }
  return step();
}

} // namespace emulator

#endif // TILEWRIGHT_TEST_EMULATOR_EMULATEDDEVICE_H
