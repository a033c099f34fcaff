// One call of a kernel: its Python arguments brought into the order of the
// parameters, then read.
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
  /// Null where the caller has to give a value.
  pybind11::object defaultValue;
  bool isConstexpr = false;
  Specialization specialization;
  /// Its number among the compile-time values, or among the others.
  uint16_t place = 0;
};

struct Option {
  pybind11::object name;
  pybind11::object defaultValue;
};

/// Where a keyword argument goes: an option may be a parameter, too.
struct KeywordPlace {
  /// The number of all where there is none.
  size_t parameter, option;
};

/// What a kernel can be called with.
struct Signature {
  std::string kernel;
  std::vector<Parameter> parameters;
  /// The last one is the stream, which does not change the compiled code.
  std::vector<Option> options;
  /// The defaults of both once more (null for none), as a call starts with
  /// them.
  std::vector<PyObject *> defaults, optionDefaults;
  /// How many parameters take compile-time values, and how many do not.
  size_t constantCount = 0, argumentCount = 0;

  void add(Parameter parameter) {
    defaults.push_back(parameter.defaultValue.ptr());
    size_t &count = parameter.isConstexpr ? constantCount : argumentCount;
    parameter.place = static_cast<uint16_t>(count++);
    parameters.push_back(std::move(parameter));
  }
  void add(Option option) {
    optionDefaults.push_back(option.defaultValue.ptr());
    options.push_back(std::move(option));
  }
};

/// What is known of an argument before the kernel runs: its kind, its type and
/// what its value allows to assume.
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

/// What a compiled variant is found by. Like the call that it is part of, it is
/// on the stack of each launch: what is beyond the counts is not initialised.
struct CallKey {
  // Not defaulted, which would zero it all.
  CallKey() {}

  Device device = {};
  /// Of the arguments that are no compile-time values.
  ArgumentKey arguments[kMaxParameters];
  size_t argumentCount = 0;
  /// Compile-time values, and the options but for the stream; borrowed.
  PyObject *constants[kMaxParameters + kMaxOptions];
  size_t constantCount = 0;
};

/// What a launch passes, and what it needs to know beside that. Nothing of it
/// is on the heap, which would be asked at each launch.
struct Passed {
  // Not defaulted, which would zero it all.
  Passed() {}
  ~Passed() { reset(); }
  Passed(const Passed &) = delete;
  Passed &operator=(const Passed &) = delete;

  void reset() {
    while (keptCount)
      Py_DECREF(kept[--keptCount]);
    ownArrayCount = 0;
  }

  // All counts are on one line of the cache.
  size_t slotCount = 0, ownArrayCount = 0, keptCount = 0;
  /// That of the first array which says something about it.
  void *stream = nullptr;
  /// Set where it has to be asked for the stream.
  const dlpack::ExchangeApi *library = nullptr;
  /// What the caller says of the stream.
  PyObject *givenStream = Py_None;
  /// The bits of the kernel's arguments, in order.
  uint64_t slots[kMaxSlots];
  /// Those in memory of ours, which wants to know on which streams it is used.
  const OwnArray *ownArrays[kMaxParameters];
  /// What arguments belong to, kept until the call is done.
  PyObject *kept[kMaxParameters];
};

/// The arguments of a call in vectorcall form.
struct GivenArguments {
  PyObject *const *values;
  /// Of those that come by their position; the ones with names follow.
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
  // Not defaulted, as that of the key.
  Call() {}

  PyObject *values[kMaxParameters];
  PyObject *options[kMaxOptions];
  CallKey key;
  /// The numbers of the arrays that may not be written.
  uint16_t readOnly[kMaxParameters];
  size_t readOnlyCount = 0;
  /// The number of the first array, whose device is that of the call.
  size_t deviceOf = 0;
  bool hasStream = false;
  /// An argument is several values; the ones behind it have not been read.
  bool isStructured = false;
};

/// Where a keyword argument of this name goes.
KeywordPlace placeOf(const Signature &signature, PyObject *keyword);

/// Sorts positional and keyword arguments into `call` and fills in defaults.
/// False, without a Python error, if they do not fit.
bool bindArguments(const Signature &signature, const GivenArguments &given,
                   Call &call);

/// Whether a GPU can read elements of the type at the address: it stops for
/// good at one that they may not have.
bool isAddressOf(ElementType type, uint64_t address);

/// Reads every argument, finds the device and makes the key. False with a
/// Python error set.
bool readArguments(const Signature &signature, Call &call);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_CALL_H
