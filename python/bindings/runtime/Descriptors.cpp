#include "python/bindings/runtime/Descriptors.h"

#include "python/bindings/runtime/Slots.h"

#include <algorithm>

namespace py = pybind11;

namespace tilewright::python {

namespace {
/// An attribute of descriptors: its name, and where objects of the class itself
/// have it.
struct Field {
  PyObject *name;
  Py_ssize_t offset;
};

/// The attributes, looked up once.
struct Fields {
  PyTypeObject *type;
  Field base, shape, strides, blockShape, padding;
  /// What `padding` may be.
  PyObject *zero, *nan;
};

/// The elements of a list or tuple; null for what is none, or not of ints.
struct Ints {
  PyObject *const *items;
  Py_ssize_t count;
};

/// Appends to the values of a call.
class Flattener {
public:
  Flattener(const Fields &fields, FlatCall &flat)
      : fields(fields), flat(flat) {}

  bool add(PyObject *value) {
    if (count == kMaxParameters)
      return false;
    flat.call.values[count++] = value;
    return true;
  }

  bool addDescriptor(PyObject *descriptor);
  bool addToKey(int64_t number);

private:
  PyObject *attribute(PyObject *descriptor, const Field &field);
  bool addKey(const Ints &block, PyObject *padding);

  const Fields &fields;
  FlatCall &flat;
  size_t count = 0;
};
} // namespace

/// The attribute `name` of the class, which is a slot.
static Field fieldOf(py::handle type, const char *name) {
  return {PyUnicode_InternFromString(name), slotOffset(type, name)};
}

static const Fields &lookUpFields() {
  static const Fields made = [] {
    py::object type = py::module_::import("tilewright.runtime.descriptor")
                          .attr("TensorDescriptor");
    return Fields{reinterpret_cast<PyTypeObject *>(type.inc_ref().ptr()),
                  fieldOf(type, "base"),
                  fieldOf(type, "shape"),
                  fieldOf(type, "strides"),
                  fieldOf(type, "block_shape"),
                  fieldOf(type, "padding"),
                  PyUnicode_InternFromString("zero"),
                  PyUnicode_InternFromString("nan")};
  }();
  return made;
}

FlatCall::~FlatCall() {
  for (size_t i = 0; i < keptCount; ++i)
    Py_DECREF(kept[i]);
}

/// Kept until the call is done; null for none, without an error.
PyObject *Flattener::attribute(PyObject *descriptor, const Field &field) {
  if (flat.keptCount == kMaxParameters)
    return nullptr;
  PyObject *found = nullptr;
  // Classes derived from it may have anything of that name.
  if (Py_TYPE(descriptor) == fields.type)
    found = slotAt(descriptor, field.offset);
  if (found)
    Py_INCREF(found);
  else
    found = PyObject_GetAttr(descriptor, field.name);
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

static Ints intsOf(PyObject *sequence) {
  if (!PyList_Check(sequence) && !PyTuple_Check(sequence))
    return {};
  const Ints ints = {PySequence_Fast_ITEMS(sequence),
                     PySequence_Fast_GET_SIZE(sequence)};
  const bool areInts =
      std::all_of(ints.items, ints.items + ints.count,
                  [](PyObject *item) { return PyLong_CheckExact(item); });
  return areInts ? ints : Ints();
}

/// Whether it is this text, which mostly is the same object.
static bool isText(PyObject *value, PyObject *text) {
  return value == text ||
         (PyUnicode_Check(value) && PyUnicode_Compare(value, text) == 0);
}

bool Flattener::addKey(const Ints &block, PyObject *padding) {
  const bool isNaN = padding != fields.zero && isText(padding, fields.nan);
  if (!isNaN && !isText(padding, fields.zero))
    return false;
  if (!addToKey(block.count) || !addToKey(isNaN))
    return false;
  for (Py_ssize_t i = 0; i < block.count; ++i) {
    int overflow = 0;
    const int64_t side =
        PyLong_AsLongLongAndOverflow(block.items[i], &overflow);
    if (overflow || !addToKey(side))
      return false;
  }
  return true;
}

bool Flattener::addDescriptor(PyObject *descriptor) {
  PyObject *base = attribute(descriptor, fields.base);
  PyObject *sides = attribute(descriptor, fields.shape);
  PyObject *steps = attribute(descriptor, fields.strides);
  PyObject *blockSides = attribute(descriptor, fields.blockShape);
  PyObject *padding = attribute(descriptor, fields.padding);
  if (!base || !sides || !steps || !blockSides || !padding)
    return false;
  // From here on no code of the program runs that could change them.
  const Ints shape = intsOf(sides), strides = intsOf(steps),
             block = intsOf(blockSides);
  if (shape.count < 1 || strides.count != shape.count ||
      block.count != shape.count || !addKey(block, padding) || !add(base))
    return false;
  // The last stride is known to be 1.
  return std::all_of(shape.items, shape.items + shape.count,
                     [&](PyObject *side) { return add(side); }) &&
         std::all_of(strides.items, strides.items + strides.count - 1,
                     [&](PyObject *step) { return add(step); });
}

bool flattenDescriptors(const Signature &signature, const Call &call,
                        FlatCall &flat) {
  std::copy(call.options, call.options + signature.options.size(),
            flat.call.options);
  Flattener flattener(lookUpFields(), flat);
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    PyObject *value = call.values[i];
    const Parameter &parameter = signature.parameters[i];
    const TypeInfo::Role role = parameter.infoOf(value).role;
    if (!parameter.isConstexpr && role == TypeInfo::Descriptor) {
      if (!flattener.addDescriptor(value))
        return false;
      continue;
    }
    if (!parameter.isConstexpr && role == TypeInfo::Structured)
      return false;
    if (!flattener.addToKey(0) || !flattener.add(value))
      return false;
  }
  return true;
}

} // namespace tilewright::python
