// Declarations shared by the files of the driver's test double.
#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_CUDA_FAKEDRIVER_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_CUDA_FAKEDRIVER_H

#include "test/unit/Runtime/Cuda/FakeCuda.h"

#define FAKE extern "C" __attribute__((visibility("default"))) int

inline FakeCuda &fake() { return *fakeCudaState(); }

/// Returns the failure that the test requested for `function`.
inline int resultOf(const char *function) {
  // Skips the search, which allocates a string: some tests count allocations.
  if (fake().failures.empty())
    return tilewright::runtime::cuda::kSuccess;
  auto found = fake().failures.find(function);
  return found == fake().failures.end() ? tilewright::runtime::cuda::kSuccess
                                        : found->second;
}

/// Records the use of a destroyed stream.
inline int resultWith(void *stream, const char *function) {
  if (!fake().destroyedStreams.count(stream))
    return tilewright::runtime::cuda::kSuccess;
  fake().misuses.push_back(function);
  return tilewright::runtime::cuda::kErrorInvalidHandle;
}

/// Performs the requested copies, at most the first `until`.
void doCopies(size_t until = SIZE_MAX);

#define FAIL_IF_DESTROYED(stream)                                              \
  if (int destroyed = resultWith(stream, __func__))                            \
  return destroyed

#define FAIL_IF_ORDERED                                                        \
  if (int ordered = resultOf(__func__))                                        \
  return ordered

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_CUDA_FAKEDRIVER_H
