// A test double of the CUDA driver. It records its calls and fails where the
// test says. Tests reach its state through `fakeCudaState`.
#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_CUDA_FAKECUDA_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_CUDA_FAKECUDA_H

#include "runtime/cuda/DriverTypes.h"

#include <map>
#include <set>
#include <string>
#include <vector>

struct FakeLaunch {
  /// The launch used cuLaunchKernelEx.
  bool extended = false;
  unsigned grid[3] = {};
  unsigned block[3] = {};
  unsigned sharedBytes = 0;
  void *stream = nullptr;
  unsigned cluster[3] = {};
  unsigned attributes = 0;
  bool isCooperative = false, isDependent = false;
  /// The context that was current.
  void *context = nullptr;
  /// The values that the first two parameters pointed at.
  uint64_t pointer = 0;
  int32_t number = 0;
  /// The lowest 32 bits of the first `parametersToRecord` parameters.
  std::vector<uint32_t> words;
};

/// A copy that is requested but not done.
struct FakeCopy {
  char *to;
  const char *from;
  size_t bytes;
};

/// The arguments of a tensor map, whose first word is its number from 1.
struct FakeTensorMap {
  int element = 0, swizzle = 0, promotion = 0, outOfBoundsFill = 0;
  uint64_t base = 0;
  std::vector<uint64_t> sizes, strides;
  std::vector<uint32_t> box;
};

struct FakeCuda {
  int version = 13000;
  std::vector<std::string> devices = {"Fake H100", "Fake A100"};
  int majors[2] = {9, 8};
  int sharedLimit = 232448;
  int maxThreads = 1024;
  int registers = 168;
  int localBytes = 16;
  int staticSharedBytes = 1024;
  std::string jitErrorLog, jitInfoLog;
  /// Error codes of functions, by name.
  std::map<std::string, int> failures;
  bool hasWords = true;

  std::vector<void *> contextStack;
  std::vector<FakeLaunch> launches;
  /// Launches are only counted, which allocates nothing.
  bool onlyCountsLaunches = false;
  int launchCount = 0;
  int parametersToRecord = 0;
  int blocksPerMultiprocessor = 2;
  int clustersAtOnce = 130;
  std::vector<FakeTensorMap> tensorMaps;
  std::map<int, int> functionSettings;
  std::string loadedImage;
  int modulesLoaded = 0, modulesUnloaded = 0;
  int primaryRetained[2] = {};
  size_t allocatedBytes = 0;
  int freed = 0;
  unsigned streamFlags = 0;
  int streamsMade = 0, eventsMade = 0;
  std::set<void *> destroyedStreams;
  /// Copies from and to page-locked memory are done at the wait for an event:
  /// those that precede the event.
  bool defersCopies = false;
  std::vector<FakeCopy> copies;
  size_t copiesDone = 0;
  std::map<void *, size_t> copiesBefore;
  std::map<char *, size_t> hostBlocks;
  /// Functions that received a destroyed object or one in use.
  std::vector<std::string> misuses;
  /// The pool: its limit, its reserved bytes, its allocated bytes.
  size_t poolLimit = size_t(1) << 30, poolReserved = 0;
  std::map<uint64_t, size_t> poolBlocks;
  std::vector<void *> poolStreams;
  uint64_t poolThreshold = 0;
  int poolDevice = -1, poolTrims = 0, hostAllocations = 0;
  /// Calls by name, of the functions that are counted.
  std::map<std::string, int> calls;
  bool isCapturing = false;
  void *captured = nullptr;
  int graphLaunches = 0, graphsAlive = 0;
  /// Memory of the device, at its own address.
  char memory[256] = {};
};

/// Handles of the double's kernels, streams and so on: distinct addresses.
inline void *fakeHandle(uintptr_t n) { return reinterpret_cast<void *>(n); }
inline void *fakePrimaryContext(int device) {
  return fakeHandle(0x1000 + static_cast<uintptr_t>(device));
}
/// A context that another library made on the device.
inline void *fakeOtherContext(int device) {
  return fakeHandle(0x2000 + static_cast<uintptr_t>(device));
}

extern "C" __attribute__((visibility("default"))) FakeCuda *fakeCudaState();

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_CUDA_FAKECUDA_H
