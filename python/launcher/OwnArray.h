// What `tilewright.Array` is made of: an address, an element type, a device,
// and the object that keeps the memory.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_OWNARRAY_H
#define TILEWRIGHT_PYTHON_LAUNCHER_OWNARRAY_H

#include "python/launcher/Argument.h"

#include <atomic>

namespace tilewright::python {

/// Memory of a device's pool, freed with the object.
class DeviceMemory {
public:
  /// Freed in the order of `stream`, which `owner` keeps. One of another
  /// library has no owner, and may be gone by then: the device is waited for.
  /// Throws `OutOfMemory` with the numbers.
  DeviceMemory(int device, size_t bytes, uintptr_t stream,
               pybind11::object owner);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  uint64_t address() const { return start; }
  void *stream() const { return madeOn; }

  /// Work on the stream `other` uses the memory.
  void noteUse(void *other) {
    if (other != madeOn)
      isShared = true;
  }
  /// Work that nobody tells us about may use the memory.
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
  /// `DeviceMemory` where it is ours, and its stream.
  DeviceMemory *memory = nullptr;
  void *stream = nullptr;
  /// What keeps the memory.
  pybind11::object holder;

  /// Work on the stream `other` uses the memory, which is ours: mostly that is
  /// its own one, and nothing beside this object is touched.
  void noteUse(void *other) const {
    if (other != stream)
      memory->noteUse(other);
  }
};

/// Defines the two and what imports and exports arrays by DLPack.
void defineOwnArrays(pybind11::module_ &module);

/// Whether its objects are such arrays.
bool isOwnArrayType(PyTypeObject *type);

/// The array behind the object, which is one.
inline OwnArray &ownArray(PyObject *object) {
  // A cast looks the type up, which costs more than all else of the argument.
  auto *instance = reinterpret_cast<pybind11::detail::instance *>(object);
  if (instance->simple_layout && instance->simple_value_holder[0])
    return *static_cast<OwnArray *>(instance->simple_value_holder[0]);
  return pybind11::cast<OwnArray &>(object);
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_OWNARRAY_H
