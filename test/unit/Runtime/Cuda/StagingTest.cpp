#include "runtime/cuda/Staging.h"

#include "runtime/cuda/Graph.h"
#include "test/unit/Runtime/Cuda/CudaTest.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

class StagingTest : public CudaTest {
protected:
  /// Bytes that differ between pieces and within a piece.
  static std::string bytes(size_t count) {
    std::string text(count, '\0');
    for (size_t i = 0; i < count; ++i)
      text[i] = static_cast<char>(i * 31 + i / Staging::kBufferBytes);
    return text;
  }

  StreamHandle stream = static_cast<StreamHandle>(fakeHandle(0x5000));
};

TEST_F(StagingTest, CopiesInPieces) {
  const Driver &driver = open();
  // More pieces than buffers, and a partial last piece.
  const size_t count = 6 * Staging::kBufferBytes + 5;
  const std::string sent = bytes(count);
  std::string device(count, '\0'), back(count, '\0');
  const auto address = reinterpret_cast<DevicePointer>(device.data());
  {
    Staging staging(driver, 0);
    ASSERT_TRUE(staging.upload(address, sent.data(), count, stream).ok());
    EXPECT_EQ(fake->calls["cuMemcpyHtoDAsync_v2"], 7);
    EXPECT_EQ(fake->calls["cuEventSynchronize"], 3) << "a buffer is used again";
    EXPECT_TRUE(device == sent);
    ASSERT_TRUE(staging.download(back.data(), address, count, stream).ok());
    EXPECT_EQ(fake->calls["cuMemcpyDtoHAsync_v2"], 7);
    EXPECT_TRUE(back == sent);
    EXPECT_EQ(fake->hostAllocations, int(Staging::kBuffers));
  }
  EXPECT_EQ(fake->hostAllocations, 0);
  EXPECT_TRUE(fake->contextStack.empty());
}

TEST_F(StagingTest, WaitsForCopiesThatTakeTheirTime) {
  const Driver &driver = open();
  fake->defersCopies = true;
  const size_t count = 9 * Staging::kBufferBytes + 5;
  const std::string sent = bytes(count);
  std::string device(count, '\0'), back(count, '\0');
  const auto address = reinterpret_cast<DevicePointer>(device.data());
  {
    Staging staging(driver, 0);
    ASSERT_TRUE(staging.upload(address, sent.data(), count, stream).ok());
    EXPECT_FALSE(device == sent) << "the last pieces are on their way";
    ASSERT_TRUE(staging.download(back.data(), address, count, stream).ok());
    EXPECT_TRUE(back == sent);
    ASSERT_TRUE(staging.upload(address, "x", 1, stream).ok());
  }
  EXPECT_EQ(device[0], 'x');
  EXPECT_EQ(fake->misuses, std::vector<std::string>()) << "freed too early";
}

TEST_F(StagingTest, NothingAndSmallCopies) {
  const Driver &driver = open();
  Staging staging(driver, 0);
  char device[3] = {}, back[3] = {};
  const auto address = reinterpret_cast<DevicePointer>(device);
  ASSERT_TRUE(staging.upload(address, nullptr, 0, stream).ok());
  ASSERT_TRUE(staging.download(nullptr, address, 0, stream).ok());
  EXPECT_EQ(fake->hostAllocations, 0);
  ASSERT_TRUE(staging.upload(address, "ab", 3, stream).ok());
  ASSERT_TRUE(staging.download(back, address, 3, stream).ok());
  EXPECT_STREQ(back, "ab");
  EXPECT_EQ(fake->hostAllocations, 1);
}

TEST_F(StagingTest, RefusesAStreamThatIsCaptured) {
  const Driver &driver = open();
  Staging staging(driver, 0);
  ASSERT_TRUE(beginCapture(driver, 0, stream).ok());
  Status status = staging.upload(0, "a", 1, stream);
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_EQ(status.message(),
            "host memory is copied on a stream while a graph is captured on "
            "it; do it before the capture");
}

TEST_F(StagingTest, ErrorsOfTheDriverComeThrough) {
  const Driver &driver = open();
  Staging staging(driver, 0);
  char device[4] = {};
  fake->failures["cuMemHostAlloc"] = kErrorOutOfMemory;
  Status status =
      staging.upload(reinterpret_cast<DevicePointer>(device), "abc", 4, stream);
  EXPECT_EQ(status.code(), StatusCode::OutOfMemory);
  EXPECT_TRUE(fake->contextStack.empty());
}

} // namespace
