#include "python/bindings/runtime/Argument.h"

#include "python/bindings/runtime/Array.h"
#include "python/bindings/runtime/OwnArray.h"

#include <cstring>
#include <unordered_map>

namespace py = pybind11;

namespace tilewright::python {

const char *spelling(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return "i1";
  case ElementType::I8:
    return "i8";
  case ElementType::I16:
    return "i16";
  case ElementType::I32:
    return "i32";
  case ElementType::I64:
    return "i64";
  case ElementType::U8:
    return "u8";
  case ElementType::U16:
    return "u16";
  case ElementType::U32:
    return "u32";
  case ElementType::U64:
    return "u64";
  case ElementType::F8E4M3FN:
    return "fp8e4nv";
  case ElementType::F8E5M2:
    return "fp8e5";
  case ElementType::F16:
    return "fp16";
  case ElementType::BF16:
    return "bf16";
  case ElementType::F32:
    return "fp32";
  case ElementType::F64:
    return "fp64";
  }
  return "";
}

std::string describe(const Device &device) {
  if (device.kind == DeviceKind::Cuda)
    return "CUDA device " + std::to_string(device.index);
  return "the CPU";
}

/// What the objects of a Python type are to a launch.
struct TypeInfo {
  enum Role : uint8_t {
    Bool,
    Int,
    Float,
    None,
    NumPyScalar,
    Wrapper,
    Structured,
    Descriptor,
    OwnArray,
    Array,
    Unknown
  };
  Role role = Unknown;
  ArrayReader reader;
};

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
    return {TypeInfo::Bool, {}};
  if (type == Py_TYPE(Py_None))
    return {TypeInfo::None, {}};
  if (PyType_IsSubtype(type, &PyLong_Type))
    return {TypeInfo::Int, {}};
  if (PyType_IsSubtype(type, &PyFloat_Type))
    return {TypeInfo::Float, {}};
  if (isSubtypeOf(type, "numpy", "generic"))
    return {TypeInfo::NumPyScalar, {}};
  if (isSubtypeOf(type, "tilewright.language.constexpr", "constexpr"))
    return {TypeInfo::Wrapper, {}};
  if (isSubtypeOf(type, "tilewright.runtime.descriptor", "TensorDescriptor"))
    return {TypeInfo::Descriptor, {}};
  if (isStructured(type))
    return {TypeInfo::Structured, {}};
  if (isOwnArrayType(type))
    return {TypeInfo::OwnArray, {}};
  ArrayReader reader = arrayReaderFor(type);
  if (reader.protocol != Protocol::NotAnArray)
    return {TypeInfo::Array, reader};
  return {TypeInfo::Unknown, {}};
}

/// Remembers each type that was ever passed; the references that keep the
/// types alive keep their addresses from being used again.
static const TypeInfo &infoOf(PyTypeObject *type) {
  // The arguments of a call are mostly of one type.
  static PyTypeObject *lastType = nullptr;
  static const TypeInfo *lastInfo = nullptr;
  if (type == lastType)
    return *lastInfo;
  static auto &known = *new std::unordered_map<PyTypeObject *, TypeInfo>;
  auto found = known.find(type);
  if (found == known.end()) {
    TypeInfo info = lookAt(type);
    Py_INCREF(type);
    found = known.emplace(type, info).first;
  }
  lastInfo = &found->second;
  lastType = type;
  return found->second;
}

static void hintAtInteger(const Specialization &specialization,
                          Argument &argument) {
  if (specialization.onOne && argument.bits == 1)
    argument.hint = Hint::One;
  else if (specialization.onAlignment && argument.bits % 16 == 0)
    argument.hint = Hint::DivisibleBy16;
}

static bool readInt(PyObject *value, const Specialization &specialization,
                    const ArgumentName &name, Argument &argument) {
  int overflow = 0;
  argument.kind = ArgumentKind::Scalar;
  int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow == 0) {
    if (number == -1 && PyErr_Occurred())
      return false;
    argument.bits = static_cast<uint64_t>(number);
    argument.type = number >= INT32_MIN && number <= INT32_MAX
                        ? ElementType::I32
                        : ElementType::I64;
  } else {
    argument.bits = PyLong_AsUnsignedLongLong(value);
    argument.type = ElementType::U64;
    if (PyErr_Occurred()) {
      PyErr_Format(PyExc_OverflowError,
                   "argument '%U' of kernel %s(): %R does not fit 64 bits",
                   name.parameter, name.kernel, value);
      return false;
    }
  }
  hintAtInteger(specialization, argument);
  return true;
}

