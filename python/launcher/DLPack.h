// The part of DLPack's binary interface that reading a tensor's address needs,
// declared here so that no header of it is needed to build. Layouts and numbers
// are those of DLPack 1.x and fixed by it.
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

/// What a capsule named "dltensor" holds.
struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *);
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

/// What a capsule named "dltensor_versioned" holds.
struct ManagedTensorVersioned {
  Version version;
  void *context;
  void (*deleter)(ManagedTensorVersioned *);
  uint64_t flags;
  Tensor tensor;
};

constexpr uint64_t kFlagReadOnly = 1;

/// What the capsule "dlpack_exchange_api" on a tensor type holds; functions
/// that are not called here are left untyped.
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
