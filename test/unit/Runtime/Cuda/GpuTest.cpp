// The runtime on a real device; skipped where there is none.
#include "runtime/cuda/Context.h"
#include "runtime/cuda/Device.h"
#include "runtime/cuda/Kernel.h"
#include "runtime/cuda/Memory.h"
#include "test/unit/Runtime/Core/TemporaryDirectory.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

/// out[program * threads + thread] = program + n, through dynamic shared
/// memory.
constexpr const char *kPtx = R"(
.version 7.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry kernel(.param .u64 out, .param .s32 n)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<9>;
  ld.param.u64 %rd1, [out];
  ld.param.s32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ntid.x;
  add.s32 %r5, %r1, %r2;
  mov.u32 %r6, dynamic;
  mad.lo.s32 %r6, %r3, 4, %r6;
  st.shared.u32 [%r6], %r5;
  bar.sync 0;
  ld.shared.u32 %r7, [%r6];
  mad.lo.s32 %r8, %r2, %r4, %r3;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.u32 %rd3, %r8, 4;
  add.s64 %rd2, %rd2, %rd3;
  st.global.u32 [%rd2], %r7;
  ret;
}
)";

class GpuTest : public testing::Test {
protected:
  void SetUp() override {
    auto opened = Driver::open("libcuda.so.1");
    if (!opened.ok())
      GTEST_SKIP() << opened.status().message();
    if ((*opened)->deviceCount() == 0)
      GTEST_SKIP() << "this machine has no CUDA device";
    driver = std::move(*opened);
  }

  /// Runs the kernel over `programs` programs and checks its output.
  void checkRun(const std::string &image, const LaunchShape &shape) {
    auto kernel = Kernel::load(*driver, 0, image, "kernel", shape);
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    EXPECT_GT((*kernel)->resources().registers, 0);
    constexpr int64_t kPrograms = 1000;
    std::vector<int32_t> host(kPrograms * shape.threads, -1);
    const size_t bytes = host.size() * sizeof(host[0]);
    Result<DevicePointer> memory = allocate(*driver, 0, bytes);
    Result<StreamHandle> stream = createStream(*driver, 0);
    ASSERT_TRUE(memory.ok() && stream.ok());
    int32_t n = 5;
    void *parameters[] = {&*memory, &n};
    Status launched = (*kernel)->launch({kPrograms, 1, 1}, *stream, parameters);
    ASSERT_TRUE(launched.ok()) << launched.message();
    Status copied =
        copyToHost(*driver, 0, host.data(), *memory, bytes, *stream);
    ASSERT_TRUE(copied.ok()) << copied.message();
    ASSERT_TRUE(synchronize(*driver, 0, *stream).ok());
    for (size_t i = 0; i < host.size(); ++i)
      ASSERT_EQ(host[i], static_cast<int32_t>(i / shape.threads) + 5) << i;
    EXPECT_EQ(getPointerInfo(*driver, *memory)->device, 0);
    EXPECT_TRUE(destroyStream(*driver, 0, *stream).ok());
    EXPECT_TRUE(release(*driver, 0, *memory).ok());
  }

  std::unique_ptr<const Driver> driver;
};

TEST_F(GpuTest, DeviceFactsAreSensible) {
  EXPECT_GE(*computeCapability(*driver, 0), 50);
  EXPECT_GT(*deviceMemory(*driver, 0), uint64_t(1) << 30);
  EXPECT_EQ(*deviceAttribute(*driver, 0, DeviceAttribute::WarpSize), 32);
  EXPECT_GT(*deviceAttribute(*driver, 0, DeviceAttribute::MultiprocessorCount),
            0);
  EXPECT_NE(*deviceName(*driver, 0), "");
}

TEST_F(GpuTest, PtxIsAssembledByTheDriver) {
  checkRun(kPtx, {128, 512, {1, 1, 1}});
}

