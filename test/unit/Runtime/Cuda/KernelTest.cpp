#include "runtime/cuda/Kernel.h"

#include "test/unit/Runtime/Cuda/CudaTest.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

class KernelTest : public CudaTest {
protected:
  Result<std::unique_ptr<const Kernel>> load(const LaunchShape &shape,
                                             const char *name = "kernel") {
    return Kernel::load(driver ? *driver : open(), 0, "image", name, shape);
  }

  Status failureToLoad(const LaunchShape &shape, const char *name = "kernel") {
    auto loaded = load(shape, name);
    EXPECT_FALSE(loaded.ok());
    EXPECT_EQ(fake->modulesLoaded, fake->modulesUnloaded)
        << "what was loaded is unloaded";
    EXPECT_TRUE(fake->contextStack.empty());
    return loaded.status();
  }

  /// Launches with two parameters, a pointer and an integer.
  Status launch(const Kernel &kernel, std::array<int64_t, 3> grid) {
    uint64_t pointer = 0x123456789abc;
    int32_t number = -7;
    void *parameters[] = {&pointer, &number};
    return kernel.launch(grid, static_cast<StreamHandle>(fakeHandle(0x5000)),
                         parameters);
  }

  LaunchShape shape{128, 49152, {1, 1, 1}};
};

TEST_F(KernelTest, LoadReadsResources) {
  fake->jitInfoLog = "assembled";
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  EXPECT_EQ((*kernel)->resources().registers, 168);
  EXPECT_EQ((*kernel)->resources().localBytes, 16);
  EXPECT_EQ((*kernel)->resources().staticSharedBytes, 1024);
  EXPECT_EQ((*kernel)->resources().maxThreads, 1024);
  EXPECT_EQ((*kernel)->log(), "assembled");
  EXPECT_EQ(fake->loadedImage, "image");
  EXPECT_EQ(fake->functionSettings,
            (std::map<int, int>{{8 /*dynamic shared*/, 49152}}));
  EXPECT_TRUE(fake->contextStack.empty());
  kernel->reset();
  EXPECT_EQ(fake->modulesUnloaded, 1);
}

TEST_F(KernelTest, DriversJitFailureComesWithItsLog) {
  fake->failures["cuModuleLoadDataEx"] = kErrorInvalidPtx;
  fake->jitErrorLog = "ptxas application ptx input, line 7; error";
  Status status = failureToLoad(shape);
  EXPECT_EQ(status.code(), StatusCode::Driver);
  EXPECT_EQ(status.message(),
            "cannot load kernel 'kernel': cuModuleLoadDataEx failed: "
            "FAKE_ERROR (218): words of the driver\n"
            "ptxas application ptx input, line 7; error");
}

TEST_F(KernelTest, PtxNewerThanTheDriver) {
  fake->failures["cuModuleLoadDataEx"] = kErrorUnsupportedPtxVersion;
  Status status = failureToLoad(shape);
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_NE(status.message().find("the driver is older than the PTX"),
            std::string::npos);
}

TEST_F(KernelTest, MissingKernelIsNamed) {
  Status status = failureToLoad(shape, "other");
  EXPECT_EQ(status.code(), StatusCode::NotFound);
  EXPECT_EQ(status.message(), "the module has no kernel 'other'");
}

TEST_F(KernelTest, TooMuchSharedMemoryNamesAmountAndLimit) {
  shape.dynamicSharedBytes = 232448 - 1024;
  EXPECT_TRUE(load(shape).ok()) << "exactly the limit";
  shape.dynamicSharedBytes += 1;
  Status status = failureToLoad(shape);
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_EQ(status.message(),
            "kernel 'kernel' needs 232449 bytes of shared memory, but device 0 "
            "(Fake H100) has at most 232448 for a program; use smaller blocks "
            "or fewer stages");
}

TEST_F(KernelTest, TooManyThreadsForItsRegisters) {
  fake->maxThreads = 384;
  shape.threads = 512;
  Status status = failureToLoad(shape);
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_EQ(status.message(),
            "kernel 'kernel' was compiled for 512 threads, but with its 168 "
            "registers a thread the device runs at most 384");
}

TEST_F(KernelTest, LaunchPacksItsArguments) {
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  ASSERT_TRUE(launch(**kernel, {2147483647, 65535, 3}).ok());
  ASSERT_EQ(fake->launches.size(), 1u);
  const FakeLaunch &seen = fake->launches[0];
  EXPECT_TRUE(seen.extended);
  EXPECT_EQ(std::vector<unsigned>(seen.grid, seen.grid + 3),
            (std::vector<unsigned>{2147483647, 65535, 3}));
  EXPECT_EQ(std::vector<unsigned>(seen.block, seen.block + 3),
            (std::vector<unsigned>{128, 1, 1}));
  EXPECT_EQ(seen.sharedBytes, 49152u);
  EXPECT_EQ(seen.stream, fakeHandle(0x5000));
  EXPECT_EQ(seen.attributes, 0u);
  EXPECT_EQ(seen.pointer, 0x123456789abcu);
  EXPECT_EQ(seen.number, -7);
  EXPECT_EQ(seen.context, fakePrimaryContext(0));
  EXPECT_TRUE(fake->contextStack.empty());
}

