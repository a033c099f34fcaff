#include "python/launcher/LaunchRecord.h"

#include "python/launcher/ArrayTypes.h"
#include "python/launcher/Integer.h"
#include "python/launcher/OwnArray.h"

#include <algorithm>

namespace py = pybind11;

namespace tilewright::python {

//===----------------------------------------------------------------------===//
// Making records
//===----------------------------------------------------------------------===//

/// Iterates over the parameters of a call and those of its parts in parallel.
class LaunchRecord::Maker {
public:
  Maker(const ReadCall &read, LaunchRecord &record)
      : read(read), record(record), nextKey(read.key) {}

  /// Returns false if the arguments alone do not determine the launch.
  bool make() {
    if (!matchArguments())
      return false;
    for (size_t i = 0; i < read.signature.parameters.size(); ++i)
      if (!addParameter(i))
        return false;
    record.slotCount = read.partsCall.slotCount;
    return true;
  }

private:
  static constexpr size_t kNone = SIZE_MAX;

  bool matchArguments();
  bool addParameter(size_t index);
  bool addDescriptor(size_t number);
  bool addDefault();
  void addPart();
  void expectConstant(PyObject *value, ExpectedArgument &expected);
  bool expectPart(ExpectedArgument &expected);
  void expectArray(ExpectedArgument &expected) const;
  bool expectTensor(PyObject *array, ExpectedArgument &expected) const;

  const Parameter &parameter() const { return read.parts.parameters[part]; }
  ArgumentKey key() const {
    return read.partsCall.key.arguments[parameter().keyIndex];
  }
  /// Whether the value is passed to the kernel.
  bool isPassed() const {
    return key().kind() != ArgumentKind::None && key().hint() != Hint::One;
  }

