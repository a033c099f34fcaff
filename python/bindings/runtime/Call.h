// One call of a kernel: its Python arguments brought into the order of the
// parameters, then read.
#ifndef TILEWRIGHT_PYTHON_RUNTIME_CALL_H
#define TILEWRIGHT_PYTHON_RUNTIME_CALL_H

#include "python/bindings/runtime/Argument.h"
#include "python/bindings/runtime/Limits.h"

#include <string>
#include <vector>

namespace tilewright::python {

struct Parameter {
  pybind11::object name;
  /// Null where the caller has to give a value.
  pybind11::object defaultValue;
  bool isConstexpr = false;
  Specialization specialization;
};

struct Option {
  pybind11::object name;
  pybind11::object defaultValue;
};

/// What a kernel can be called with.
struct Signature {
  std::string kernel;
  std::vector<Parameter> parameters;
  /// The last one is the stream, which does not change the compiled code.
  std::vector<Option> options;
};

/// Borrowed references, valid during the call.
struct Call {
  PyObject *values[kMaxParameters];
  PyObject *options[kMaxOptions];
  Argument arguments[kMaxParameters];
  /// That of the first array; `deviceOf` is its index.
  Device device = {};
  size_t deviceOf = 0;
  /// That of the first array which says something about it.
  void *stream = nullptr;
  bool hasStream = false;
  /// Set where it has to be asked for the stream.
  const dlpack::ExchangeApi *library = nullptr;
  /// Arrays of ours are among the arguments.
  bool hasOwn = false;
  /// An argument is several values; the ones behind it have not been read.
  bool isStructured = false;
};

/// Sorts positional and keyword arguments (in vectorcall form) into `call` and
/// fills in defaults. False, without a Python error, if they do not fit.
bool bindArguments(const Signature &signature, PyObject *const *args,
                   size_t count, PyObject *keywordNames, Call &call);

/// Reads every argument that is not a compile-time value and finds the device.
/// False with a Python error set.
bool readArguments(const Signature &signature, Call &call);

/// Whether the compiled kernel has a parameter for this argument; the others
/// are part of its code.
inline bool isPassed(const Parameter &parameter, const Argument &argument) {
  return !parameter.isConstexpr && argument.kind != ArgumentKind::None &&
         argument.hint != Hint::One;
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_RUNTIME_CALL_H
