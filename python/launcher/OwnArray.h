// The core of `tilewright.Array`: an address, an element type, a device, and
// the object that owns the memory.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_OWNARRAY_H
#define TILEWRIGHT_PYTHON_LAUNCHER_OWNARRAY_H

#include "python/launcher/Argument.h"

#include <atomic>

namespace tilewright::python {

/// Memory of a device's pool, freed with the object.
class DeviceMemory {
public:
  /// The memory is freed in the order of `stream`, which `owner` keeps alive. A
  /// stream of another library has no owner and may be destroyed by then: the
  /// device is waited for instead. Throws `OutOfMemory` with the amounts.
  DeviceMemory(int device, size_t bytes, uintptr_t stream,
               pybind11::object owner);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  uint64_t address() const { return start; }
  void *stream() const { return madeOn; }

  /// Records that work on the stream `other` uses the memory.
  void noteUse(void *other) {
    if (other != madeOn)
      isShared = true;
  }
  /// Records that untracked work may use the memory.
  void share() { isShared = true; }

private:
  int device;
  void *madeOn;
  pybind11::object owner;
  uint64_t start = 0;
  std::atomic<bool> isShared;
};

struct OwnArray {
  uint64_t address = 0;
  ElementType type = ElementType::F32;
  Device device = {};
  bool readOnly = false;
  /// The memory, if it is from Tilewright's pool, and its stream.
  DeviceMemory *memory = nullptr;
  void *stream = nullptr;
  /// The owner of the memory.
  pybind11::object holder;

  /// Records that work on the stream `other` uses the memory of the pool.
  /// Usually that is the array's own stream, and only this object is accessed.
  void noteUse(void *other) const {
    if (other != stream)
      memory->noteUse(other);
  }
};

/// Defines both classes and the DLPack functions.
void defineOwnArrays(pybind11::module_ &module);

/// Whether objects of the type are such arrays.
bool isOwnArrayType(PyTypeObject *type);

/// Returns the array of the object, which must be one.
inline OwnArray &ownArray(PyObject *object) {
  // A cast would look up the type, which costs more than the rest of the
  // argument.
  auto *instance = reinterpret_cast<pybind11::detail::instance *>(object);
  if (instance->simple_layout && instance->simple_value_holder[0])
    return *static_cast<OwnArray *>(instance->simple_value_holder[0]);
  return pybind11::cast<OwnArray &>(object);
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_OWNARRAY_H
