#include "runtime/cuda/Device.h"

namespace tilewright::runtime::cuda {

Result<int> deviceAttribute(const Driver &driver, int ordinal,
                            DeviceAttribute attribute) {
  Result<DeviceHandle> device = driver.device(ordinal);
  if (!device.ok())
    return device.status();
  int value = 0;
  if (Status s =
          driver.check(driver.deviceGetAttribute(&value, attribute, *device),
                       "cuDeviceGetAttribute");
      !s.ok())
    return s;
  return value;
}

Result<int> computeCapability(const Driver &driver, int ordinal) {
  Result<int> major =
      deviceAttribute(driver, ordinal, DeviceAttribute::ComputeCapabilityMajor);
  if (!major.ok())
    return major;
  Result<int> minor =
      deviceAttribute(driver, ordinal, DeviceAttribute::ComputeCapabilityMinor);
  if (!minor.ok())
    return minor;
  return 10 * *major + *minor;
}

Result<std::string> deviceName(const Driver &driver, int ordinal) {
  Result<DeviceHandle> device = driver.device(ordinal);
  if (!device.ok())
    return device.status();
  char name[256] = {};
  if (Status s =
          driver.check(driver.deviceGetName(name, sizeof(name) - 1, *device),
                       "cuDeviceGetName");
      !s.ok())
    return s;
  return std::string(name);
}

Result<uint64_t> deviceMemory(const Driver &driver, int ordinal) {
  Result<DeviceHandle> device = driver.device(ordinal);
  if (!device.ok())
    return device.status();
  size_t bytes = 0;
  if (Status s = driver.check(driver.deviceTotalMem(&bytes, *device),
                              "cuDeviceTotalMem");
      !s.ok())
    return s;
  return static_cast<uint64_t>(bytes);
}

} // namespace tilewright::runtime::cuda
