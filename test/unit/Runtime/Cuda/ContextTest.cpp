#include "runtime/cuda/Context.h"

#include "test/unit/Runtime/Cuda/CudaTest.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

using ContextTest = CudaTest;

TEST_F(ContextTest, WithoutOneThePrimaryContextIsPushed) {
  const Driver &driver = open();
  {
    Result<ContextScope> scope = ContextScope::enter(driver, 1);
    ASSERT_TRUE(scope.ok());
    EXPECT_EQ(fake->contextStack, std::vector<void *>{fakePrimaryContext(1)});
  }
  EXPECT_TRUE(fake->contextStack.empty()) << "the caller's stack is as before";
}

TEST_F(ContextTest, CallersContextOnTheDeviceIsUsed) {
  const Driver &driver = open();
  fake->contextStack = {fakeOtherContext(0)};
  Result<ContextScope> scope = ContextScope::enter(driver, 0);
  ASSERT_TRUE(scope.ok());
  EXPECT_EQ(static_cast<void *>(scope->context()), fakeOtherContext(0));
  EXPECT_EQ(fake->contextStack.size(), 1u);
  EXPECT_EQ(fake->primaryRetained[0], 0);
}

TEST_F(ContextTest, CallersContextOnAnotherDeviceIsSetAside) {
  const Driver &driver = open();
  fake->contextStack = {fakePrimaryContext(0)};
  {
    Result<ContextScope> scope = ContextScope::enter(driver, 1);
    ASSERT_TRUE(scope.ok());
    EXPECT_EQ(fake->contextStack.back(), fakePrimaryContext(1));
  }
  EXPECT_EQ(fake->contextStack, std::vector<void *>{fakePrimaryContext(0)});
}

TEST_F(ContextTest, PrimaryContextIsRetainedOnce) {
  const Driver &driver = open();
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(ContextScope::enter(driver, 0).ok());
  EXPECT_EQ(fake->primaryRetained[0], 1);
}

TEST_F(ContextTest, FailuresAreReturned) {
  const Driver &driver = open();
  for (const char *call :
       {"cuDevicePrimaryCtxRetain", "cuCtxGetCurrent", "cuCtxPushCurrent_v2"}) {
    fake->failures = {{call, 999}};
    Result<ContextScope> scope = ContextScope::enter(driver, 0);
    ASSERT_FALSE(scope.ok()) << call;
    EXPECT_EQ(scope.status().code(), StatusCode::Driver);
    EXPECT_TRUE(fake->contextStack.empty());
  }
}

TEST_F(ContextTest, CurrentDevice) {
  const Driver &driver = open();
  EXPECT_EQ(*currentDevice(driver), 0);
  fake->contextStack = {fakePrimaryContext(1)};
  EXPECT_EQ(*currentDevice(driver), 1);
}

} // namespace
