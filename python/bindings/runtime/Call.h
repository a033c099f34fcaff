// One call of a kernel: its Python arguments brought into the order of the
// parameters, then read.
#ifndef TILEWRIGHT_PYTHON_RUNTIME_CALL_H
#define TILEWRIGHT_PYTHON_RUNTIME_CALL_H

#include "python/bindings/runtime/Limits.h"
#include "python/bindings/runtime/TorchTensor.h"
#include "python/bindings/runtime/TypeInfo.h"

#include <string>
#include <vector>

namespace tilewright::python {

struct OwnArray;

/// How a launch reads an argument: the quickest ones by ways of their own.
enum class Reading : uint8_t { AsAny, AsInteger, AsOwnArray, ByFunctions };

/// What a parameter was passed last, which it mostly is again: it spares
/// looking things up.
struct LastArgument {
  PyTypeObject *type = nullptr;
  const TypeInfo *info = nullptr;
  /// Of the array that came by a library's functions: what these say of it,
  /// and what that means.
  TensorFacts facts = {};
  ElementType element = {};
  bool byTorch = false;
  Reading reading = Reading::AsAny;
  Device device = {};
};

/// On a line of the cache of its own, which a launch then touches alone.
struct alignas(64) Parameter {
  pybind11::object name;
  /// Null where the caller has to give a value.
  pybind11::object defaultValue;
  bool isConstexpr = false;
  Specialization specialization;
  /// Its number among the compile-time values, or among the others.
  uint16_t place = 0;
  mutable LastArgument last = {};

  const TypeInfo &infoOf(PyObject *value) const {
    if (Py_TYPE(value) != last.type)
      learn(Py_TYPE(value));
    return *last.info;
  }

private:
  void learn(PyTypeObject *type) const;
};
static_assert(sizeof(Parameter) == 64);

struct Option {
  pybind11::object name;
  pybind11::object defaultValue;
};

/// Where a keyword argument goes: an option may be a parameter, too.
struct KeywordPlace {
  PyObject *name;
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
  /// The keywords of the last call, which are mostly those of the next one.
  mutable std::vector<KeywordPlace> keywords;

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

/// Borrowed references, valid during the call.
struct Call {
  // Not defaulted, as that of the key.
  Call() {}

  PyObject *values[kMaxParameters];
  PyObject *options[kMaxOptions];
  CallKey key;
  /// What the kernel is passed: the bits of its arguments, in order.
  uint64_t slots[kMaxSlots];
  size_t slotCount = 0;
  /// Those in memory of ours, which wants to know on which streams it is used.
  const OwnArray *ownArrays[kMaxParameters];
  size_t ownArrayCount = 0;
  /// The numbers of the arrays that may not be written.
  uint16_t readOnly[kMaxParameters];
  size_t readOnlyCount = 0;
  /// The number of the first array, whose device is that of the call.
  size_t deviceOf = 0;
  /// That of the first array which says something about it.
  void *stream = nullptr;
  bool hasStream = false;
  /// Set where it has to be asked for the stream.
  const dlpack::ExchangeApi *library = nullptr;
  /// An argument is several values; the ones behind it have not been read.
  bool isStructured = false;
};

/// Sorts positional and keyword arguments (in vectorcall form) into `call` and
/// fills in defaults. False, without a Python error, if they do not fit.
bool bindArguments(const Signature &signature, PyObject *const *args,
                   size_t count, PyObject *keywordNames, Call &call);

/// Integers of neighbouring parameters that were read before.
struct ReadIntegers {
  static constexpr size_t kMax = 9;
  /// The parameters.
  size_t first = 0, count = 0;
  ArgumentKey keys[kMax];
  /// Those that a launch passes.
  uint64_t slots[kMax];
  size_t slotCount = 0;
};

/// The integers of `count` parameters from the one with the number `first` on,
/// as `call` has read them.
ReadIntegers integersOf(const Signature &signature, const Call &call,
                        size_t first, size_t count);

/// Reads every argument but those of `known`, which are in order, finds the
/// device and makes the key. False with a Python error set.
bool readArguments(const Signature &signature, Call &call,
                   const std::vector<ReadIntegers> &known = {});

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_RUNTIME_CALL_H
