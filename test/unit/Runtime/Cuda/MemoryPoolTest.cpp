#include "runtime/cuda/MemoryPool.h"

#include "runtime/cuda/Graph.h"
#include "test/unit/Runtime/Cuda/CudaTest.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

class MemoryPoolTest : public CudaTest {
protected:
  std::unique_ptr<MemoryPool> make(int ordinal = 0) {
    auto made = MemoryPool::create(driver ? *driver : open(), ordinal);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return std::move(*made);
  }

  StreamHandle stream = static_cast<StreamHandle>(fakeHandle(0x5000));
};

TEST_F(MemoryPoolTest, AllocatesAndFreesOnTheStream) {
  auto pool = make(1);
  EXPECT_EQ(fake->poolDevice, 1);
  EXPECT_EQ(fake->poolThreshold, uint64_t(5) << 30) << "of 80 GiB";
  Result<DevicePointer> memory = pool->allocate(64, stream);
  ASSERT_TRUE(memory.ok());
  Result<MemoryUse> use = pool->use();
  ASSERT_TRUE(use.ok());
  EXPECT_EQ(use->used, 64u);
  EXPECT_EQ(use->reserved, 64u);
  EXPECT_EQ(use->total, fake->poolLimit);
  EXPECT_EQ(use->free, fake->poolLimit - 64);
  EXPECT_TRUE(pool->release(*memory, stream, /*isShared=*/false).ok());
  EXPECT_EQ(fake->poolStreams, (std::vector<void *>{stream, stream}));
  EXPECT_EQ(pool->use()->used, 0u);
  EXPECT_TRUE(fake->contextStack.empty());
}

TEST_F(MemoryPoolTest, NothingIsNoCall) {
  auto pool = make();
  fake->failures["cuMemAllocFromPoolAsync"] = 999;
  Result<DevicePointer> memory = pool->allocate(0, stream);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(*memory, 0u);
  EXPECT_TRUE(pool->release(0, stream, false).ok());
}

TEST_F(MemoryPoolTest, TrimsBeforeItGivesUp) {
  auto pool = make();
  fake->poolLimit = 1000;
  Result<DevicePointer> first = pool->allocate(800, stream);
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(pool->release(*first, stream, false).ok());
  Result<DevicePointer> second = pool->allocate(600, stream);
  ASSERT_TRUE(second.ok()) << second.status().message();
  EXPECT_EQ(fake->poolTrims, 1);
  Result<DevicePointer> third = pool->allocate(500, stream);
  ASSERT_FALSE(third.ok());
  EXPECT_EQ(third.status().code(), StatusCode::OutOfMemory);
  EXPECT_EQ(third.status().message(),
            "cannot allocate 500 bytes on device 0: 400 of its 1000 bytes are "
            "free, and arrays of this process hold 600 "
            "(cuMemAllocFromPoolAsync failed: FAKE_OUT_OF_MEMORY (2): words of "
            "the driver)");
  EXPECT_TRUE(pool->release(*second, stream, false).ok());
}

TEST_F(MemoryPoolTest, MoreThanTheDeviceHasIsNotAskedFor) {
  auto pool = make();
  fake->failures["cuMemAllocFromPoolAsync"] = 999;
  Result<DevicePointer> memory = pool->allocate((size_t(80) << 30) + 1, stream);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.status().code(), StatusCode::OutOfMemory);
  EXPECT_EQ(memory.status().message().rfind(
                "cannot allocate 85899345921 bytes on device 0: ", 0),
            0u)
      << memory.status().message();
}

TEST_F(MemoryPoolTest, SharedMemoryWaitsForTheDevice) {
  auto pool = make();
  Result<DevicePointer> memory = pool->allocate(8, stream);
  fake->failures["cuCtxSynchronize"] = 901 /*a stream is captured*/;
  ASSERT_TRUE(pool->release(*memory, stream, /*isShared=*/true).ok());
  EXPECT_EQ(fake->freed, 0) << "not while work on it may be running";
  fake->failures.clear();
  ASSERT_TRUE(pool->release(*pool->allocate(8, stream), stream, false).ok());
  EXPECT_EQ(fake->freed, 2) << "the next allocation frees it";
}

TEST_F(MemoryPoolTest, SharedMemoryNeedsNoStreamThatIsGone) {
  auto pool = make();
  Result<DevicePointer> memory = pool->allocate(8, stream);
  fake->destroyedStreams.insert(stream);
  ASSERT_TRUE(pool->release(*memory, stream, /*isShared=*/true).ok());
  EXPECT_EQ(fake->freed, 1);
  EXPECT_EQ(fake->misuses, std::vector<std::string>());
}

TEST_F(MemoryPoolTest, WhatIsFreedDuringACaptureIsNoPartOfTheGraph) {
  auto pool = make();
  Result<DevicePointer> memory = pool->allocate(8, stream);
  ASSERT_TRUE(beginCapture(*driver, 0, stream).ok());
  ASSERT_TRUE(pool->release(*memory, stream, /*isShared=*/false).ok());
  EXPECT_EQ(fake->freed, 0);
  ASSERT_TRUE(endCapture(*driver, 0, stream).ok());
  ASSERT_TRUE(pool->allocate(8, nullptr).ok());
  EXPECT_EQ(fake->freed, 1);
}

TEST_F(MemoryPoolTest, RefusesAStreamThatIsCaptured) {
  auto pool = make();
  ASSERT_TRUE(beginCapture(*driver, 0, stream).ok());
  Result<DevicePointer> memory = pool->allocate(8, stream);
  ASSERT_FALSE(memory.ok());
  EXPECT_EQ(memory.status().message(),
            "memory is allocated on a stream while a graph is captured on it; "
            "do it before the capture");
  EXPECT_TRUE(pool->release(*pool->allocate(8, nullptr), nullptr, false).ok())
      << "other streams go on";
}

TEST_F(MemoryPoolTest, OldDriversAllocateTheOldWay) {
  use(FAKE_CUDA_OLD_PATH);
  fake->version = 11010;
  auto pool = make();
  Result<DevicePointer> memory = pool->allocate(64, stream);
  ASSERT_TRUE(memory.ok());
  EXPECT_EQ(fake->allocatedBytes, 64u);
  EXPECT_TRUE(pool->trim(0).ok());
  EXPECT_EQ(pool->use()->reserved, 0u);
  EXPECT_TRUE(pool->release(*memory, stream, false).ok());
  EXPECT_EQ(fake->freed, 1);
}

using GraphTest = CudaTest;

TEST_F(GraphTest, CapturesAndLaunches) {
  const Driver &driver = open();
  auto *stream = static_cast<StreamHandle>(fakeHandle(0x5000));
  ASSERT_TRUE(beginCapture(driver, 0, stream).ok());
  Result<GraphExecHandle> graph = endCapture(driver, 0, stream);
  ASSERT_TRUE(graph.ok());
  ASSERT_TRUE(launchGraph(driver, 0, *graph, nullptr).ok());
  EXPECT_EQ(fake->graphLaunches, 1);
  EXPECT_TRUE(destroyGraph(driver, 0, *graph).ok());
  EXPECT_EQ(fake->graphsAlive, 0);
}

TEST_F(GraphTest, RefusesTheDefaultStreamAndOldDrivers) {
  EXPECT_EQ(beginCapture(open(), 0, nullptr).message(),
            "the default stream cannot be captured; pass another stream");
  use(FAKE_CUDA_OLD_PATH);
  fake->version = 11030;
  EXPECT_EQ(beginCapture(open(), 0, nullptr).message(),
            "CUDA driver too old: have 11.3, need 11.4 for graphs");
}

} // namespace
