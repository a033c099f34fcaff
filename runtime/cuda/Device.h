// Properties of a device for a compiler and its users.
#ifndef TILEWRIGHT_RUNTIME_CUDA_DEVICE_H
#define TILEWRIGHT_RUNTIME_CUDA_DEVICE_H

#include "runtime/cuda/CudaDriver.h"

#include <cstdint>
#include <string>

namespace tilewright::runtime::cuda {

Result<int> deviceAttribute(const Driver &driver, int ordinal,
                            DeviceAttribute attribute);

/// 10 * major + minor: 90 for sm_90.
Result<int> computeCapability(const Driver &driver, int ordinal);

Result<std::string> deviceName(const Driver &driver, int ordinal);

/// Bytes of global memory.
Result<uint64_t> deviceMemory(const Driver &driver, int ordinal);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_DEVICE_H
