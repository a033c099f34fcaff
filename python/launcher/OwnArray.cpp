#include "python/launcher/OwnArray.h"

#include "python/launcher/ArrayTypes.h"
#include "python/launcher/Ending.h"
#include "python/launcher/Exchange.h"
#include "python/launcher/StatusErrors.h"

namespace py = pybind11;

namespace tilewright::python {

/// Throws `OutOfMemory` with the amounts as attributes.
[[noreturn]] static void throwOutOfMemory(int device, size_t bytes) {
  const std::string message = tw_last_error();
  py::object type =
      py::module_::import("tilewright.errors").attr("OutOfMemory");
  py::object error = type(message);
  error.attr("device") = device;
  error.attr("requested") = bytes;
  tw_cuda_memory_use use = {};
  if (tw_cuda_memory_use_get(device, &use) == TW_OK) {
    error.attr("free") = use.free_bytes;
    error.attr("total") = use.total_bytes;
    error.attr("used") = use.used_bytes;
  }
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

DeviceMemory::DeviceMemory(int device, size_t bytes, uintptr_t stream,
                           py::object owner)
    : device(device), madeOn(reinterpret_cast<void *>(stream)),
      owner(std::move(owner)), isShared(stream && this->owner.is_none()) {
  tw_status status;
  {
    // If memory is short, it waits for the device.
    const Unlocked unlocked;
    status = tw_cuda_pool_alloc(device, bytes, madeOn, &start);
  }
  if (status == TW_OUT_OF_MEMORY)
    throwOutOfMemory(device, bytes);
  check(status);
}

DeviceMemory::~DeviceMemory() {
  if (!start)
    return;
  if (!isShared) {
    tw_cuda_pool_free(device, start, madeOn, 0);
    return;
  }
  const Unlocked unlocked;
  tw_cuda_pool_free(device, start, madeOn, 1);
}

static PyTypeObject *ownArrayType = nullptr;

bool isOwnArrayType(PyTypeObject *type) {
  return ownArrayType && PyType_IsSubtype(type, ownArrayType);
}

static std::unique_ptr<OwnArray> makeArray(uint64_t address,
                                           const std::string &type,
                                           int cudaDevice, bool readOnly,
                                           py::object holder) {
  std::optional<ElementType> element = elementTypeOfSpelling(type);
  if (!element)
    throw py::value_error("no kernel takes elements of type " + type);
  auto array = std::make_unique<OwnArray>();
  array->address = address;
  array->type = *element;
  array->device = cudaDevice < 0 ? Device{DeviceKind::Cpu, 0}
                                 : Device{DeviceKind::Cuda, cudaDevice};
  array->readOnly = readOnly;
  if (py::isinstance<DeviceMemory>(holder)) {
    array->memory = py::cast<DeviceMemory *>(holder);
    array->stream = array->memory->stream();
  }
  array->holder = std::move(holder);
  return array;
}

void defineOwnArrays(py::module_ &module) {
  py::class_<DeviceMemory>(module, "DeviceMemory")
      .def(py::init<int, size_t, uintptr_t, py::object>(), py::arg("device"),
           py::arg("bytes"), py::arg("stream") = 0,
           py::arg("owner") = py::none(),
           "Memory that work queued on the stream from now on may use.")
      .def_property_readonly("address", &DeviceMemory::address)
      .def(
          "note_use",
          [](DeviceMemory &self, uintptr_t stream) {
            self.noteUse(reinterpret_cast<void *>(stream));
          },
          py::arg("stream"), "Says that work on a stream uses the memory.")
      .def("share", &DeviceMemory::share,
           "Says that work that is not ours may use the memory.");
  auto array =
      py::class_<OwnArray>(module, "ArrayBase")
          .def(py::init(&makeArray), py::arg("address"), py::arg("type"),
               py::arg("cuda_device"), py::arg("read_only"), py::arg("holder"))
          .def_readonly("address", &OwnArray::address,
                        "The address of its first element.")
          .def_readonly("read_only", &OwnArray::readOnly)
          .def_readonly("holder", &OwnArray::holder);
  ownArrayType = reinterpret_cast<PyTypeObject *>(array.ptr());
  defineExchange(module);
}

} // namespace tilewright::python
