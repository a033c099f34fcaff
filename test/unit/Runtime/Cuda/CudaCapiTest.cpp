#include "test/unit/Runtime/Cuda/CudaTest.h"
#include "tilewright-c/runtime.h"

#include <cstring>

using namespace tilewright::runtime::cuda;

namespace {

/// Set before the first use of the process's driver.
const int redirected = setenv("TILEWRIGHT_LIBCUDA", FAKE_CUDA, 1);

class CudaCapiTest : public CudaTest {};

TEST_F(CudaCapiTest, DriverAndDevices) {
  ASSERT_EQ(redirected, 0);
  int version = 0, count = 0, device = -1;
  ASSERT_EQ(tw_cuda_driver_version(&version), TW_OK) << tw_last_error();
  EXPECT_EQ(version, 13000);
  ASSERT_EQ(tw_cuda_device_count(&count), TW_OK);
  EXPECT_EQ(count, 2);
  ASSERT_EQ(tw_cuda_current_device(&device), TW_OK);
  EXPECT_EQ(device, 0);
  char name[8];
  ASSERT_EQ(tw_cuda_device_name(0, name, sizeof(name)), TW_OK);
  EXPECT_STREQ(name, "Fake H1") << "cut to the buffer";
}

TEST_F(CudaCapiTest, DeviceAttributes) {
  const std::pair<tw_cuda_device_attribute, int64_t> expected[] = {
      {TW_DEVICE_COMPUTE_CAPABILITY, 90},
      {TW_DEVICE_MULTIPROCESSORS, 1016},
      {TW_DEVICE_SHARED_BYTES_PER_PROGRAM, 232448},
      {TW_DEVICE_SHARED_BYTES_PER_MULTIPROCESSOR, 1081},
      {TW_DEVICE_GLOBAL_BYTES, int64_t(80) << 30},
      {TW_DEVICE_L2_BYTES, 1038},
      {TW_DEVICE_CLOCK_KILOHERTZ, 1013},
      {TW_DEVICE_MEMORY_CLOCK_KILOHERTZ, 1036},
      {TW_DEVICE_MEMORY_BUS_BITS, 1037},
      {TW_DEVICE_WARP_SIZE, 1010},
      {TW_DEVICE_REGISTERS_PER_PROGRAM, 1012}};
  for (auto [attribute, wanted] : expected) {
    int64_t value = 0;
    ASSERT_EQ(tw_cuda_device_attribute_get(0, attribute, &value), TW_OK);
    EXPECT_EQ(value, wanted) << attribute;
  }
  int64_t value = 77;
  EXPECT_EQ(tw_cuda_device_attribute_get(
                0, static_cast<tw_cuda_device_attribute>(99), &value),
            TW_INVALID_ARGUMENT);
  EXPECT_STREQ(tw_last_error(), "there is no device attribute 99");
  EXPECT_EQ(value, 77);
}

TEST_F(CudaCapiTest, KernelLoadAndLaunch) {
  tw_cuda_kernel *kernel = nullptr;
  const uint32_t cluster[] = {2, 1, 1};
  ASSERT_EQ(tw_cuda_kernel_load(0, "ptx", 3, "kernel", 256, 512, cluster,
                                nullptr, 0, 0, &kernel),
            TW_OK)
      << tw_last_error();
  EXPECT_EQ(tw_cuda_kernel_attribute_get(kernel, TW_KERNEL_REGISTERS), 168);
  EXPECT_EQ(tw_cuda_kernel_attribute_get(kernel, TW_KERNEL_LOCAL_BYTES), 16);
  EXPECT_EQ(tw_cuda_kernel_attribute_get(kernel, TW_KERNEL_STATIC_SHARED_BYTES),
            1024);
  EXPECT_EQ(tw_cuda_kernel_attribute_get(kernel, TW_KERNEL_MAX_THREADS), 1024);
  EXPECT_STREQ(tw_cuda_kernel_log(kernel), "");
  uint64_t pointer = 42;
  int32_t number = 43;
  void *parameters[] = {&pointer, &number};
  const int64_t grid[] = {4, 2, 1};
  ASSERT_EQ(tw_cuda_launch(kernel, grid, fakeHandle(0x5000), parameters),
            TW_OK);
  ASSERT_EQ(fake->launches.size(), 1u);
  EXPECT_EQ(fake->launches[0].block[0], 256u);
  EXPECT_EQ(fake->launches[0].cluster[0], 2u);
  EXPECT_EQ(fake->launches[0].pointer, 42u);
  EXPECT_EQ(fake->launches[0].number, 43);
  const int64_t odd[] = {3, 1, 1};
  EXPECT_EQ(tw_cuda_launch(kernel, odd, nullptr, parameters),
            TW_INVALID_ARGUMENT);
  tw_cuda_kernel_free(kernel);
  tw_cuda_kernel_free(nullptr);
  EXPECT_EQ(fake->modulesUnloaded, 1);
}

TEST_F(CudaCapiTest, MemoryStreamsAndEvents) {
  uint64_t memory = 0;
  void *stream = nullptr, *event = nullptr;
  char back[4] = {};
  float milliseconds = 0;
  int device = -1;
  ASSERT_EQ(tw_cuda_alloc(0, 16, &memory), TW_OK);
  ASSERT_EQ(tw_cuda_stream_create(0, &stream), TW_OK);
  ASSERT_EQ(tw_cuda_event_create(0, &event), TW_OK);
  EXPECT_EQ(tw_cuda_copy_to_device(0, memory, "abc", 4, stream), TW_OK);
  EXPECT_EQ(tw_cuda_fill(0, memory, 'z', 1, stream), TW_OK);
  EXPECT_EQ(tw_cuda_copy_to_host(0, back, memory, 4, stream), TW_OK);
  EXPECT_EQ(tw_cuda_event_record(0, event, stream), TW_OK);
  EXPECT_EQ(tw_cuda_event_elapsed(0, event, event, &milliseconds), TW_OK);
  EXPECT_EQ(tw_cuda_stream_synchronize(0, stream), TW_OK);
  EXPECT_EQ(tw_cuda_synchronize(0), TW_OK);
  EXPECT_EQ(tw_cuda_pointer_device(memory, &device), TW_OK);
  EXPECT_STREQ(back, "zbc");
  EXPECT_EQ(milliseconds, 1.5f);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(tw_cuda_event_destroy(0, event), TW_OK);
  EXPECT_EQ(tw_cuda_stream_destroy(0, stream), TW_OK);
  EXPECT_EQ(tw_cuda_free(0, memory), TW_OK);
}

TEST_F(CudaCapiTest, FailureLeavesOutputsAlone) {
  fake->failures["cuMemAlloc_v2"] = kErrorOutOfMemory;
  uint64_t memory = 77;
  EXPECT_EQ(tw_cuda_alloc(0, 16, &memory), TW_OUT_OF_MEMORY);
  EXPECT_EQ(memory, 77u);
  EXPECT_NE(std::string(tw_last_error()).find("words of the driver"),
            std::string::npos);
}

} // namespace