TEST_F(KernelTest, LaunchWorksInTheContextOfItsModule) {
  open();
  fake->contextStack = {fakeOtherContext(0)};
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  fake->contextStack = {fakePrimaryContext(1)};
  ASSERT_TRUE(launch(**kernel, {1, 1, 1}).ok());
  EXPECT_EQ(fake->launches[0].context, fakeOtherContext(0));
  EXPECT_EQ(fake->contextStack, std::vector<void *>{fakePrimaryContext(1)});
}

TEST_F(KernelTest, EachContextOfTheDeviceHasACopy) {
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  fake->contextStack = {fakeOtherContext(0)};
  ASSERT_TRUE(launch(**kernel, {1, 1, 1}).ok());
  ASSERT_TRUE(launch(**kernel, {1, 1, 1}).ok());
  fake->contextStack = {};
  ASSERT_TRUE(launch(**kernel, {1, 1, 1}).ok());
  EXPECT_EQ(fake->launches[0].context, fakeOtherContext(0));
  EXPECT_EQ(fake->launches[1].context, fakeOtherContext(0));
  EXPECT_EQ(fake->launches[2].context, fakePrimaryContext(0));
  EXPECT_EQ(fake->modulesLoaded, 2);
  kernel->reset();
  EXPECT_EQ(fake->modulesUnloaded, 2);
}

TEST_F(KernelTest, CopyThatCannotBeLoaded) {
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  fake->contextStack = {fakeOtherContext(0)};
  fake->failures = {{"cuModuleLoadDataEx", 209}};
  EXPECT_FALSE(launch(**kernel, {1, 1, 1}).ok());
  fake->failures = {};
  EXPECT_TRUE(launch(**kernel, {1, 1, 1}).ok());
}

TEST_F(KernelTest, OldDriverLaunchesTheOldWay) {
  use(FAKE_CUDA_OLD_PATH);
  fake->version = 11040;
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  ASSERT_TRUE(launch(**kernel, {4, 5, 6}).ok());
  ASSERT_EQ(fake->launches.size(), 1u);
  const FakeLaunch &seen = fake->launches[0];
  EXPECT_FALSE(seen.extended);
  EXPECT_EQ(std::vector<unsigned>(seen.grid, seen.grid + 3),
            (std::vector<unsigned>{4, 5, 6}));
  EXPECT_EQ(seen.block[0], 128u);
  EXPECT_EQ(seen.sharedBytes, 49152u);
  EXPECT_EQ(seen.number, -7);
}

