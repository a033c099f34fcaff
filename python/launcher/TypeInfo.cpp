#include "python/launcher/TypeInfo.h"

#include "python/launcher/OwnArray.h"
#include "python/launcher/TorchTensor.h"

#include <mutex>
#include <unordered_map>

namespace py = pybind11;

namespace tilewright::python {

static bool isSubtypeOf(PyTypeObject *type, const char *module,
                        const char *name) {
  // A module that was never imported has created no object.
  py::object modules = py::module_::import("sys").attr("modules");
  if (!modules.contains(module))
    return false;
  py::object base = py::getattr(modules[module], name, py::none());
  return !base.is_none() &&
         PyObject_IsSubclass(reinterpret_cast<PyObject *>(type), base.ptr()) ==
             1;
}

/// Whether values of the type are structured or compiled in: tuples,
/// aggregates, functions of the language.
static bool isStructured(PyTypeObject *type) {
  return PyType_IsSubtype(type, &PyTuple_Type) ||
         py::hasattr(reinterpret_cast<PyObject *>(type),
                     "is_structured_argument");
}

static TypeInfo lookAt(PyTypeObject *type) {
  if (type == &PyBool_Type)
    return {TypeInfo::Bool};
  if (type == Py_TYPE(Py_None))
    return {TypeInfo::None};
  if (PyType_IsSubtype(type, &PyLong_Type))
    return {TypeInfo::Int};
  if (PyType_IsSubtype(type, &PyFloat_Type))
    return {TypeInfo::Float};
  if (isSubtypeOf(type, "numpy", "generic"))
    return {TypeInfo::NumPyScalar};
  if (isSubtypeOf(type, "tilewright.language.constexpr", "constexpr"))
    return {TypeInfo::Wrapper};
  if (isSubtypeOf(type, "tilewright.runtime.descriptor", "TensorDescriptor"))
    return {TypeInfo::Descriptor};
  if (isStructured(type))
    return {TypeInfo::Structured};
  if (isOwnArrayType(type))
    return {TypeInfo::OwnArray};
  ArrayReader reader = arrayReaderFor(type);
  reader.isOfJax = isSubtypeOf(type, "jax", "Array");
  reader.isOfTorch = TorchTensors::hasType(type);
  if (reader.protocol != Protocol::NotAnArray)
    return {TypeInfo::Array, reader};
  return {TypeInfo::Unknown};
}

namespace {
/// Locked only for the tables: no Python runs meanwhile.
class KnownTypes {
public:
  const TypeInfo *find(PyTypeObject *type) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto found = infos.find(type);
    return found == infos.end() ? nullptr : &found->second;
  }

  const TypeInfo &insert(PyTypeObject *type, const TypeInfo &info) {
    const std::lock_guard<std::mutex> lock(mutex);
    const auto [at, isNew] = infos.emplace(type, info);
    // The reference keeps the address from being reused.
    if (isNew)
      Py_INCREF(type);
    return at->second;
  }

private:
  std::mutex mutex;
  std::unordered_map<PyTypeObject *, TypeInfo> infos;
};
} // namespace

const TypeInfo &infoOf(PyTypeObject *type) {
  static KnownTypes &known = *new KnownTypes;
  if (const TypeInfo *found = known.find(type))
    return *found;
  return known.insert(type, lookAt(type));
}

} // namespace tilewright::python
