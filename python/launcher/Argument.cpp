#include "python/launcher/Argument.h"

#include "python/launcher/TypeInfo.h"

#include <cstring>

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
  case ElementType::F8E4M3FNUZ:
    return "fp8e4b8";
  case ElementType::F8E5M2FNUZ:
    return "fp8e5b16";
  case ElementType::F8E4M3B15:
    return "fp8e4b15";
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

static bool readInt(PyObject *value, const Specialization &specialization,
                    const ArgumentName &name, Argument &argument) {
  int overflow = 0;
  argument.kind = ArgumentKind::Scalar;
  int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (overflow == 0) {
    if (number == -1 && PyErr_Occurred())
      return false;
    argument.bits = static_cast<uint64_t>(number);
    argument.type = typeOfInteger(number);
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
  argument.hint = hintAtInteger(specialization, argument.bits);
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
               "argument '%U' of kernel %s(): cannot pass %.80R of type '%s'; "
               "kernels take arrays, int, float, bool and None. Annotate the "
               "parameter with tl.constexpr to pass a compile-time value",
               name.parameter, name.kernel, value, Py_TYPE(value)->tp_name);
  return false;
}

/// Reads a NumPy scalar as the Python number of its kind.
static bool readNumPyScalar(PyObject *value,
                            const Specialization &specialization,
                            const ArgumentName &name, Argument &argument) {
  auto kind =
      py::cast<std::string>(py::handle(value).attr("dtype").attr("kind"));
  if (kind == "b") {
    readBool(PyObject_IsTrue(value) == 1, argument);
    return true;
  }
  // Does not use item(), which returns long doubles unchanged.
  if (kind == "f") {
    readFloat(PyFloat_AsDouble(value), specialization, argument);
    return !PyErr_Occurred();
  }
  if (kind != "i" && kind != "u")
    return reject(value, name);
  auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value));
  return number && readInt(number.ptr(), specialization, name, argument);
}

/// Reads the value of a constant of the language.
static bool readWrapped(PyObject *wrapper, const Specialization &specialization,
                        const ArgumentName &name, Argument &argument) {
  const py::object value = py::handle(wrapper).attr("value");
  return readArgument(value.ptr(), infoOf(Py_TYPE(value.ptr())), specialization,
                      name, argument);
}

bool readArgument(PyObject *value, const TypeInfo &info,
                  const Specialization &specialization,
                  const ArgumentName &name, Argument &argument) {
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
    return readWrapped(value, specialization, name, argument);
  case TypeInfo::Array:
    if (!readArray(info.reader, value, name, argument))
      return false;
    argument.hint = hintAtAddress(specialization, argument.bits);
    return true;
  case TypeInfo::Structured:
  case TypeInfo::Descriptor:
    argument.kind = ArgumentKind::Structured;
    return true;
  case TypeInfo::OwnArray: // No protocol reads it.
  case TypeInfo::Unknown:
    break;
  }
  return reject(value, name);
}

} // namespace tilewright::python