TEST_F(GpuTest, MoreSharedMemoryThanTheDefault) {
  const int limit =
      *deviceAttribute(*driver, 0, DeviceAttribute::SharedBytesPerBlockOptIn);
  checkRun(kPtx, {128, static_cast<unsigned>(limit), {1, 1, 1}});
  auto tooMuch =
      Kernel::load(*driver, 0, kPtx, "kernel",
                   {128, static_cast<unsigned>(limit) + 1, {1, 1, 1}});
  ASSERT_FALSE(tooMuch.ok());
  EXPECT_NE(tooMuch.status().message().find(std::to_string(limit + 1)),
            std::string::npos);
}

TEST_F(GpuTest, ClustersRun) {
  if (*computeCapability(*driver, 0) < 90)
    GTEST_SKIP() << "this device has no clusters";
  std::string ptx = kPtx;
  ptx.replace(ptx.find("7.0"), 3, "8.0");
  ptx.replace(ptx.find("sm_80"), 5, "sm_90");
  checkRun(ptx, {64, 256, {2, 1, 1}});
}

TEST_F(GpuTest, CubinOfPtxas) {
  TemporaryDirectory directory;
  std::ofstream(directory.path("kernel.ptx")) << kPtx;
  const std::string arch =
      "sm_" + std::to_string(*computeCapability(*driver, 0));
  if (system(("ptxas -arch=" + arch + " " + directory.path("kernel.ptx") +
              " -o " + directory.path("kernel.cubin"))
                 .c_str()) != 0)
    GTEST_SKIP() << "this machine has no ptxas";
  std::stringstream cubin;
  cubin << std::ifstream(directory.path("kernel.cubin")).rdbuf();
  checkRun(cubin.str(), {128, 512, {1, 1, 1}});
}

TEST_F(GpuTest, PtxThatIsWrongComesWithTheAssemblersWords) {
  std::string ptx = kPtx;
  ptx.insert(ptx.find("  ret;"), "  frobnicate;\n");
  auto kernel = Kernel::load(*driver, 0, ptx, "kernel", {128, 0, {1, 1, 1}});
  ASSERT_FALSE(kernel.ok());
  EXPECT_NE(kernel.status().message().find("frobnicate"), std::string::npos)
      << kernel.status().message();
}

TEST_F(GpuTest, CallersStackOfContextsIsLeftAlone) {
  ContextHandle before = nullptr, after = nullptr;
  ASSERT_EQ(driver->contextGetCurrent(&before), kSuccess);
  checkRun(kPtx, {32, 128, {1, 1, 1}});
  ASSERT_EQ(driver->contextGetCurrent(&after), kSuccess);
  EXPECT_EQ(before, after);
}

TEST_F(GpuTest, EventsMeasureTime) {
  Result<EventHandle> start = createEvent(*driver, 0);
  Result<EventHandle> end = createEvent(*driver, 0);
  Result<DevicePointer> memory = allocate(*driver, 0, size_t(1) << 28);
  ASSERT_TRUE(start.ok() && end.ok() && memory.ok());
  EXPECT_TRUE(recordEvent(*driver, 0, *start, nullptr).ok());
  EXPECT_TRUE(fill(*driver, 0, *memory, 1, size_t(1) << 28, nullptr).ok());
  EXPECT_TRUE(recordEvent(*driver, 0, *end, nullptr).ok());
  Result<float> elapsed = elapsedMilliseconds(*driver, 0, *start, *end);
  ASSERT_TRUE(elapsed.ok()) << elapsed.status().message();
  EXPECT_GT(*elapsed, 0);
  EXPECT_TRUE(release(*driver, 0, *memory).ok());
}

TEST_F(GpuTest, HostMemoryIsOnNoDevice) {
  int local = 0;
  Result<PointerInfo> info =
      getPointerInfo(*driver, reinterpret_cast<DevicePointer>(&local));
  ASSERT_TRUE(info.ok()) << info.status().message();
  EXPECT_EQ(info->device, -1);
}

} // namespace
