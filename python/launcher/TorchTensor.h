// Tensors of PyTorch, read by the getters of its stable C interface
// (torch/csrc/inductor/aoti_torch/c/shim.h): what its function for DLPack does
// takes five times as long.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_TORCHTENSOR_H
#define TILEWRIGHT_PYTHON_LAUNCHER_TORCHTENSOR_H

#include "python/launcher/DLPack.h"

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstring>

namespace tilewright::python {

/// Element type and place of a tensor in the numbers of its library, which are
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
  /// `read` take.
  static bool hasType(PyTypeObject *type);

  /// Whether the getters give for `tensor` the address that DLPack says, and
  /// may be asked for more tensors of its type; not where this PyTorch has
  /// none. Then `facts` becomes what they say.
  static bool learn(PyObject *tensor, const dlpack::Tensor &described,
                    TensorFacts &facts);

  /// The getters; null before there was something to learn.
  static const TorchTensors *get() {
    return known.load(std::memory_order_acquire);
  }

  /// Asks for everything anew: a tensor may be given other memory, another
  /// type, another device. Returns false, without a Python error, for a tensor
  /// whose memory does not hold its values. `data` may become null.
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

  /// Where sparse tensors on a GPU have no data, others on the CPU may.
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

  /// Where the object has its `at::Tensor`, which is what the getters take.
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