  const ReadCall &read;
  LaunchRecord &record;
  /// The index of the argument of each parameter.
  std::vector<size_t> givenFor;
  /// Position: the next parameter of the parts, its value, its key.
  size_t part = 0, slot = 0;
  const int64_t *nextKey;
};

bool LaunchRecord::Maker::matchArguments() {
  const GivenArguments &given = read.given;
  const std::vector<Parameter> &parameters = read.signature.parameters;
  const size_t options = read.signature.options.size();
  record.positional = given.count;
  record.names = py::reinterpret_borrow<py::object>(given.names);
  record.expected.resize(given.count + given.nameCount());
  givenFor.assign(parameters.size(), kNone);
  for (size_t i = 0; i < given.count; ++i)
    givenFor[i] = i;
  for (size_t i = 0; i < given.nameCount(); ++i) {
    const KeywordSlot found = findKeyword(read.signature, given.name(i));
    const size_t number = given.count + i;
    const bool isOption = found.option < options;
    if (found.parameter < parameters.size()) {
      // An option that is also a parameter must be compared for equality.
      if (isOption && !parameters[found.parameter].isConstexpr)
        return false;
      givenFor[found.parameter] = number;
    } else if (found.option == options - 1) {
      record.expected[number].way = ExpectedArgument::Stream;
    } else {
      expectConstant(given.values[number], record.expected[number]);
    }
  }
  return true;
}

/// Advances to the next parameter of the parts.
void LaunchRecord::Maker::addPart() {
  slot += !parameter().isConstexpr && isPassed();
  ++part;
}

bool LaunchRecord::Maker::addParameter(size_t index) {
  const size_t number = givenFor[index];
  if (nextKey && *nextKey != 0)
    return addDescriptor(number);
  if (nextKey)
    ++nextKey;
  bool isAdded = true;
  if (number == kNone)
    isAdded = addDefault();
  else if (parameter().isConstexpr)
    expectConstant(read.call.values[index], record.expected[number]);
  else
    isAdded = expectPart(record.expected[number]);
  addPart();
  return isAdded;
}

/// Adds a parameter that was not given and so has a constant value.
bool LaunchRecord::Maker::addDefault() {
  if (parameter().isConstexpr)
    return true;
  if (isPassed())
    record.values.push_back(
        {static_cast<uint16_t>(slot), read.partsCall.slots[slot]});
  return key().kind() != ArgumentKind::Pointer;
}

bool LaunchRecord::Maker::addDescriptor(size_t number) {
  ExpectedArgument base;
  if (number == kNone || !expectPart(base))
    return false;
  addPart();
  std::optional<KnownDescriptor> known =
      KnownDescriptor::make(nextKey, read.partsCall.values + part);
  if (!known)
    return false;
  for (size_t i = 0; i < known->partCount(); ++i, addPart())
    if (!addDefault())
      return false;
  ExpectedArgument &expected = record.expected[number];
  expected.way = ExpectedArgument::Descriptor;
  expected.slot = static_cast<uint16_t>(record.arrays.size());
  record.arrays.push_back({std::move(*known), base});
  return true;
}

void LaunchRecord::Maker::expectConstant(PyObject *value,
                                         ExpectedArgument &expected) {
  expected.way = ExpectedArgument::Constant;
  expected.constant = value;
  record.constants.push_back(py::reinterpret_borrow<py::object>(value));
}

void LaunchRecord::Maker::expectArray(ExpectedArgument &expected) const {
  const Call &call = read.partsCall;
  const bool isAligned = key().hint() == Hint::DivisibleBy16,
             onGpu = call.key.device.kind == DeviceKind::Cuda;
  if (isAligned)
    expected.zeros = 15;
  else if (onGpu)
    expected.zeros =
        static_cast<uint8_t>(dlpackTypeOf(key().type()).bits / 8 - 1);
  expected.isOdd = !isAligned && parameter().specialization.onAlignment;
  expected.readOnly =
      std::find(call.readOnly, call.readOnly + call.readOnlyCount, part) !=
      call.readOnly + call.readOnlyCount;
}

/// Whether the getters report the same for a tensor as the call did. The tensor
/// may have changed meanwhile.
bool LaunchRecord::Maker::expectTensor(PyObject *array,
                                       ExpectedArgument &expected) const {
  const TypeInfo &info = infoOf(expected.type);
  if (!info.reader.isOfTorch ||
      info.reader.protocol != Protocol::DLPackExchange)
    return false;
  dlpack::Tensor tensor;
  Argument argument = {};
  const bool isRead =
      info.reader.exchange->tensorFromObject(array, &tensor) == 0 &&
      readTensor(tensor, {record.kernelName, parameter().name.ptr()}, argument);
  if (!isRead) {
    PyErr_Clear();
    return false;
  }
  TensorFacts facts;
  if (argument.type != key().type() ||
      !(argument.device == read.partsCall.key.device) ||
      !TorchTensors::learn(array, tensor, facts))
    return false;
  expected.facts = facts;
  return true;
}

/// Sets the expectation for the next argument of this parameter.
bool LaunchRecord::Maker::expectPart(ExpectedArgument &expected) {
  PyObject *value = read.partsCall.values[part];
  const TypeInfo &info = infoOf(Py_TYPE(value));
  expected.type = Py_TYPE(value);
  expected.key = key();
  expected.slot = static_cast<uint16_t>(slot);
  expected.way = ExpectedArgument::Other;
  expected.reading = {&parameter(), &info};
  if (key().kind() == ArgumentKind::Pointer)
    expectArray(expected);
  switch (info.role) {
  case TypeInfo::None:
    expectConstant(value, expected);
    return true;
  case TypeInfo::Int:
    expected.way = ExpectedArgument::Integer;
    if (isPassed())
      return true;
    expectConstant(value, expected);
    return PyLong_CheckExact(value);
  case TypeInfo::OwnArray:
    expected.way = ExpectedArgument::OwnArray;
    return true;
  case TypeInfo::Array:
    if (expectTensor(value, expected))
      expected.way = ExpectedArgument::Tensor;
    return true;
  default:
    return isPassed();
  }
}

std::optional<LaunchRecord> LaunchRecord::make(const ReadCall &read,
                                               const KernelVariant &variant) {
  const Call &call = read.partsCall;
  // The bounds of arrays are read at each launch, and streams that arrays
  // report are specific to them.
  if (variant.takesExtents || (call.hasStream && !call.library))
    return std::nullopt;
  LaunchRecord record;
  record.kernelName = read.signature.kernel.c_str();
  record.partsOwner = read.partsOwner;
  record.library = call.library;
  record.launchedOn = call.key.device;
  record.launched = variant;
  record.guards = Guards(variant.guards);
  if (!Maker(read, record).make())
    return std::nullopt;
  return record;
}

//===----------------------------------------------------------------------===//
// Comparing calls
//===----------------------------------------------------------------------===//

/// Usually it is the same tuple; calls with a dict have new ones.
bool LaunchRecord::hasNames(const GivenArguments &given) const {
  const size_t count = expected.size() - positional;
  if (given.names == names.ptr())
    return true;
  if (given.nameCount() != count)
    return false;
  for (size_t i = 0; i < count; ++i)
    if (given.name(i) != PyTuple_GET_ITEM(names.ptr(), i))
      return false;
  return true;
}

[[gnu::always_inline]] inline bool
LaunchRecord::matchesTensor(const ExpectedArgument &expected, PyObject *value,
                            const TorchTensors *torch, Passed &passed) const {
  TensorFacts facts;
  void *data;
  if (Py_TYPE(value) != expected.type || !torch->read(value, facts, data) ||
      !data || !(facts == expected.facts))
    return false;
  const auto address = reinterpret_cast<uint64_t>(data);
  passed.slots[expected.slot] = address;
  return expected.hasAddress(address);
}

bool LaunchRecord::matchesOwn(const ExpectedArgument &expected, PyObject *value,
                              Passed &passed) const {
  const OwnArray &array = ownArray(value);
  if (array.memory)
    passed.ownArrays[passed.ownArrayCount++] = &array;
  passed.slots[expected.slot] = array.address;
  return array.type == expected.key.type() && array.device == launchedOn &&
         array.readOnly == expected.readOnly &&
         expected.hasAddress(array.address);
}

/// Compares by reading the argument in full. On failure the full path reads it
/// again and reports the error.
bool LaunchRecord::matchesOther(const ExpectedArgument &expected,
                                PyObject *value, Passed &passed) const {
  const auto &[parameter, info] = expected.reading;
  Argument argument = {};
  if (!readArgument(value, *info, parameter->specialization,
                    {kernelName, parameter->name.ptr()}, argument)) {
    PyErr_Clear();
    return false;
  }
  passed.slots[expected.slot] = argument.bits;
  if (!(ArgumentKey::make(argument.kind, argument.type, argument.hint) ==
        expected.key))
    return false;
  return argument.kind != ArgumentKind::Pointer ||
         (argument.device == launchedOn && !argument.hasStream &&
          argument.readOnly == expected.readOnly &&
          expected.hasAddress(argument.bits));
}

static bool matchesInteger(const ExpectedArgument &expected,
                           const Specialization &specialization,
                           PyObject *value, uint64_t &bits) {
  int64_t number = 0;
  if (!readLong(value, number))
    return false;
  bits = static_cast<uint64_t>(number);
  return expected.key == ArgumentKey::make(ArgumentKind::Scalar,
                                           typeOfInteger(number),
                                           hintAtInteger(specialization, bits));
}

static bool matchesConstant(const ExpectedArgument &expected, PyObject *value) {
  const int same = sameConstant(expected.constant, value);
  if (same < 0)
    PyErr_Clear();
  return same > 0;
}

bool LaunchRecord::matchesDescriptor(const ExpectedArgument &expected,
                                     PyObject *value, const TorchTensors *torch,
                                     Passed &passed) const {
  const KnownArray &known = arrays[expected.slot];
  PyObject *base;
  if (!known.descriptor.isSaidBy(value, base))
    return false;
  passed.kept[passed.keptCount++] = Py_NewRef(base);
  return matchesArgument(known.base, base, torch, passed);
}

bool LaunchRecord::matchesArgument(const ExpectedArgument &expected,
                                   PyObject *value, const TorchTensors *torch,
                                   Passed &passed) const {
  const bool isOfType = Py_TYPE(value) == expected.type;
  switch (expected.way) {
  case ExpectedArgument::Tensor:
    return matchesTensor(expected, value, torch, passed);
  case ExpectedArgument::Constant:
    return matchesConstant(expected, value);
  case ExpectedArgument::Descriptor:
    return matchesDescriptor(expected, value, torch, passed);
  case ExpectedArgument::Stream:
    passed.givenStream = value;
    return true;
  case ExpectedArgument::OwnArray:
    return isOfType && matchesOwn(expected, value, passed);
  case ExpectedArgument::Integer:
    return isOfType &&
           matchesInteger(expected, expected.reading.parameter->specialization,
                          value, passed.slots[expected.slot]);
  case ExpectedArgument::Other:
    return isOfType && matchesOther(expected, value, passed);
  }
  return false;
}

/// Returns the index of the first argument that differs, or their number. Not
/// inlined, so that the loop keeps its state in registers.
[[gnu::noinline]] size_t LaunchRecord::firstUnlike(PyObject *const *value,
                                                   const TorchTensors *torch,
                                                   Passed &passed) const {
  for (const ExpectedArgument &argument : expected) {
    const bool isAlike = argument.way == ExpectedArgument::Tensor
                             ? matchesTensor(argument, *value, torch, passed)
                             : matchesArgument(argument, *value, torch, passed);
    if (!isAlike)
      return static_cast<size_t>(&argument - expected.data());
    ++value;
  }
  return expected.size();
}

[[gnu::always_inline]] inline bool
LaunchRecord::matches(const GivenArguments &given, Passed &passed,
                      size_t &unlike) const {
  if (given.count != positional || !hasNames(given))
    return false;
  const TorchTensors *torch = TorchTensors::get();
  if (unlike < expected.size() &&
      !matchesArgument(expected[unlike], given.values[unlike], torch, passed))
    return false;
  passed.reset();
  unlike = firstUnlike(given.values, torch, passed);
  if (unlike < expected.size())
    return false;
  if (!guards.hold())
    return false;
  for (const Value &same : values)
    passed.slots[same.slot] = same.bits;
  passed.slotCount = slotCount;
  passed.library = library;
  return true;
}

const LaunchRecord *LaunchRecords::find(const GivenArguments &given,
                                        Passed &passed) {
  if (records->empty())
    return nullptr;
  const Records::Use use(records);
  size_t number = last, unlike = SIZE_MAX;
  for (size_t tried = 0; tried < records->size(); ++tried, ++number) {
    if (number >= records->size())
      number = 0;
    const LaunchRecord &record = (*records)[number];
    if (!record.matches(given, passed, unlike))
      continue;
    // Records that were cleared meanwhile are not found.
    if (records->empty())
      return nullptr;
    last = number;
    return &record;
  }
  return nullptr;
}

/// Adds nothing during a search: it reads arguments, which may launch the
/// kernel.
void LaunchRecords::add(std::optional<LaunchRecord> record) {
  if (!record || records.isUsed())
    return;
  if (records->size() < kMost) {
    records->push_back(std::move(*record));
    last = records->size() - 1;
    return;
  }
  std::swap((*records)[oldest], *record);
  last = oldest;
  oldest = (oldest + 1) % kMost;
}

} // namespace tilewright::python
