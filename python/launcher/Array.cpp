#include "python/launcher/Array.h"

#include "python/launcher/ArrayTypes.h"
#include "python/launcher/Ending.h"
#include "python/launcher/StatusErrors.h"
#include "python/launcher/TorchTensor.h"

#include <algorithm>

namespace py = pybind11;

namespace tilewright::python {

/// Reads the capsule of the type. Returns null for an unknown version of
/// DLPack's C interface.
static const dlpack::ExchangeApi *exchangeApiOf(PyTypeObject *type) {
  py::object capsule = py::reinterpret_steal<py::object>(PyObject_GetAttrString(
      reinterpret_cast<PyObject *>(type), "__dlpack_c_exchange_api__"));
  if (!capsule) {
    PyErr_Clear();
    return nullptr;
  }
  if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api"))
    return nullptr;
  // The table is static data of the library that made the type.
  auto *api = static_cast<const dlpack::ExchangeApi *>(
      PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  return api->version.major == 1 && api->tensorFromObject ? api : nullptr;
}

static bool hasAttribute(PyTypeObject *type, const char *name) {
  return PyObject_HasAttrString(reinterpret_cast<PyObject *>(type), name);
}

ArrayReader arrayReaderFor(PyTypeObject *type) {
  // Before the other protocols: these two report whether the memory is
  // writable.
  if (hasAttribute(type, "__array_interface__"))
    return {type->tp_as_buffer && type->tp_as_buffer->bf_getbuffer
                ? Protocol::Buffer
                : Protocol::ArrayInterface};
  if (const dlpack::ExchangeApi *api = exchangeApiOf(type))
    return {Protocol::DLPackExchange, api};
  if (hasAttribute(type, "__cuda_array_interface__"))
    return {Protocol::CudaInterface};
  if (hasAttribute(type, "__dlpack__"))
    return {Protocol::DLPack};
  if (hasAttribute(type, "data_ptr"))
    return {Protocol::DataPointer};
  return {};
}

static bool fail(PyObject *exception, const ArgumentName &name,
                 const std::string &problem) {
  PyErr_Format(exception, "argument '%U' of kernel %s(): %s", name.parameter,
               name.kernel, problem.c_str());
  return false;
}

/// Whether a tensor has elements, but no memory for them.
static bool isWithoutMemory(const dlpack::Tensor &tensor) {
  return !tensor.data &&
         std::all_of(tensor.shape, tensor.shape + tensor.rank,
                     [](int64_t extent) { return extent != 0; });
}

bool readTensor(const dlpack::Tensor &tensor, const ArgumentName &name,
                Argument &argument) {
  if (isWithoutMemory(tensor))
    return fail(PyExc_ValueError, name,
                "the array has no memory, like those that a library traces "
                "calls with; a custom operator receives a real array");
  std::optional<ElementType> type = elementTypeOf(tensor.type);
  if (!type)
    return fail(PyExc_TypeError, name,
                "no kernel takes elements of DLPack type (code " +
                    std::to_string(tensor.type.code) + ", " +
                    std::to_string(tensor.type.bits) + " bits, " +
                    std::to_string(tensor.type.lanes) + " lanes)");
  switch (tensor.device.type) {
  case dlpack::kCpu:
  case dlpack::kCudaHost:
    argument.device = {DeviceKind::Cpu, 0};
    break;
  case dlpack::kCuda:
  case dlpack::kCudaManaged:
    argument.device = {DeviceKind::Cuda, tensor.device.index};
    break;
  default:
    return fail(PyExc_ValueError, name,
                "the array is on a device of DLPack type " +
                    std::to_string(tensor.device.type) +
                    "; kernels run on the CPU and on CUDA devices");
  }
  argument.type = *type;
  argument.bits = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  return true;
}

static bool readExchange(const dlpack::ExchangeApi &api, PyObject *array,
                         const ArgumentName &name, Argument &argument) {
  dlpack::Tensor tensor;
  if (api.tensorFromObject(array, &tensor) != 0)
    throw py::error_already_set();
  if (!readTensor(tensor, name, argument))
    return false;
  if (api.currentStream)
    argument.library = &api;
  return true;
}

/// `str(value)`.
static std::string textOf(const py::object &value) {
  return py::cast<std::string>(
      newReference([&] { return PyObject_Str(value.ptr()); }));
}

/// Reads element type, address and read-only flag, which both array interfaces
/// spell the same. Uses `array` itself only for types that NumPy has no letter
/// for.
static bool readInterface(const py::dict &interface, PyObject *array,
                          const ArgumentName &name, Argument &argument) {
  auto typestr = py::cast<std::string>(interface["typestr"]);
  std::optional<ElementType> type = elementTypeOfTypestr(typestr);
  std::string dtype = typestr;
  if (!type && py::hasattr(array, "dtype")) {
    dtype = textOf(attributeOf(array, "dtype"));
    type = elementTypeOfName(dtype);
  }
  if (!type)
    return fail(PyExc_TypeError, name,
                "no kernel takes elements of dtype " + dtype);
  auto data = py::cast<py::tuple>(interface["data"]);
  argument.type = *type;
  argument.bits = py::cast<uint64_t>(data[0]);
  argument.readOnly = py::cast<bool>(data[1]);
  return true;
}

static bool readArrayInterface(PyObject *array, const ArgumentName &name,
                               Argument &argument) {
  py::dict interface = attributeOf(array, "__array_interface__");
  argument.device = {DeviceKind::Cpu, 0};
  return readInterface(interface, array, name, argument);
}

static bool readDLPack(const ArrayReader &reader, PyObject *array,
                       const ArgumentName &name, Argument &argument);

static bool readCudaInterface(const ArrayReader &reader, PyObject *array,
                              const ArgumentName &name, Argument &argument) {
  // Some types have the attribute but raise an error for some arrays: those on
  // the CPU, or with a dtype that the interface cannot express.
  auto found = py::reinterpret_steal<py::object>(unlessEnding([&] {
    return PyObject_GetAttrString(array, "__cuda_array_interface__");
  }));
  if (!found) {
    PyErr_Clear();
    found = py::none();
  }
  if (found.is_none() && py::hasattr(array, "__dlpack__"))
    return readDLPack(reader, array, name, argument);
  auto interface = py::cast<py::dict>(found);
  if (!readInterface(interface, array, name, argument))
    return false;
  int index = 0;
  if (argument.bits)
    if (tw_status s = tw_cuda_pointer_device(argument.bits, &index); s != TW_OK)
      return fail(exceptionFor(s).ptr(), name, tw_last_error());
  if (index < 0)
    return fail(PyExc_ValueError, name,
                "the CUDA driver does not know the array's address");
  argument.device = {DeviceKind::Cuda, index};
  // The number is a stream handle; 1 and 2 are the default streams.
  if (interface.contains("stream") && !interface["stream"].is_none()) {
    argument.stream =
        reinterpret_cast<void *>(py::cast<uintptr_t>(interface["stream"]));
    argument.hasStream = true;
  }
  return true;
}

static bool readBuffer(PyObject *array, const ArgumentName &name,
                       Argument &argument) {
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
    // Types that the buffer protocol cannot express, such as bfloat16.
    PyErr_Clear();
    return readArrayInterface(array, name, argument);
  }
  std::optional<ElementType> type = elementTypeOfFormat(view.format);
  argument.bits = reinterpret_cast<uint64_t>(view.buf);
  argument.readOnly = view.readonly;
  argument.device = {DeviceKind::Cpu, 0};
  PyBuffer_Release(&view);
  if (!type)
    return readArrayInterface(array, name, argument);
  argument.type = *type;
  return true;
}

/// Calls `__dlpack__`, without a version if it predates DLPack 1.0.
static py::object callDLPack(py::handle array, const py::dict &stream) {
  const py::object method = attributeOf(array, "__dlpack__");
  try {
    py::dict keywords(**stream);
    keywords["max_version"] = py::make_tuple(1, 0);
    return callPython(method, py::tuple(), keywords);
  } catch (py::error_already_set &error) {
    if (!error.matches(PyExc_TypeError))
      throw;
    return callPython(method, py::tuple(), stream);
  }
}

/// Returns the capsule of an array, which must not wait for any stream.
static py::object dlpackCapsule(const ArrayReader &reader, py::handle array,
                                bool onGpu) {
  using namespace py::literals;
  // JAX interprets DLPack's -1, "no stream", as a stream handle. Its arrays
  // have been waited for.
  if (!onGpu || reader.isOfJax)
    return callDLPack(array, py::dict("stream"_a = py::none()));
  try {
    return callDLPack(array, py::dict("stream"_a = -1));
  } catch (py::error_already_set &) {
    // Other libraries may not know -1 either. Any other error occurs again.
    return callDLPack(array, py::dict("stream"_a = py::none()));
  }
}

/// Reads the tensor and returns it to its owner, which keeps the memory.
template <typename Managed>
static bool readCapsule(py::object &capsule, const char *unused,
                        const char *used, const ArgumentName &name,
                        Argument &argument) {
  auto *managed =
      static_cast<Managed *>(PyCapsule_GetPointer(capsule.ptr(), unused));
  if (!managed)
    throw py::error_already_set();
  bool read = readTensor(managed->tensor, name, argument);
  if constexpr (std::is_same_v<Managed, dlpack::ManagedTensorVersioned>)
    argument.readOnly = managed->flags & dlpack::kFlagReadOnly;
  if (PyCapsule_SetName(capsule.ptr(), used) != 0)
    throw py::error_already_set();
  if (managed->deleter)
    managed->deleter(managed);
  return read;
}

static bool readDLPack(const ArrayReader &reader, PyObject *array,
                       const ArgumentName &name, Argument &argument) {
  auto device = py::cast<py::tuple>(callMethod(array, "__dlpack_device__"));
  bool onGpu = py::cast<int>(device[0]) == dlpack::kCuda;
  py::object capsule = dlpackCapsule(reader, array, onGpu);
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned"))
    return readCapsule<dlpack::ManagedTensorVersioned>(
        capsule, "dltensor_versioned", "used_dltensor_versioned", name,
        argument);
  return readCapsule<dlpack::ManagedTensor>(capsule, "dltensor",
                                            "used_dltensor", name, argument);
}

/// Returns the table of torch's tensors if torch is loaded: views of its memory
/// run on its current stream.
static const dlpack::ExchangeApi *exchangeApiOfTorch() {
  py::object modules = py::module_::import("sys").attr("modules");
  if (!modules.contains("torch"))
    return nullptr;
  py::object tensor = py::getattr(modules["torch"], "Tensor", py::none());
  return PyType_Check(tensor.ptr())
             ? exchangeApiOf(reinterpret_cast<PyTypeObject *>(tensor.ptr()))
             : nullptr;
}

/// Reads a wrapper around a tensor that presents it as another type.
static bool readDataPointer(PyObject *array, const ArgumentName &name,
                            Argument &argument) {
  auto dtype = textOf(attributeOf(array, "dtype"));
  if (dtype.rfind("torch.", 0) == 0)
    dtype.erase(0, 6);
  std::optional<ElementType> type = elementTypeOfName(dtype);
  if (!type)
    return fail(PyExc_TypeError, name,
                "no kernel takes elements of dtype " + dtype);
  argument.type = *type;
  argument.bits = py::cast<uint64_t>(callMethod(array, "data_ptr"));
  argument.device = {DeviceKind::Cpu, 0};
  auto device = textOf(attributeOf(array, "device"));
  if (device.rfind("cuda", 0) != 0)
    return true;
  int index = 0;
  if (argument.bits)
    if (tw_status s = tw_cuda_pointer_device(argument.bits, &index); s != TW_OK)
      return fail(exceptionFor(s).ptr(), name, tw_last_error());
  argument.device = {DeviceKind::Cuda, std::max(index, 0)};
  const dlpack::ExchangeApi *api = exchangeApiOfTorch();
  if (api && api->currentStream)
    argument.library = api;
  return true;
}

static bool readBy(const ArrayReader &reader, PyObject *array,
                   const ArgumentName &name, Argument &argument) {
  switch (reader.protocol) {
  case Protocol::DLPackExchange:
    return readExchange(*reader.exchange, array, name, argument);
  case Protocol::CudaInterface:
    return readCudaInterface(reader, array, name, argument);
  case Protocol::Buffer:
    return readBuffer(array, name, argument);
  case Protocol::ArrayInterface:
    return readArrayInterface(array, name, argument);
  case Protocol::DLPack:
    return readDLPack(reader, array, name, argument);
  case Protocol::DataPointer:
    return readDataPointer(array, name, argument);
  case Protocol::NotAnArray:
    break;
  }
  return fail(PyExc_TypeError, name, "not an array");
}

/// Sets a Python error and returns false for a PyTorch tensor whose memory does
/// not hold its values.
static bool checkTensor(PyObject *tensor, const ArgumentName &name) {
  const std::string shown = "argument '" +
                            py::cast<std::string>(py::handle(name.parameter)) +
                            "' of kernel " + name.kernel + "()";
  try {
    callMethod(py::module_::import("tilewright.tensors"), "check_memory",
               py::handle(tensor), shown);
    return true;
  } catch (py::error_already_set &error) {
    error.restore();
    return false;
  }
}

bool readArray(const ArrayReader &reader, PyObject *array,
               const ArgumentName &name, Argument &argument) {
  argument.kind = ArgumentKind::Pointer;
  // No protocol reports all of these tensors.
  if (reader.isOfTorch && !TorchTensors::holdsValues(array) &&
      !checkTensor(array, name))
    return false;
  // Protocols run code of the array's library, which has errors of its own. A
  // literal avoids the allocation of a string on success.
  static constexpr const char *kProblem = "cannot read the array";
  try {
    if (reader.isOfJax)
      callMethod(array, "block_until_ready");
    const bool isRead = readBy(reader, array, name, argument);
    argument.readOnly |= reader.isOfJax;
    return isRead;
  } catch (py::error_already_set &error) {
    if (reader.isOfTorch && !checkTensor(array, name))
      return false;
    error.restore();
    py::raise_from(PyExc_TypeError,
                   ("argument '" +
                    py::cast<std::string>(py::handle(name.parameter)) +
                    "' of kernel " + name.kernel + "(): " + kProblem)
                       .c_str());
    return false;
  } catch (const py::cast_error &) {
    return fail(PyExc_TypeError, name,
                std::string(kProblem) + ": its interface is malformed");
  }
}

} // namespace tilewright::python
