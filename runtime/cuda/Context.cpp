#include "runtime/cuda/Context.h"

namespace tilewright::runtime::cuda {

/// The current context, null if there is none.
static Result<ContextHandle> currentContext(const Driver &driver) {
  ContextHandle context = nullptr;
  if (Status s =
          driver.check(driver.contextGetCurrent(&context), "cuCtxGetCurrent");
      !s.ok())
    return s;
  return context;
}

static Result<DeviceHandle> currentDeviceHandle(const Driver &driver) {
  DeviceHandle device = 0;
  if (Status s =
          driver.check(driver.contextGetDevice(&device), "cuCtxGetDevice");
      !s.ok())
    return s;
  return device;
}

Result<ContextScope> ContextScope::enter(const Driver &driver, int ordinal) {
  if (Driver::isForked())
    return Driver::forkedStatus();
  Result<DeviceHandle> wanted = driver.device(ordinal);
  if (!wanted.ok())
    return wanted.status();
  Result<ContextHandle> current = currentContext(driver);
  if (!current.ok())
    return current.status();
  if (*current) {
    Result<DeviceHandle> device = currentDeviceHandle(driver);
    if (!device.ok())
      return device.status();
    if (*device == *wanted)
      return ContextScope(driver, *current, /*pushed=*/false);
  }
  Result<ContextHandle> primary = driver.primaryContext(ordinal);
  if (!primary.ok())
    return primary.status();
  if (Status s = driver.check(driver.contextPush(*primary), "cuCtxPushCurrent");
      !s.ok())
    return s;
  return ContextScope(driver, *primary, /*pushed=*/true);
}

Result<ContextScope> ContextScope::enter(const Driver &driver,
                                         ContextHandle context) {
  if (Driver::isForked())
    return Driver::forkedStatus();
  Result<ContextHandle> current = currentContext(driver);
  if (!current.ok())
    return current.status();
  if (*current == context)
    return ContextScope(driver, context, /*pushed=*/false);
  if (Status s = driver.check(driver.contextPush(context), "cuCtxPushCurrent");
      !s.ok())
    return s;
  return ContextScope(driver, context, /*pushed=*/true);
}

ContextScope::~ContextScope() {
  ContextHandle popped = nullptr;
  // Fails only while the driver shuts down, when no stack is left to restore.
  if (pushed)
    (void)driver->contextPop(&popped);
}

Result<int> currentDevice(const Driver &driver) {
  Result<ContextHandle> current = currentContext(driver);
  if (!current.ok())
    return current.status();
  if (!*current)
    return 0;
  Result<DeviceHandle> handle = currentDeviceHandle(driver);
  if (!handle.ok())
    return handle.status();
  for (int i = 0; i < driver.deviceCount(); ++i)
    if (Result<DeviceHandle> device = driver.device(i);
        device.ok() && *device == *handle)
      return i;
  return Status(StatusCode::Internal,
                "the current context is on a device that is not enumerated");
}

} // namespace tilewright::runtime::cuda
