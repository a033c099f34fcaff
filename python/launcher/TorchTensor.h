// Reads PyTorch tensors by the getters of its stable C interface
// (torch/csrc/inductor/aoti_torch/c/shim.h). Its DLPack function is
// several times slower: benchmarks/notes/launch-overhead.md.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_TORCHTENSOR_H
#define TILEWRIGHT_PYTHON_LAUNCHER_TORCHTENSOR_H

#include "python/launcher/DLPack.h"

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstring>

namespace tilewright::python {

/// Element type and device of a tensor, as numbers of its library, which are
/// only compared.
struct TensorFacts {
  int32_t elements, deviceType, deviceIndex;

  bool operator==(const TensorFacts &other) const {
    return elements == other.elements && deviceType == other.deviceType &&
           deviceIndex == other.deviceIndex;
  }
};

class TorchTensors {
public:
  /// Whether the type is derived from `torch.Tensor`, whose objects `learn` and
  /// `read` accept.
  static bool hasType(PyTypeObject *type);

  /// Whether the getters report the same address for `tensor` as DLPack. Then
  /// `facts` is set, and the getters may be used for more tensors of its type.
  /// Returns false if this PyTorch has no getters.
  static bool learn(PyObject *tensor, const dlpack::Tensor &described,
                    TensorFacts &facts);

  /// Returns the getters; null before the first `learn`.
  static const TorchTensors *get() {
    return known.load(std::memory_order_acquire);
  }

  /// Reads everything anew: a tensor may have changed its memory, type or
  /// device. Returns false, without a Python error, for a tensor whose memory
  /// does not hold its values. `data` may become null.
  bool read(PyObject *tensor, TensorFacts &facts, void *&data) const {
    void *handle = reinterpret_cast<char *>(tensor) + offset;
    void *implementation;
    std::memcpy(&implementation, handle, sizeof(implementation));
    return implementation && getElements(handle, &facts.elements) == 0 &&
           getDeviceType(handle, &facts.deviceType) == 0 &&
           getDeviceIndex(handle, &facts.deviceIndex) == 0 &&
           (facts.deviceType == cuda || isStrided(handle)) &&
           getData(handle, &data) == 0 && !isNegative(handle) &&
           !isOffsetOnly(handle, facts.elements, data);
  }

  /// Returns whether the getters are known and find values at the address of
  /// `tensor`.
  static bool holdsValues(PyObject *tensor) {
    const TorchTensors *getters = get();
    TensorFacts facts;
    void *data = nullptr;
    return getters && getters->read(tensor, facts, data) && data;
  }

private:
  using GetNumber = int32_t(void *handle, int32_t *number);
  using GetPointer = int32_t(void *handle, void **pointer);
  using GetOffset = int32_t(void *handle, int64_t *offset);
  using GetSize = size_t(int32_t elements);
  using Predicate = bool(const void *handle);
  using Constant = int32_t();

  TorchTensors() = default;
  static const TorchTensors *find(PyObject *tensor);
  bool findFunctions();
  bool findOffset(PyObject *tensor);

  /// Sparse tensors on a GPU have no data; those on the CPU may have some.
  bool isStrided(void *handle) const {
    int32_t layout;
    return getLayout(handle, &layout) == 0 && layout == strided;
  }

  /// Returns whether `data` is the offset of a view whose storage has no
  /// memory: null plus an offset.
  bool isOffsetOnly(void *handle, int32_t elements, const void *data) const {
    int64_t offset;
    if (getOffset(handle, &offset) != 0)
      return true;
    return offset && reinterpret_cast<uintptr_t>(data) ==
                         static_cast<uint64_t>(offset) * getSize(elements);
  }

  static std::atomic<const TorchTensors *> known;

  /// Offset of the `at::Tensor` in the object, the argument of the getters.
  size_t offset = 0;
  int32_t cuda = 0, strided = 0;
  GetNumber *getElements = nullptr, *getDeviceType = nullptr,
            *getDeviceIndex = nullptr, *getLayout = nullptr;
  GetPointer *getData = nullptr;
  GetOffset *getOffset = nullptr;
  GetSize *getSize = nullptr;
  /// Set for lazily negated views, such as the imaginary part of a conjugate.
  Predicate *isNegative = nullptr;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_TORCHTENSOR_H
