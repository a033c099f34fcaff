// The part of the CUDA driver's binary interface that the runtime uses. It is
// declared here so that the build needs no CUDA header. Layouts and numbers
// follow the driver's documented 64-bit interface, which no release changes.
#ifndef TILEWRIGHT_RUNTIME_CUDA_DRIVERTYPES_H
#define TILEWRIGHT_RUNTIME_CUDA_DRIVERTYPES_H

#include <cstdint>

namespace tilewright::runtime::cuda {

using DriverResult = int;
using DeviceHandle = int;
using DevicePointer = uint64_t;
using ContextHandle = struct ContextOpaque *;
using ModuleHandle = struct ModuleOpaque *;
using FunctionHandle = struct FunctionOpaque *;
using StreamHandle = struct StreamOpaque *;
using EventHandle = struct EventOpaque *;
using GraphHandle = struct GraphOpaque *;
using GraphExecHandle = struct GraphExecOpaque *;
using MemoryPoolHandle = struct MemoryPoolOpaque *;

enum : DriverResult {
  kSuccess = 0,
  kErrorInvalidValue = 1,
  kErrorOutOfMemory = 2,
  kErrorNotInitialized = 3,
  kErrorNoDevice = 100,
  kErrorInvalidDevice = 101,
  kErrorNoBinaryForGpu = 209,
  kErrorInvalidPtx = 218,
  kErrorUnsupportedPtxVersion = 222,
  kErrorInvalidHandle = 400,
  kErrorNotFound = 500,
  kErrorNotReady = 600,
  kErrorIllegalAddress = 700,
  kErrorAssert = 710,
  kErrorCooperativeLaunchTooLarge = 720,
  kErrorNotSupported = 801,
};

enum class DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  WarpSize = 10,
  RegistersPerBlock = 12,
  ClockKilohertz = 13,
  MultiprocessorCount = 16,
  MemoryClockKilohertz = 36,
  MemoryBusBits = 37,
  L2Bytes = 38,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  SharedBytesPerMultiprocessor = 81,
  SharedBytesPerBlockOptIn = 97,
  MemoryPoolsSupported = 115,
};

enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  SharedBytes = 1,
  LocalBytes = 3,
  Registers = 4,
  MaxDynamicSharedBytes = 8,
  NonPortableClusterSizeAllowed = 14,
};

enum class PointerAttribute : int {
  MemoryType = 2,
  IsManaged = 8,
  DeviceOrdinal = 9,
};

enum class MemoryType : unsigned {
  Host = 1,
  Device = 2,
  Array = 3,
  Unified = 4
};

enum class JitOption : int {
  InfoLog = 3,
  InfoLogBytes = 4,
  ErrorLog = 5,
  ErrorLogBytes = 6,
};

enum class LaunchAttributeId : int {
  Cooperative = 2,
  ClusterDimension = 4,
  ProgrammaticStreamSerialization = 6,
};

struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[4];
  union {
    char bytes[64];
    struct {
      unsigned x, y, z;
    } cluster;
    int cooperative;
    int programmaticStreamSerialization;
  } value;
};
static_assert(sizeof(LaunchAttribute) == 72, "fixed by the driver");

struct LaunchDescription {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned dynamicSharedBytes;
  StreamHandle stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};
static_assert(sizeof(LaunchDescription) == 56, "fixed by the driver");

enum class PoolAttribute : int {
  ReleaseThreshold = 4,
  ReservedBytes = 5,
  UsedBytes = 7,
};

/// Properties of a pool of device memory: pinned memory of one device, not
/// shared with other processes.
struct PoolProperties {
  int allocationType = 1;
  int handleTypes = 0;
  int locationType = 1;
  int location = 0;
  void *security = nullptr;
  unsigned char reserved[64] = {};
};
static_assert(sizeof(PoolProperties) == 88, "fixed by the driver");

/// Relaxed: calls that a capture cannot record fail on their own, on any
/// thread.
enum class CaptureMode : int { Relaxed = 2 };

enum : unsigned {
  /// Events without timing cost the device less.
  kEventWithoutTimes = 2,
  /// Host memory that every context may copy from and to.
  kHostPortable = 1,
};

enum : unsigned {
  /// The new stream does not wait for the legacy default stream.
  kStreamNonBlocking = 1,
};

/// The TMA descriptor of an array.
struct alignas(64) TensorMap {
  uint64_t words[16];
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_DRIVERTYPES_H
