// The part of DLPack's binary interface that is needed to read a tensor's
// address. It is declared here so that the build needs no header of it. DLPack
// 1.x fixes layouts and numbers.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_DLPACK_H
#define TILEWRIGHT_PYTHON_LAUNCHER_DLPACK_H

#include <cstdint>

namespace tilewright::python::dlpack {

enum DeviceType : int32_t {
  kCpu = 1,
  kCuda = 2,
  kCudaHost = 3,
  kCudaManaged = 13,
};

enum TypeCode : uint8_t {
  kInt = 0,
  kUInt = 1,
  kFloat = 2,
  kBFloat = 4,
  kBool = 6,
  kFloat8E4M3FN = 10,
  kFloat8E4M3FNUZ = 11,
  kFloat8E5M2 = 12,
  kFloat8E5M2FNUZ = 13,
};

struct Device {
  int32_t type;
  int32_t index;

  bool operator==(const Device &other) const {
    return type == other.type && index == other.index;
  }
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;

  bool operator==(const DataType &other) const {
    return code == other.code && bits == other.bits && lanes == other.lanes;
  }
};

struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType type;
  int64_t *shape;
  int64_t *strides;
  uint64_t byteOffset;
};

/// The content of a capsule named "dltensor".
struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *);
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

/// The content of a capsule named "dltensor_versioned".
struct ManagedTensorVersioned {
  Version version;
  void *context;
  void (*deleter)(ManagedTensorVersioned *);
  uint64_t flags;
  Tensor tensor;
};

constexpr uint64_t kFlagReadOnly = 1;

/// The content of the capsule "dlpack_exchange_api" of a tensor type; functions
/// that are unused here have no types.
struct ExchangeApi {
  Version version;
  ExchangeApi *previous;
  void *allocate;
  void *managedTensorFromObject;
  void *managedTensorToObject;
  /// Fills a tensor that the object owns; nonzero with a Python error set.
  int (*tensorFromObject)(void *object, Tensor *tensor);
  int (*currentStream)(int32_t deviceType, int32_t deviceIndex, void **stream);
};

} // namespace tilewright::python::dlpack

#endif // TILEWRIGHT_PYTHON_LAUNCHER_DLPACK_H
