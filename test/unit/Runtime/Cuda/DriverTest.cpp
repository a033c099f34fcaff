#include "runtime/cuda/Device.h"
#include "test/unit/Runtime/Cuda/CudaTest.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

using DriverTest = CudaTest;

TEST_F(DriverTest, OpensAndCountsDevices) {
  const Driver &driver = open();
  EXPECT_EQ(driver.version(), 13000);
  EXPECT_EQ(driver.deviceCount(), 2);
  EXPECT_EQ(formatDriverVersion(driver.version()), "13.0");
  EXPECT_EQ(formatDriverVersion(12040), "12.4");
}

TEST_F(DriverTest, NoLibrary) {
  path = "/nonexistent/libcuda.so.1";
  Status status = failureToOpen();
  EXPECT_EQ(status.code(), StatusCode::Unavailable);
  EXPECT_EQ(status.message().rfind("no CUDA driver found: ", 0), 0u);
  EXPECT_NE(status.message().find(path), std::string::npos);
}

TEST_F(DriverTest, LibraryThatIsNoDriver) {
  path = "libm.so.6";
  Status status = failureToOpen();
  EXPECT_EQ(status.code(), StatusCode::Unavailable);
  EXPECT_EQ(status.message(),
            "'libm.so.6' is not a CUDA driver: it has no cuInit");
}

TEST_F(DriverTest, TooOldByVersion) {
  fake->version = 10020;
  Status status = failureToOpen();
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_EQ(status.message(), "CUDA driver too old: have 10.2, need 11.0");
}

TEST_F(DriverTest, TooOldBySymbol) {
  use(FAKE_CUDA_ANCIENT_PATH);
  fake->version = 6050;
  Status status = failureToOpen();
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_EQ(status.message(), "CUDA driver too old: have 6.5, need 11.0 "
                              "(cuDevicePrimaryCtxRetain is missing in '" +
                                  path + "')");
}

TEST_F(DriverTest, OldOneWithoutNewerSymbolsOpens) {
  use(FAKE_CUDA_OLD_PATH);
  fake->version = 11040;
  EXPECT_EQ(open().launchKernelEx, nullptr);
}

TEST_F(DriverTest, NoDevice) {
  fake->failures["cuInit"] = kErrorNoDevice;
  Status status = failureToOpen();
  EXPECT_EQ(status.code(), StatusCode::Unavailable);
  EXPECT_EQ(status.message(),
            "cuInit failed: FAKE_ERROR (100): words of the driver");
}

TEST_F(DriverTest, EveryResultIsAStatusWithTheDriversWords) {
  const Driver &driver = open();
  EXPECT_TRUE(driver.check(kSuccess, "cuFoo").ok());
  Status status = driver.check(kErrorOutOfMemory, "cuFoo");
  EXPECT_EQ(status.code(), StatusCode::OutOfMemory);
  EXPECT_EQ(status.message(),
            "cuFoo failed: FAKE_OUT_OF_MEMORY (2): words of the driver");
  const std::pair<int, StatusCode> codes[] = {
      {kErrorNotInitialized, StatusCode::Driver},
      {kErrorInvalidDevice, StatusCode::Unavailable},
      {kErrorNoBinaryForGpu, StatusCode::Unsupported},
      {kErrorUnsupportedPtxVersion, StatusCode::Unsupported},
      {kErrorNotFound, StatusCode::NotFound},
      {kErrorIllegalAddress, StatusCode::Driver},
      {kErrorAssert, StatusCode::KernelAssert},
      {12345, StatusCode::Driver}};
  for (auto [result, code] : codes)
    EXPECT_EQ(driver.check(result, "cuFoo").code(), code) << result;
  EXPECT_NE(driver.check(kErrorNotInitialized, "cuFoo").message().find("spawn"),
            std::string::npos);
}

TEST_F(DriverTest, ResultWithoutWords) {
  const Driver &driver = open();
  fake->hasWords = false;
  EXPECT_EQ(driver.check(999, "cuFoo").message(),
            "cuFoo failed: unknown error (999): no description");
}

TEST_F(DriverTest, DeviceThatIsNotThere) {
  const Driver &driver = open();
  for (int ordinal : {-1, 2}) {
    Result<std::string> name = deviceName(driver, ordinal);
    ASSERT_FALSE(name.ok());
    EXPECT_EQ(name.status().code(), StatusCode::InvalidArgument);
    EXPECT_EQ(name.status().message(), "there is no CUDA device " +
                                           std::to_string(ordinal) +
                                           ": this machine has 2");
  }
}

TEST_F(DriverTest, DeviceFacts) {
  const Driver &driver = open();
  EXPECT_EQ(*deviceName(driver, 1), "Fake A100");
  EXPECT_EQ(*computeCapability(driver, 0), 90);
  EXPECT_EQ(*computeCapability(driver, 1), 80);
  EXPECT_EQ(*deviceMemory(driver, 0), uint64_t(80) << 30);
  EXPECT_EQ(*deviceAttribute(driver, 0, DeviceAttribute::MultiprocessorCount),
            1016);
}

} // namespace