static void readFloat(double value, const Specialization &specialization,
                      Argument &argument) {
  argument.kind = ArgumentKind::Scalar;
  argument.bits = 0;
  if (specialization.asDouble) {
    argument.type = ElementType::F64;
    std::memcpy(&argument.bits, &value, sizeof(value));
    return;
  }
  const float single = static_cast<float>(value);
  argument.type = ElementType::F32;
  std::memcpy(&argument.bits, &single, sizeof(single));
}

static void readBool(bool value, Argument &argument) {
  argument.kind = ArgumentKind::Scalar;
  argument.type = ElementType::I1;
  argument.bits = value;
}

static bool reject(PyObject *value, const ArgumentName &name) {
  PyErr_Format(PyExc_TypeError,
               "argument '%U' of kernel %s(): cannot pass %R of type '%s'; "
               "kernels take arrays, int, float, bool and None. Annotate the "
               "parameter with tl.constexpr to pass a compile-time value",
               name.parameter, name.kernel, value, Py_TYPE(value)->tp_name);
  return false;
}

/// A scalar of NumPy counts as the Python number of its kind.
static bool readNumPyScalar(PyObject *value,
                            const Specialization &specialization,
                            const ArgumentName &name, Argument &argument) {
  auto kind =
      py::cast<std::string>(py::handle(value).attr("dtype").attr("kind"));
  if (kind == "b") {
    readBool(PyObject_IsTrue(value) == 1, argument);
    return true;
  }
  // Not by item(), which leaves long doubles as they are.
  if (kind == "f") {
    readFloat(PyFloat_AsDouble(value), specialization, argument);
    return !PyErr_Occurred();
  }
  if (kind != "i" && kind != "u")
    return reject(value, name);
  auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value));
  return number && readInt(number.ptr(), specialization, name, argument);
}

static void readOwnArray(PyObject *value, Argument &argument) {
  const OwnArray &array = ownArray(value);
  argument.kind = ArgumentKind::Pointer;
  argument.type = array.type;
  argument.device = array.device;
  argument.readOnly = array.readOnly;
  argument.isOwn = array.memory != nullptr;
  argument.bits = array.address;
}

static void hintAtAddress(const Specialization &specialization,
                          Argument &argument) {
  if (specialization.onAlignment && argument.bits % 16 == 0)
    argument.hint = Hint::DivisibleBy16;
}

bool readArgument(PyObject *value, const Specialization &specialization,
                  const ArgumentName &name, Argument &argument) {
  const TypeInfo info = infoOf(Py_TYPE(value));
  switch (info.role) {
  case TypeInfo::Bool:
    readBool(value == Py_True, argument);
    return true;
  case TypeInfo::Int:
    return readInt(value, specialization, name, argument);
  case TypeInfo::Float:
    readFloat(PyFloat_AS_DOUBLE(value), specialization, argument);
    return true;
  case TypeInfo::None:
    argument.kind = ArgumentKind::None;
    return true;
  case TypeInfo::NumPyScalar:
    return readNumPyScalar(value, specialization, name, argument);
  case TypeInfo::Wrapper:
    return readArgument(
        py::handle(value).attr("value").cast<py::object>().ptr(),
        specialization, name, argument);
  case TypeInfo::OwnArray:
    readOwnArray(value, argument);
    hintAtAddress(specialization, argument);
    return true;
  case TypeInfo::Array:
    if (!readArray(info.reader, value, name, argument))
      return false;
    hintAtAddress(specialization, argument);
    return true;
  case TypeInfo::Structured:
  case TypeInfo::Descriptor:
    argument.kind = ArgumentKind::Structured;
    return true;
  case TypeInfo::Unknown:
    break;
  }
  return reject(value, name);
}

bool isArray(PyObject *value) {
  const TypeInfo::Role role = infoOf(Py_TYPE(value)).role;
  return role == TypeInfo::Array || role == TypeInfo::OwnArray;
}

bool isDescriptor(PyObject *value) {
  return infoOf(Py_TYPE(value)).role == TypeInfo::Descriptor;
}

bool isStructuredArgument(PyObject *value) {
  return isDescriptor(value) ||
         infoOf(Py_TYPE(value)).role == TypeInfo::Structured;
}

} // namespace tilewright::python
