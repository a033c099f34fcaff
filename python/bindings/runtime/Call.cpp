#include "python/bindings/runtime/Call.h"

#include <algorithm>
#include <functional>

namespace tilewright::python {

/// The place of what is called `keyword`, or the number of all.
template <typename Entry, typename Same>
static size_t placeOf(const std::vector<Entry> &entries, PyObject *keyword,
                      Same same) {
  size_t place = 0;
  while (place < entries.size() && !same(entries[place].name.ptr(), keyword))
    ++place;
  return place;
}

/// Puts a keyword argument where it belongs: an option may be a parameter too.
template <typename Same>
static bool bindKeyword(const Signature &signature, PyObject *keyword,
                        PyObject *value, Call &call, Same same) {
  const size_t option = placeOf(signature.options, keyword, same);
  const size_t parameter = placeOf(signature.parameters, keyword, same);
  if (option < signature.options.size())
    call.options[option] = value;
  if (parameter == signature.parameters.size())
    return option < signature.options.size();
  if (call.values[parameter])
    return false;
  call.values[parameter] = value;
  return true;
}

/// The names of a signature are interned, and those of keywords in a call, too:
/// addresses decide. Only names that were put together while the program ran
/// are compared letter by letter.
static bool bindKeyword(const Signature &signature, PyObject *keyword,
                        PyObject *value, Call &call) {
  if (PyUnicode_CHECK_INTERNED(keyword))
    return bindKeyword(signature, keyword, value, call, std::equal_to<>());
  return bindKeyword(signature, keyword, value, call,
                     [](PyObject *left, PyObject *right) {
                       return PyUnicode_Compare(left, right) == 0;
                     });
}

bool bindArguments(const Signature &signature, PyObject *const *args,
                   size_t count, PyObject *keywordNames, Call &call) {
  const size_t parameters = signature.parameters.size();
  if (count > parameters)
    return false;
  std::copy(args, args + count, call.values);
  std::fill(call.values + count, call.values + parameters, nullptr);
  for (size_t i = 0; i < signature.options.size(); ++i)
    call.options[i] = signature.options[i].defaultValue.ptr();
  const Py_ssize_t keywords = keywordNames ? PyTuple_GET_SIZE(keywordNames) : 0;
  for (Py_ssize_t i = 0; i < keywords; ++i)
    if (!bindKeyword(signature, PyTuple_GET_ITEM(keywordNames, i),
                     args[count + i], call))
      return false;
  for (size_t i = 0; i < parameters; ++i) {
    if (!call.values[i])
      call.values[i] = signature.parameters[i].defaultValue.ptr();
    if (!call.values[i])
      return false;
  }
  return true;
}

static bool rejectArray(const ArgumentName &name) {
  PyErr_Format(PyExc_TypeError,
               "argument '%U' of kernel %s() is an array, but the parameter is "
               "tl.constexpr and takes a compile-time value",
               name.parameter, name.kernel);
  return false;
}

static bool rejectDevice(const Signature &signature, const Call &call,
                         size_t index) {
  PyErr_Format(PyExc_ValueError,
               "argument '%U' of kernel %s() is on %s, but '%U' is on %s",
               signature.parameters[index].name.ptr(), signature.kernel.c_str(),
               describe(call.arguments[index].device).c_str(),
               signature.parameters[call.deviceOf].name.ptr(),
               describe(call.device).c_str());
  return false;
}

static bool noteDevice(const Signature &signature, size_t index, Call &call) {
  const Argument &argument = call.arguments[index];
  if (!call.hasStream && (argument.hasStream || argument.library)) {
    call.stream = argument.stream;
    call.library = argument.library;
    call.hasStream = true;
  }
  call.hasOwn |= argument.isOwn;
  if (call.device.kind == DeviceKind::Any) {
    call.device = argument.device;
    call.deviceOf = index;
  }
  return call.device == argument.device || rejectDevice(signature, call, index);
}

bool readArguments(const Signature &signature, Call &call) {
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    const Parameter &parameter = signature.parameters[i];
    const ArgumentName name = {signature.kernel.c_str(), parameter.name.ptr()};
    if (parameter.isConstexpr) {
      if (isArray(call.values[i]))
        return rejectArray(name);
      continue;
    }
    call.arguments[i] = {};
    if (!readArgument(call.values[i], parameter.specialization, name,
                      call.arguments[i]))
      return false;
    if (call.arguments[i].kind == ArgumentKind::Structured) {
      call.isStructured = true;
      return true;
    }
    if (call.arguments[i].kind == ArgumentKind::Pointer &&
        !noteDevice(signature, i, call))
      return false;
  }
  if (call.device.kind == DeviceKind::Any)
    call.device.kind = DeviceKind::Cpu;
  return true;
}

} // namespace tilewright::python
