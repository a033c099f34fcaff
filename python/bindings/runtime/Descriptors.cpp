#include "python/bindings/runtime/Descriptors.h"

#include <algorithm>

namespace py = pybind11;

namespace tilewright::python {

namespace {
/// The attributes' names as Python strings, made once.
struct Names {
  PyObject *base = PyUnicode_InternFromString("base");
  PyObject *shape = PyUnicode_InternFromString("shape");
  PyObject *strides = PyUnicode_InternFromString("strides");
  PyObject *blockShape = PyUnicode_InternFromString("block_shape");
  PyObject *padding = PyUnicode_InternFromString("padding");
};

/// Appends to the values of a call.
class Flattener {
public:
  explicit Flattener(FlatCall &flat) : flat(flat) {}

  bool add(PyObject *value) {
    if (count == kMaxParameters)
      return false;
    flat.call.values[count++] = value;
    return true;
  }

  bool addDescriptor(PyObject *descriptor);
  bool addToKey(int64_t number);

private:
  PyObject *attribute(PyObject *object, PyObject *attributes, PyObject *name);
  PyObject *ints(PyObject *descriptor, PyObject *attributes, PyObject *name);
  bool addKey(PyObject *block, PyObject *padding);

  FlatCall &flat;
  size_t count = 0;
};
} // namespace

static const Names &names() {
  static const Names made;
  return made;
}

FlatCall::~FlatCall() {
  for (size_t i = 0; i < keptCount; ++i)
    Py_DECREF(kept[i]);
}

/// Kept until the call is done; null for none, without an error. Looks into the
/// object's own `attributes` first, for a third of what a lookup costs.
PyObject *Flattener::attribute(PyObject *object, PyObject *attributes,
                               PyObject *name) {
  if (flat.keptCount == kMaxParameters)
    return nullptr;
  PyObject *found =
      attributes ? PyDict_GetItemWithError(attributes, name) : nullptr;
  if (found)
    Py_INCREF(found);
  else if (!PyErr_Occurred())
    found = PyObject_GetAttr(object, name);
  if (!found) {
    PyErr_Clear();
    return nullptr;
  }
  flat.kept[flat.keptCount++] = found;
  return found;
}

bool Flattener::addToKey(int64_t number) {
  if (flat.keySize == kMaxParameters)
    return false;
  flat.key[flat.keySize++] = number;
  return true;
}

/// A list or tuple of ints; null for anything else.
PyObject *Flattener::ints(PyObject *descriptor, PyObject *attributes,
                          PyObject *name) {
  PyObject *found = attribute(descriptor, attributes, name);
  if (!found || !(PyList_Check(found) || PyTuple_Check(found)))
    return nullptr;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(found); ++i)
    if (!PyLong_CheckExact(PySequence_Fast_GET_ITEM(found, i)))
      return nullptr;
  return found;
}

bool Flattener::addKey(PyObject *block, PyObject *padding) {
  if (!padding || !PyUnicode_Check(padding))
    return false;
  const bool isNaN = PyUnicode_CompareWithASCIIString(padding, "nan") == 0;
  if (!isNaN && PyUnicode_CompareWithASCIIString(padding, "zero") != 0)
    return false;
  const Py_ssize_t rank = PySequence_Fast_GET_SIZE(block);
  if (!addToKey(rank) || !addToKey(isNaN))
    return false;
  for (Py_ssize_t i = 0; i < rank; ++i) {
    int overflow = 0;
    const int64_t side = PyLong_AsLongLongAndOverflow(
        PySequence_Fast_GET_ITEM(block, i), &overflow);
    if (overflow || !addToKey(side))
      return false;
  }
  return true;
}

bool Flattener::addDescriptor(PyObject *descriptor) {
  const auto owned = py::reinterpret_steal<py::object>(
      PyObject_GenericGetDict(descriptor, nullptr));
  if (!owned)
    PyErr_Clear();
  PyObject *own = owned.ptr();
  PyObject *base = attribute(descriptor, own, names().base);
  PyObject *shape = ints(descriptor, own, names().shape);
  PyObject *strides = ints(descriptor, own, names().strides);
  PyObject *block = ints(descriptor, own, names().blockShape);
  if (!base || !shape || !strides || !block)
    return false;
  const Py_ssize_t rank = PySequence_Fast_GET_SIZE(shape);
  if (rank < 1 || PySequence_Fast_GET_SIZE(strides) != rank ||
      PySequence_Fast_GET_SIZE(block) != rank ||
      !addKey(block, attribute(descriptor, own, names().padding)) || !add(base))
    return false;
  for (Py_ssize_t i = 0; i < rank; ++i)
    if (!add(PySequence_Fast_GET_ITEM(shape, i)))
      return false;
  // The last stride is known to be 1.
  for (Py_ssize_t i = 0; i + 1 < rank; ++i)
    if (!add(PySequence_Fast_GET_ITEM(strides, i)))
      return false;
  return true;
}

bool flattenDescriptors(const Signature &signature, const Call &call,
                        FlatCall &flat) {
  std::copy(call.options, call.options + signature.options.size(),
            flat.call.options);
  Flattener flattener(flat);
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    PyObject *value = call.values[i];
    const bool isConstexpr = signature.parameters[i].isConstexpr;
    if (!isConstexpr && isDescriptor(value)) {
      if (!flattener.addDescriptor(value))
        return false;
      continue;
    }
    if (!isConstexpr && isStructuredArgument(value))
      return false;
    if (!flattener.addToKey(0) || !flattener.add(value))
      return false;
  }
  return true;
}

} // namespace tilewright::python
