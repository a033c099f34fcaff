#include "python/bindings/runtime/TypeInfo.h"

#include "python/bindings/runtime/OwnArray.h"
#include "python/bindings/runtime/TorchTensor.h"

#include <unordered_map>

namespace py = pybind11;

namespace tilewright::python {

static bool isSubtypeOf(PyTypeObject *type, const char *module,
                        const char *name) {
  // A module that was never imported made no object.
  py::object modules = py::module_::import("sys").attr("modules");
  if (!modules.contains(module))
    return false;
  py::object base = py::getattr(modules[module], name, py::none());
  return !base.is_none() &&
         PyObject_IsSubclass(reinterpret_cast<PyObject *>(type), base.ptr()) ==
             1;
}

/// What stands for several values, or is compiled in: tuples, aggregates,
/// functions of the language.
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
  if (reader.protocol != Protocol::NotAnArray)
    return {TypeInfo::Array, reader, TorchTensors::hasType(type)};
  return {TypeInfo::Unknown};
}

const TypeInfo &infoOf(PyTypeObject *type) {
  static auto &known = *new std::unordered_map<PyTypeObject *, TypeInfo>;
  auto found = known.find(type);
  if (found == known.end()) {
    TypeInfo info = lookAt(type);
    // The reference keeps its address from being used again.
    Py_INCREF(type);
    found = known.emplace(type, info).first;
  }
  return found->second;
}

} // namespace tilewright::python
