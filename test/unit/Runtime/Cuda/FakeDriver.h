// What the files of the driver's test double share.
#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_CUDA_FAKEDRIVER_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_CUDA_FAKEDRIVER_H

#include "test/unit/Runtime/Cuda/FakeCuda.h"

#define FAKE extern "C" __attribute__((visibility("default"))) int

inline FakeCuda &fake() { return *fakeCudaState(); }

/// The failure that was ordered for `function`.
inline int resultOf(const char *function) {
  // Without the text that a search makes: some tests count allocations.
  if (fake().failures.empty())
    return tilewright::runtime::cuda::kSuccess;
  auto found = fake().failures.find(function);
  return found == fake().failures.end() ? tilewright::runtime::cuda::kSuccess
                                        : found->second;
}

#define FAIL_IF_ORDERED                                                        \
  if (int ordered = resultOf(__func__))                                        \
  return ordered

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_CUDA_FAKEDRIVER_H
