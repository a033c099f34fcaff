#include "runtime/cuda/Memory.h"

#include "test/unit/Runtime/Cuda/CudaTest.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

using MemoryTest = CudaTest;

TEST_F(MemoryTest, CopiesThereAndBack) {
  const Driver &driver = open();
  Result<DevicePointer> memory = allocate(driver, 0, 64);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(fake->allocatedBytes, 64u);
  const std::string text = "sixteen bytes...";
  std::string back(16, '\0');
  ASSERT_TRUE(copyToDevice(driver, 0, *memory, text.data(), 16, nullptr).ok());
  ASSERT_TRUE(fill(driver, 0, *memory, '#', 3, nullptr).ok());
  ASSERT_TRUE(copyToHost(driver, 0, back.data(), *memory, 16, nullptr).ok());
  EXPECT_EQ(back, "###teen bytes...");
  EXPECT_TRUE(release(driver, 0, *memory).ok());
  EXPECT_EQ(fake->freed, 1);
  EXPECT_TRUE(fake->contextStack.empty());
}

TEST_F(MemoryTest, NothingIsNoCall) {
  const Driver &driver = open();
  for (const char *call :
       {"cuMemAlloc_v2", "cuMemFree_v2", "cuMemcpyHtoDAsync_v2",
        "cuMemcpyDtoHAsync_v2", "cuMemsetD8Async"})
    fake->failures[call] = 999;
  Result<DevicePointer> memory = allocate(driver, 0, 0);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(*memory, 0u);
  EXPECT_TRUE(release(driver, 0, 0).ok());
  EXPECT_TRUE(copyToDevice(driver, 0, 0, nullptr, 0, nullptr).ok());
  EXPECT_TRUE(copyToHost(driver, 0, nullptr, 0, 0, nullptr).ok());
  EXPECT_TRUE(fill(driver, 0, 0, 1, 0, nullptr).ok());
}

TEST_F(MemoryTest, OutOfMemoryNamesTheAmount) {
  const Driver &driver = open();
  fake->failures["cuMemAlloc_v2"] = kErrorOutOfMemory;
  Result<DevicePointer> memory = allocate(driver, 1, 12345);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.status().code(), StatusCode::OutOfMemory);
  EXPECT_EQ(memory.status().message(),
            "cannot allocate 12345 bytes on device 1: cuMemAlloc failed: "
            "FAKE_OUT_OF_MEMORY (2): words of the driver");
}

TEST_F(MemoryTest, DeviceOfAPointer) {
  const Driver &driver = open();
  Result<PointerInfo> device =
      getPointerInfo(driver, reinterpret_cast<DevicePointer>(fake->memory + 8));
  ASSERT_TRUE(device.ok());
  EXPECT_TRUE(device->accessible);
  EXPECT_EQ(device->device, 1);
  int local = 0;
  Result<PointerInfo> host =
      getPointerInfo(driver, reinterpret_cast<DevicePointer>(&local));
  ASSERT_TRUE(host.ok()) << "plain host memory is no error";
  EXPECT_FALSE(host->accessible);
  EXPECT_EQ(host->device, -1);
  fake->failures["cuPointerGetAttribute"] = kErrorNotInitialized;
  EXPECT_FALSE(getPointerInfo(driver, 0).ok());
}

TEST_F(MemoryTest, ErrorsOfKernelsSurfaceWhenWaiting) {
  const Driver &driver = open();
  Result<StreamHandle> stream = createStream(driver, 0);
  ASSERT_TRUE(stream.ok());
  EXPECT_EQ(fake->streamFlags, 1u) << "does not wait for the default stream";
  EXPECT_TRUE(synchronize(driver, 0, *stream).ok());
  EXPECT_TRUE(synchronizeDevice(driver, 0).ok());
  fake->failures["cuStreamSynchronize"] = kErrorAssert;
  EXPECT_EQ(synchronize(driver, 0, *stream).code(), StatusCode::KernelAssert);
  fake->failures["cuCtxSynchronize"] = kErrorIllegalAddress;
  Status status = synchronizeDevice(driver, 0);
  EXPECT_NE(status.message().find("out of bounds"), std::string::npos);
  EXPECT_TRUE(destroyStream(driver, 0, *stream).ok());
}

TEST_F(MemoryTest, EventsMeasure) {
  const Driver &driver = open();
  Result<EventHandle> event = createEvent(driver, 0);
  ASSERT_TRUE(event.ok());
  EXPECT_TRUE(recordEvent(driver, 0, *event, nullptr).ok());
  EXPECT_EQ(*elapsedMilliseconds(driver, 0, *event, *event), 1.5f);
  fake->failures["cuEventElapsedTime"] = kErrorNotReady;
  EXPECT_FALSE(elapsedMilliseconds(driver, 0, *event, *event).ok());
  EXPECT_TRUE(destroyEvent(driver, 0, *event).ok());
}

} // namespace
