#include "python/launcher/Exchange.h"

#include "python/launcher/ArrayTypes.h"
#include "python/launcher/Ending.h"
#include "python/launcher/OwnArray.h"

#include <pybind11/stl.h>

namespace py = pybind11;

namespace tilewright::python {

namespace {
/// The target of an exported tensor, which lives as long as the tensor.
template <typename Managed> struct Exported {
  Managed managed = {};
  std::vector<int64_t> shape, strides;
  PyObject *array = nullptr;
};
} // namespace

template <typename Managed> static void deleteExported(Managed *managed) {
  auto *exported = static_cast<Exported<Managed> *>(managed->context);
  // Any thread may release it, even after the interpreter has ended.
  if (Py_IsInitialized()) {
    const PyGILState_STATE before =
        unlessEnding([] { return PyGILState_Ensure(); });
    Py_DECREF(exported->array);
    PyGILState_Release(before);
  }
  delete exported;
}

/// Frees a tensor that no consumer has taken out of its capsule.
template <typename Managed> static void deleteCapsule(PyObject *capsule) {
  const char *name = PyCapsule_GetName(capsule);
  if (!name || std::string_view(name).substr(0, 4) == "used")
    return;
  auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, name));
  managed->deleter(managed);
}

template <typename Managed>
static py::object exportAs(const char *name, py::handle object,
                           std::vector<int64_t> shape,
                           std::vector<int64_t> strides) {
  OwnArray &array = ownArray(object.ptr());
  auto exported = std::make_unique<Exported<Managed>>();
  exported->shape = std::move(shape);
  exported->strides = std::move(strides);
  Managed &managed = exported->managed;
  dlpack::Tensor &tensor = managed.tensor;
  tensor.data = reinterpret_cast<void *>(array.address);
  tensor.device = array.device.kind == DeviceKind::Cuda
                      ? dlpack::Device{dlpack::kCuda, array.device.index}
                      : dlpack::Device{dlpack::kCpu, 0};
  tensor.rank = static_cast<int32_t>(exported->shape.size());
  tensor.type = dlpackTypeOf(array.type);
  tensor.shape = exported->shape.data();
  tensor.strides = exported->strides.data();
  managed.context = exported.get();
  managed.deleter = deleteExported<Managed>;
  if constexpr (std::is_same_v<Managed, dlpack::ManagedTensorVersioned>) {
    managed.version = {1, 0};
    managed.flags = array.readOnly ? dlpack::kFlagReadOnly : 0;
  }
  PyObject *capsule = PyCapsule_New(&managed, name, deleteCapsule<Managed>);
  if (!capsule)
    throw py::error_already_set();
  exported->array = object.inc_ref().ptr();
  exported.release();
  // The other library queues work that the pool cannot track.
  if (array.memory)
    array.memory->share();
  return py::reinterpret_steal<py::object>(capsule);
}

static py::object exportArray(py::handle object, std::vector<int64_t> shape,
                              std::vector<int64_t> strides, bool versioned) {
  if (versioned)
    return exportAs<dlpack::ManagedTensorVersioned>(
        "dltensor_versioned", object, std::move(shape), std::move(strides));
  return exportAs<dlpack::ManagedTensor>("dltensor", object, std::move(shape),
                                         std::move(strides));
}

namespace {
/// A tensor of another library, released with the object.
struct ImportedTensor {
  ImportedTensor(void *managed, void (*drop)(void *))
      : managed(managed), drop(drop) {}
  ~ImportedTensor() { drop(managed); }
  ImportedTensor(const ImportedTensor &) = delete;
  void *managed;
  void (*drop)(void *);
};
} // namespace

template <typename Managed> static void dropImported(void *pointer) {
  auto *managed = static_cast<Managed *>(pointer);
  if (managed->deleter)
    managed->deleter(managed);
}

/// Returns shape and strides. Strides are omitted for row-major arrays.
static std::pair<std::vector<int64_t>, std::vector<int64_t>>
extentsOf(const dlpack::Tensor &tensor) {
  std::vector<int64_t> shape(tensor.shape, tensor.shape + tensor.rank);
  std::vector<int64_t> strides(shape.size(), 1);
  if (tensor.strides)
    strides.assign(tensor.strides, tensor.strides + tensor.rank);
  else
    for (size_t i = shape.size(); i-- > 1;)
      strides[i - 1] = strides[i] * shape[i];
  return {shape, strides};
}

static py::dict describeTensor(const dlpack::Tensor &tensor, bool readOnly) {
  std::optional<ElementType> type = elementTypeOf(tensor.type);
  if (!type)
    throw py::type_error("no kernel takes elements of DLPack type (code " +
                         std::to_string(tensor.type.code) + ", " +
                         std::to_string(tensor.type.bits) + " bits, " +
                         std::to_string(tensor.type.lanes) + " lanes)");
  const bool onGpu = tensor.device.type == dlpack::kCuda ||
                     tensor.device.type == dlpack::kCudaManaged;
  if (!onGpu && tensor.device.type != dlpack::kCpu &&
      tensor.device.type != dlpack::kCudaHost)
    throw py::value_error("the array is on a device of DLPack type " +
                          std::to_string(tensor.device.type) +
                          "; kernels run on the CPU and on CUDA devices");
  auto [shape, strides] = extentsOf(tensor);
  using namespace py::literals;
  return py::dict(
      "address"_a = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset,
      "type"_a = spelling(*type), "shape"_a = shape, "strides"_a = strides,
      "cuda_device"_a = onGpu ? tensor.device.index : -1,
      "read_only"_a = readOnly);
}

template <typename Managed>
static py::object importAs(py::handle capsule, const char *name,
                           const char *used) {
  auto *managed =
      static_cast<Managed *>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!managed)
    throw py::error_already_set();
  bool readOnly = false;
  if constexpr (std::is_same_v<Managed, dlpack::ManagedTensorVersioned>)
    readOnly = managed->flags & dlpack::kFlagReadOnly;
  py::dict found = describeTensor(managed->tensor, readOnly);
  if (PyCapsule_SetName(capsule.ptr(), used) != 0)
    throw py::error_already_set();
  found["holder"] = py::cast(
      std::make_unique<ImportedTensor>(managed, dropImported<Managed>));
  return found;
}

static py::object importArray(py::handle capsule) {
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned"))
    return importAs<dlpack::ManagedTensorVersioned>(
        capsule, "dltensor_versioned", "used_dltensor_versioned");
  return importAs<dlpack::ManagedTensor>(capsule, "dltensor", "used_dltensor");
}

void defineExchange(py::module_ &module) {
  py::class_<ImportedTensor>(module, "ImportedTensor");
  module.def("dlpack_export", &exportArray, py::arg("array"), py::arg("shape"),
             py::arg("strides"), py::arg("versioned"),
             "A capsule with the array, which it keeps alive.");
  module.def("dlpack_import", &importArray, py::arg("capsule"),
             "What the tensor in a capsule is, and a holder that keeps it.");
}

} // namespace tilewright::python