TEST_F(KernelTest, ClustersArePassedOn) {
  shape.cluster = {2, 1, 1};
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  ASSERT_TRUE(launch(**kernel, {8, 1, 1}).ok());
  const FakeLaunch &seen = fake->launches[0];
  EXPECT_EQ(seen.attributes, 1u);
  EXPECT_EQ(std::vector<unsigned>(seen.cluster, seen.cluster + 3),
            (std::vector<unsigned>{2, 1, 1}));
  EXPECT_EQ(fake->functionSettings.count(14), 0u);
  Status odd = launch(**kernel, {7, 1, 1});
  EXPECT_EQ(odd.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(odd.message(), "grid of kernel 'kernel' along x is 7, which is not "
                           "a multiple of its cluster of 2");
}

TEST_F(KernelTest, CooperativeGrids) {
  shape.isCooperative = true;
  shape.cluster = {2, 1, 1};
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  ASSERT_TRUE(launch(**kernel, {8, 1, 1}).ok());
  EXPECT_EQ(fake->launches[0].attributes, 2u);
  EXPECT_TRUE(fake->launches[0].isCooperative);
  EXPECT_EQ(fake->launches[0].cluster[0], 2u);
  fake->failures["cuLaunchKernelEx"] = kErrorCooperativeLaunchTooLarge;
  Status large = launch(**kernel, {800000, 1, 1});
  EXPECT_NE(large.message().find("a cooperative grid has at most as many"),
            std::string::npos)
      << large.message();

  kernel->reset(); // Before its driver.
  use(FAKE_CUDA_OLD_PATH);
  fake->version = 11040;
  driver = nullptr;
  shape.cluster = {1, 1, 1};
  EXPECT_EQ(failureToLoad(shape).message(),
            "CUDA driver too old: have 11.4, need 11.8 to launch kernel "
            "'kernel' with a cooperative grid");
}

TEST_F(KernelTest, DependentLaunches) {
  shape.isDependent = true;
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  ASSERT_TRUE(launch(**kernel, {8, 1, 1}).ok());
  EXPECT_EQ(fake->launches[0].attributes, 1u);
  EXPECT_TRUE(fake->launches[0].isDependent);
  shape.isCooperative = true;
  shape.cluster = {2, 1, 1};
  kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  ASSERT_TRUE(launch(**kernel, {8, 1, 1}).ok());
  EXPECT_EQ(fake->launches[1].attributes, 3u);
  EXPECT_TRUE(fake->launches[1].isDependent);
}

TEST_F(KernelTest, OldDriverSerialisesDependents) {
  use(FAKE_CUDA_OLD_PATH);
  fake->version = 11040;
  shape.isDependent = true;
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  ASSERT_TRUE(launch(**kernel, {8, 1, 1}).ok());
  EXPECT_FALSE(fake->launches[0].extended);
}

TEST_F(KernelTest, BoundLaunchesKeepTheirArguments) {
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  uint64_t slots[] = {0x123456789abc, 77};
  auto bound = (*kernel)->bind({4, 2, 1}, slots, 2);
  ASSERT_TRUE(bound.ok()) << bound.status().message();
  slots[0] = 0;
  auto *stream = static_cast<StreamHandle>(fakeHandle(0x5000));
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE((*kernel)->launch(**bound, stream).ok());
  ASSERT_EQ(fake->launches.size(), 2u);
  EXPECT_EQ(fake->launches[1].pointer, 0x123456789abcu);
  EXPECT_EQ(fake->launches[1].number, 77);
  EXPECT_EQ(fake->launches[1].grid[1], 2u);
  EXPECT_EQ(fake->launches[1].stream, stream);

  auto empty = (*kernel)->bind({4, 0, 1}, slots, 2);
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE((*kernel)->launch(**empty, stream).ok());
  EXPECT_EQ(fake->launches.size(), 2u) << "nothing to run";
  EXPECT_EQ((*kernel)->bind({-1, 1, 1}, slots, 2).status().message(),
            "grid of kernel 'kernel' along x is -1, a negative number");
  EXPECT_EQ((*kernel)->bind({1, 1, 1}, slots, 1025).status().message(),
            "kernel 'kernel' does not have 1025 parameters");
}

TEST_F(KernelTest, LargeClustersAreAskedFor) {
  shape.cluster = {16, 1, 1};
  ASSERT_TRUE(load(shape).ok());
  EXPECT_EQ(fake->functionSettings[14 /*non-portable cluster*/], 1);
}

TEST_F(KernelTest, ClustersNeedARecentDriver) {
  use(FAKE_CUDA_OLD_PATH);
  fake->version = 11040;
  shape.cluster = {2, 1, 1};
  Status status = failureToLoad(shape);
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_EQ(status.message(), "CUDA driver too old: have 11.4, need 11.8 to "
                              "launch kernel 'kernel' in clusters");
}

TEST_F(KernelTest, EmptyGridLaunchesNothing) {
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  for (std::array<int64_t, 3> grid :
       {std::array<int64_t, 3>{0, 1, 1}, {1, 0, 1}, {1, 1, 0}})
    EXPECT_TRUE(launch(**kernel, grid).ok());
  EXPECT_TRUE(fake->launches.empty());
}

TEST_F(KernelTest, GridOutOfRange) {
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  const std::pair<std::array<int64_t, 3>, const char *> cases[] = {
      {{int64_t(1) << 31, 1, 1},
       "grid of kernel 'kernel' along x is 2147483648, but at most 2147483647 "
       "programs are allowed there"},
      {{1, 65536, 1},
       "grid of kernel 'kernel' along y is 65536, but at most 65535 programs "
       "are allowed there"},
      {{1, 1, 65536},
       "grid of kernel 'kernel' along z is 65536, but at most 65535 programs "
       "are allowed there"},
      {{1, -1, 1}, "grid of kernel 'kernel' along y is -1, a negative number"},
      {{0, -1, 1}, "grid of kernel 'kernel' along y is -1, a negative number"}};
  for (const auto &[grid, message] : cases) {
    Status status = launch(**kernel, grid);
    EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
    EXPECT_EQ(status.message(), message);
  }
  EXPECT_TRUE(fake->launches.empty());
}

TEST_F(KernelTest, FailedLaunchNamesTheKernel) {
  auto kernel = load(shape);
  ASSERT_TRUE(kernel.ok());
  fake->failures["cuLaunchKernelEx"] = kErrorIllegalAddress;
  Status status = launch(**kernel, {1, 1, 1});
  EXPECT_EQ(status.code(), StatusCode::Driver);
  EXPECT_EQ(status.message().rfind("cannot launch kernel 'kernel': "
                                   "cuLaunchKernelEx failed: FAKE_ERROR (700)",
                                   0),
            0u)
      << status.message();
  EXPECT_TRUE(fake->contextStack.empty());
}

} // namespace
