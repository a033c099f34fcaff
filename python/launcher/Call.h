// One call of a kernel: its Python arguments, matched to the parameters and
// then read.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_CALL_H
#define TILEWRIGHT_PYTHON_LAUNCHER_CALL_H

#include "python/launcher/Argument.h"
#include "python/launcher/Limits.h"

#include <string>
#include <vector>

namespace tilewright::python {

struct OwnArray;

struct Parameter {
  pybind11::object name;
  /// Null if the caller must give a value.
  pybind11::object defaultValue;
  bool isConstexpr = false;
  Specialization specialization;
  /// Its index among the compile-time parameters, or among the others.
  uint16_t keyIndex = 0;
};

struct Option {
  pybind11::object name;
  pybind11::object defaultValue;
};

/// The indices for a keyword argument: an option may be a parameter too.
struct KeywordSlot {
  /// The number of parameters or options if there is none.
  size_t parameter, option;
};

/// Parameters and options of a kernel.
struct Signature {
  std::string kernel;
  std::vector<Parameter> parameters;
  /// The last one is the stream, which does not affect the compiled code.
  std::vector<Option> options;
  /// The defaults of parameters and options (null for none), as initial values
  /// of a call.
  std::vector<PyObject *> defaults, optionDefaults;
  /// Number of compile-time parameters, and of the others.
  size_t constantCount = 0, argumentCount = 0;

  void add(Parameter parameter) {
    defaults.push_back(parameter.defaultValue.ptr());
    size_t &count = parameter.isConstexpr ? constantCount : argumentCount;
    parameter.keyIndex = static_cast<uint16_t>(count++);
    parameters.push_back(std::move(parameter));
  }
  void add(Option option) {
    optionDefaults.push_back(option.defaultValue.ptr());
    options.push_back(std::move(option));
  }
};

/// Properties of an argument that select the compiled variant: kind, type and
/// hints on the value.
struct ArgumentKey {
  uint16_t bits;

  static ArgumentKey make(ArgumentKind kind, ElementType type, Hint hint) {
    return {static_cast<uint16_t>(static_cast<unsigned>(kind) << 13 |
                                  static_cast<unsigned>(type) << 8 |
                                  static_cast<unsigned>(hint))};
  }
  ArgumentKind kind() const { return static_cast<ArgumentKind>(bits >> 13); }
  ElementType type() const {
    static_assert(static_cast<unsigned>(ElementType::F64) < 32, "5 bits");
    return static_cast<ElementType>(bits >> 8 & 0x1f);
  }
  Hint hint() const { return static_cast<Hint>(bits & 0xff); }
  bool operator==(ArgumentKey other) const { return bits == other.bits; }
};

/// The key of a compiled variant. It is part of a call and so on the stack of
/// each launch: elements beyond the counts are not initialised.
struct CallKey {
  // Not defaulted: that would zero the whole object.
  CallKey() {}

  Device device = {};
  /// Keys of the runtime arguments.
  ArgumentKey arguments[kMaxParameters];
  size_t argumentCount = 0;
  /// Compile-time values, and the options except the stream; borrowed.
  PyObject *constants[kMaxParameters + kMaxOptions];
  size_t constantCount = 0;
};

/// The values that a launch passes, and what it needs besides. All on the
/// stack: a launch must not allocate.
struct Passed {
  // Not defaulted: that would zero the whole object.
  Passed() {}
  ~Passed() { reset(); }
  Passed(const Passed &) = delete;
  Passed &operator=(const Passed &) = delete;

  void reset() {
    while (keptCount)
      Py_DECREF(kept[--keptCount]);
    ownArrayCount = 0;
  }

  // All counts are in one cache line.
  size_t slotCount = 0, ownArrayCount = 0, keptCount = 0;
  /// The stream of the first array that reports one.
  void *stream = nullptr;
  /// The library to ask for the stream; null if there is none.
  const dlpack::ExchangeApi *library = nullptr;
  /// The caller's stream option.
  PyObject *givenStream = Py_None;
  /// The bits of the kernel's arguments, in order.
  uint64_t slots[kMaxSlots];
  /// Arrays in memory of Tilewright's pool, which tracks the streams that use
  /// it.
  const OwnArray *ownArrays[kMaxParameters];
  /// Owners of arguments, kept alive until the call ends.
  PyObject *kept[kMaxParameters];
};

/// The arguments of a call in vectorcall form.
struct GivenArguments {
  PyObject *const *values;
  /// Number of positional arguments; keyword arguments follow.
  size_t count;
  /// A tuple, or null.
  PyObject *names;

  size_t nameCount() const {
    return names ? static_cast<size_t>(PyTuple_GET_SIZE(names)) : 0;
  }
  PyObject *name(size_t number) const {
    return PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(number));
  }
};

/// Borrowed references, valid during the call.
struct Call : Passed {
  // Not defaulted: see CallKey.
  Call() {}

  PyObject *values[kMaxParameters];
  PyObject *options[kMaxOptions];
  CallKey key;
  /// Indices of the read-only arrays.
  uint16_t readOnly[kMaxParameters];
  size_t readOnlyCount = 0;
  /// Index of the first array, whose device is that of the call.
  size_t deviceOf = 0;
  bool hasStream = false;
  /// An argument consists of several values; the arguments after it have not
  /// been read.
  bool isStructured = false;
};

/// Finds the parameter or option of a keyword argument.
KeywordSlot findKeyword(const Signature &signature, PyObject *keyword);

/// Sorts positional and keyword arguments into `call` and fills in defaults.
/// Returns false, without a Python error, if they do not fit.
bool bindArguments(const Signature &signature, const GivenArguments &given,
                   Call &call);

/// Whether `address` is aligned for elements of the type. A GPU's context fails
/// permanently after a misaligned access.
bool isAddressOf(ElementType type, uint64_t address);

/// Reads every argument, finds the device and makes the key. Returns false with
/// a Python error set.
bool readArguments(const Signature &signature, Call &call);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_CALL_H
