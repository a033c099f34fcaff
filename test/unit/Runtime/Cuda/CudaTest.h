// Tests over a fresh test double.
#ifndef TILEWRIGHT_TEST_UNIT_RUNTIME_CUDA_CUDATEST_H
#define TILEWRIGHT_TEST_UNIT_RUNTIME_CUDA_CUDATEST_H

#include "runtime/cuda/CudaDriver.h"
#include "test/unit/Runtime/Cuda/FakeCuda.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace tilewright::runtime::cuda {

/// The state of the double at `path`, which stays loaded.
inline FakeCuda *openFake(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *get = library ? dlsym(library, "fakeCudaState") : nullptr;
  if (!get)
    return nullptr;
  return reinterpret_cast<FakeCuda *(*)()>(get)();
}

class CudaTest : public testing::Test {
protected:
  void SetUp() override { use(FAKE_CUDA); }

  void use(const char *library) {
    path = library;
    fake = openFake(library);
    ASSERT_NE(fake, nullptr) << library;
    *fake = FakeCuda();
  }

  /// Opens the double, which must work.
  const Driver &open() {
    auto opened = Driver::open(path);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    driver = std::move(*opened);
    return *driver;
  }

  Status failureToOpen() {
    auto opened = Driver::open(path);
    EXPECT_FALSE(opened.ok());
    return opened.status();
  }

  std::string path;
  FakeCuda *fake = nullptr;
  std::unique_ptr<const Driver> driver;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_TEST_UNIT_RUNTIME_CUDA_CUDATEST_H
