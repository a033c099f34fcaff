#include "python/launcher/TorchTensor.h"

#include <dlfcn.h>

#include <memory>

namespace py = pybind11;

namespace tilewright::python {

/// Returns `torch.Tensor`, borrowed; null if torch is not imported.
static PyTypeObject *tensorType() {
  const py::object modules = py::module_::import("sys").attr("modules");
  if (!modules.contains("torch"))
    return nullptr;
  const py::object type = py::getattr(modules["torch"], "Tensor", py::none());
  return PyType_Check(type.ptr()) ? reinterpret_cast<PyTypeObject *>(type.ptr())
                                  : nullptr;
}

bool TorchTensors::hasType(PyTypeObject *type) {
  PyTypeObject *base = tensorType();
  return base && PyType_IsSubtype(type, base);
}

template <typename Function>
static bool findIn(void *library, const char *name, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(library, name));
  return function;
}

bool TorchTensors::findFunctions() {
  // Only a library that is already loaded.
  void *library = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
  Constant *getCuda, *getStrided;
  if (!library || !findIn(library, "aoti_torch_device_type_cuda", getCuda) ||
      !findIn(library, "aoti_torch_layout_strided", getStrided) ||
      !findIn(library, "aoti_torch_get_dtype", getElements) ||
      !findIn(library, "aoti_torch_get_device_type", getDeviceType) ||
      !findIn(library, "aoti_torch_get_device_index", getDeviceIndex) ||
      !findIn(library, "aoti_torch_get_layout", getLayout) ||
      !findIn(library, "aoti_torch_get_data_ptr", getData) ||
      !findIn(library, "aoti_torch_get_storage_offset", getOffset) ||
      !findIn(library, "aoti_torch_dtype_element_size", getSize) ||
      // `at::native::is_neg`: the stable interface has no getter for the bit.
      !findIn(library, "_ZN2at6native6is_negERKNS_6TensorE", isNegative))
    return false;
  cuda = getCuda();
  strided = getStrided();
  return true;
}

/// Finds the offset of the `at::Tensor`, a pointer, in the Python object.
/// Python exposes it as `_cdata`, and exactly one word of the object has this
/// value.
bool TorchTensors::findOffset(PyObject *tensor) {
  PyTypeObject *type = tensorType();
  const auto wanted = py::cast<uintptr_t>(py::handle(tensor).attr("_cdata"));
  const auto size = static_cast<size_t>(type ? type->tp_basicsize : 0);
  for (size_t at = sizeof(PyObject); at + sizeof(wanted) <= size;
       at += sizeof(wanted)) {
    uintptr_t word;
    std::memcpy(&word, reinterpret_cast<char *>(tensor) + at, sizeof(word));
    if (word != wanted)
      continue;
    if (offset)
      return false;
    offset = at;
  }
  return offset;
}

std::atomic<const TorchTensors *> TorchTensors::known = nullptr;

/// Returns null if a getter is missing.
const TorchTensors *TorchTensors::find(PyObject *tensor) {
  std::unique_ptr<TorchTensors> made(new TorchTensors);
  try {
    if (made->findFunctions() && made->findOffset(tensor))
      return made.release();
  } catch (const py::error_already_set &) {
  } catch (const py::cast_error &) {
  }
  return nullptr;
}

bool TorchTensors::learn(PyObject *tensor, const dlpack::Tensor &described,
                         TensorFacts &facts) {
  const TorchTensors *getters = known.load(std::memory_order_acquire);
  if (!getters) {
    getters = find(tensor);
    // If two threads find the getters, both copies stay: launches may use
    // either.
    if (getters)
      known.store(getters, std::memory_order_release);
  }
  TensorFacts read;
  void *data = nullptr;
  const auto *start =
      static_cast<const char *>(described.data) + described.byteOffset;
  if (!getters || !getters->read(tensor, read, data) || data != start)
    return false;
  facts = read;
  return true;
}

} // namespace tilewright::python
