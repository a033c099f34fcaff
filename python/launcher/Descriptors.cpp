#include "python/launcher/Descriptors.h"

#include "python/launcher/Ending.h"
#include "python/launcher/Integer.h"
#include "python/launcher/Slots.h"
#include "python/launcher/TypeInfo.h"

#include <pybind11/gil_safe_call_once.h>

#include <algorithm>

namespace py = pybind11;

namespace tilewright::python {

namespace {
/// An attribute of descriptors: its name, and the offset of its slot in objects
/// of the exact class.
struct Field {
  PyObject *name;
  Py_ssize_t offset;
};

/// The attributes, looked up once.
struct Fields {
  PyTypeObject *type;
  Field base, shape, strides, blockShape, padding;
  /// The valid values of `padding`.
  PyObject *zero, *nan;
};

/// The elements of a list or tuple.
struct Items {
  PyObject *const *at;
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
  bool addKey(const Items &block, PyObject *padding);
  bool addInts(const Items &ints, Py_ssize_t number);

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
  PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<Fields> made;
  made.call_once_and_store_result([] {
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
  });
  return made.get_stored();
}

/// Kept alive until the call ends; null for none, without an error.
PyObject *Flattener::attribute(PyObject *descriptor, const Field &field) {
  py::object found;
  // Derived classes may redefine the attribute.
  if (Py_TYPE(descriptor) == fields.type)
    found = slotAt(descriptor, field.offset);
  if (!found)
    found = py::reinterpret_steal<py::object>(
        unlessEnding([&] { return PyObject_GetAttr(descriptor, field.name); }));
#ifdef Py_GIL_DISABLED
  // Other threads may change a list at any time, but not its copy.
  if (found && PyList_Check(found.ptr()))
    found = py::reinterpret_steal<py::object>(PyList_AsTuple(found.ptr()));
#endif
  if (!found) {
    PyErr_Clear();
    return nullptr;
  }
  return flat.call.kept[flat.call.keptCount++] = found.release().ptr();
}

bool Flattener::addToKey(int64_t number) {
  if (flat.keySize == kMaxParameters)
    return false;
  flat.key[flat.keySize++] = number;
  return true;
}

/// Null if it is neither a list nor a tuple.
static Items itemsOf(PyObject *sequence) {
  if (PyList_Check(sequence))
    return {reinterpret_cast<PyListObject *>(sequence)->ob_item,
            PyList_GET_SIZE(sequence)};
  if (PyTuple_Check(sequence))
    return {reinterpret_cast<PyTupleObject *>(sequence)->ob_item,
            PyTuple_GET_SIZE(sequence)};
  return {nullptr, -1};
}

/// Whether `value` is this text, which is usually the same object.
static bool isText(PyObject *value, PyObject *text) {
  return value == text ||
         (PyUnicode_Check(value) && PyUnicode_Compare(value, text) == 0);
}

bool Flattener::addKey(const Items &block, PyObject *padding) {
  const bool isNaN = padding != fields.zero && isText(padding, fields.nan);
  if (!isNaN && !isText(padding, fields.zero))
    return false;
  if (!addToKey(block.count) || !addToKey(isNaN))
    return false;
  for (Py_ssize_t i = 0; i < block.count; ++i) {
    int64_t size = 0;
    if (!PyLong_CheckExact(block.at[i]) || !readLong(block.at[i], size) ||
        !addToKey(size))
      return false;
  }
  return true;
}

bool Flattener::addInts(const Items &ints, Py_ssize_t number) {
  for (Py_ssize_t i = 0; i < number; ++i)
    if (!PyLong_CheckExact(ints.at[i]) || !add(ints.at[i]))
      return false;
  return true;
}

bool Flattener::addDescriptor(PyObject *descriptor) {
  if (flat.call.keptCount + 5 > kMaxParameters)
    return false;
  PyObject *base = attribute(descriptor, fields.base);
  PyObject *dims = base ? attribute(descriptor, fields.shape) : nullptr;
  PyObject *steps = dims ? attribute(descriptor, fields.strides) : nullptr;
  PyObject *blockDims =
      steps ? attribute(descriptor, fields.blockShape) : nullptr;
  PyObject *padding =
      blockDims ? attribute(descriptor, fields.padding) : nullptr;
  if (!padding)
    return false;
  // From here on no Python code runs that could change them.
  const Items shape = itemsOf(dims), strides = itemsOf(steps),
              block = itemsOf(blockDims);
  // The last stride is known to be 1.
  return shape.count >= 1 && strides.count == shape.count &&
         block.count == shape.count && addKey(block, padding) && add(base) &&
         addInts(shape, shape.count) && addInts(strides, shape.count - 1) &&
         PyLong_CheckExact(strides.at[shape.count - 1]);
}

bool flattenDescriptors(const Signature &signature, const Call &call,
                        FlatCall &flat) {
  std::copy(call.options, call.options + signature.options.size(),
            flat.call.options);
  flat.call.givenStream = call.givenStream;
  Flattener flattener(lookUpFields(), flat);
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    PyObject *value = call.values[i];
    const Parameter &parameter = signature.parameters[i];
    const TypeInfo::Role role = infoOf(Py_TYPE(value)).role;
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

#ifdef Py_GIL_DISABLED
// Other threads may change lists during a comparison.
std::optional<KnownDescriptor> KnownDescriptor::make(const int64_t *&,
                                                     PyObject *const *) {
  return std::nullopt;
}

bool KnownDescriptor::isSaidBy(PyObject *, PyObject *&) const { return false; }
#else
std::optional<KnownDescriptor> KnownDescriptor::make(const int64_t *&next,
                                                     PyObject *const *parts) {
  KnownDescriptor known;
  known.rank = static_cast<size_t>(*next++);
  if (known.rank > kMaxRank)
    return std::nullopt;
  known.isNaN = *next++ != 0;
  const size_t count = known.partCount();
  for (size_t i = 0; i < count; ++i) {
    known.objects[i] = py::reinterpret_borrow<py::object>(parts[i]);
    if (!readLong(parts[i], known.values[i]))
      return std::nullopt;
  }
  std::copy(next, next + known.rank, known.values + count);
  next += known.rank;
  return known;
}

/// Returns the content of the slot, borrowed.
static PyObject *at(PyObject *object, const Field &field) {
  return *reinterpret_cast<PyObject **>(reinterpret_cast<char *>(object) +
                                        field.offset);
}

/// Whether the items are the numbers from `first` on.
[[gnu::always_inline]] inline bool
KnownDescriptor::hasNumbers(PyObject *const *ints, size_t count,
                            size_t first) const {
  for (size_t i = 0; i < count; ++i) {
    if (ints[i] == objects[first + i].ptr())
      continue;
    int64_t number = 0;
    if (!PyLong_CheckExact(ints[i]) || !readLong(ints[i], number) ||
        number != values[first + i])
      return false;
  }
  return true;
}

bool KnownDescriptor::isSaidBy(PyObject *descriptor, PyObject *&base) const {
  const Fields &fields = lookUpFields();
  if (Py_TYPE(descriptor) != fields.type)
    return false;
  base = at(descriptor, fields.base);
  PyObject *dims = at(descriptor, fields.shape),
           *steps = at(descriptor, fields.strides),
           *blockDims = at(descriptor, fields.blockShape);
  if (!base || !dims || !steps || !blockDims ||
      at(descriptor, fields.padding) != (isNaN ? fields.nan : fields.zero))
    return false;
  const Items shape = itemsOf(dims), strides = itemsOf(steps),
              block = itemsOf(blockDims);
  const size_t steep = rank - 1;
  const auto numDims = static_cast<Py_ssize_t>(rank);
  return shape.count == numDims && strides.count == numDims &&
         block.count == numDims && PyLong_CheckExact(strides.at[steep]) &&
         hasNumbers(shape.at, rank, 0) && hasNumbers(strides.at, steep, rank) &&
         hasNumbers(block.at, rank, rank + steep);
}
#endif

} // namespace tilewright::python
