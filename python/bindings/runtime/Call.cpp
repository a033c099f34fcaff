#include "python/bindings/runtime/Call.h"

#include "python/bindings/runtime/ArrayTypes.h"
#include "python/bindings/runtime/Integer.h"
#include "python/bindings/runtime/OwnArray.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
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

template <typename Same>
static KeywordPlace placeOf(const Signature &signature, PyObject *keyword,
                            Same same) {
  return {keyword, placeOf(signature.parameters, keyword, same),
          placeOf(signature.options, keyword, same)};
}

/// The names of a signature are interned, and those of keywords in a call, too:
/// addresses decide. Only names that were put together while the program ran
/// are compared letter by letter.
static KeywordPlace placeOf(const Signature &signature, PyObject *keyword) {
  if (PyUnicode_CHECK_INTERNED(keyword))
    return placeOf(signature, keyword, std::equal_to<>());
  return placeOf(signature, keyword, [](PyObject *left, PyObject *right) {
    return PyUnicode_Compare(left, right) == 0;
  });
}

/// The same for the keyword in this place of the call. Remembers names of the
/// signature, which stay.
static KeywordPlace placeOf(const Signature &signature, PyObject *keyword,
                            size_t number) {
  std::vector<KeywordPlace> &last = signature.keywords;
  if (number < last.size() && last[number].name == keyword)
    return last[number];
  const KeywordPlace place = placeOf(signature, keyword);
  const bool isKnown = place.parameter < signature.parameters.size() ||
                       place.option < signature.options.size();
  if (isKnown && PyUnicode_CHECK_INTERNED(keyword)) {
    last.resize(std::max(last.size(), number + 1));
    last[number] = place;
  }
  return place;
}

/// Puts a keyword argument where it belongs. False where that was given by its
/// position, too, and where there is none of the name.
static bool bindKeyword(const Signature &signature, const KeywordPlace &place,
                        PyObject *value, size_t positional, Call &call) {
  const bool isOption = place.option < signature.options.size();
  if (isOption)
    call.options[place.option] = value;
  if (place.parameter == signature.parameters.size())
    return isOption;
  call.values[place.parameter] = value;
  return place.parameter >= positional;
}

bool bindArguments(const Signature &signature, PyObject *const *args,
                   size_t count, PyObject *keywordNames, Call &call) {
  const size_t parameters = signature.parameters.size();
  if (count > parameters)
    return false;
  std::copy(args, args + count, call.values);
  std::copy(signature.defaults.begin() + count, signature.defaults.end(),
            call.values + count);
  std::copy(signature.optionDefaults.begin(), signature.optionDefaults.end(),
            call.options);
  const Py_ssize_t keywords = keywordNames ? PyTuple_GET_SIZE(keywordNames) : 0;
  for (Py_ssize_t i = 0; i < keywords; ++i)
    if (!bindKeyword(signature,
                     placeOf(signature, PyTuple_GET_ITEM(keywordNames, i),
                             static_cast<size_t>(i)),
                     args[count + i], count, call))
      return false;
  return std::find(call.values + count, call.values + parameters, nullptr) ==
         call.values + parameters;
}

void Parameter::learn(PyTypeObject *type) const {
  last = {};
  last.info = &python::infoOf(type);
  last.type = type;
  if (last.info->reader.protocol == Protocol::DLPackExchange)
    last.reading = Reading::ByFunctions;
  else if (last.info->role == TypeInfo::OwnArray)
    last.reading = Reading::AsOwnArray;
  else if (last.info->role == TypeInfo::Int)
    last.reading = Reading::AsInteger;
}

[[gnu::cold]] static bool rejectArray(const ArgumentName &name) {
  PyErr_Format(PyExc_TypeError,
               "argument '%U' of kernel %s() is an array, but the parameter is "
               "tl.constexpr and takes a compile-time value",
               name.parameter, name.kernel);
  return false;
}

[[gnu::cold]] static bool rejectDevice(const Signature &signature, size_t index,
                                       const Device &device, const Call &call) {
  PyErr_Format(PyExc_ValueError,
               "argument '%U' of kernel %s() is on %s, but '%U' is on %s",
               signature.parameters[index].name.ptr(), signature.kernel.c_str(),
               describe(device).c_str(),
               signature.parameters[call.deviceOf].name.ptr(),
               describe(call.key.device).c_str());
  return false;
}

/// Takes in where an array is. False, with a Python error set, if the others
/// are elsewhere.
static bool noteDevice(const Signature &signature, size_t index,
                       const Device &device, Call &call) {
  if (call.key.device == device)
    return true;
  if (call.key.device.kind != DeviceKind::Any)
    return rejectDevice(signature, index, device, call);
  call.key.device = device;
  call.deviceOf = index;
  return true;
}

static void add(const Parameter &parameter, ArgumentKind kind, ElementType type,
                Hint hint, uint64_t bits, Call &call) {
  call.key.arguments[parameter.place] = ArgumentKey::make(kind, type, hint);
  // The others are part of the kernel's code.
  if (kind != ArgumentKind::None && hint != Hint::One)
    call.slots[call.slotCount++] = bits;
}

[[gnu::cold]] static bool rejectAlignment(const Signature &signature,
                                          size_t index, ElementType type,
                                          uint64_t address) {
  char spelled[2 + 16 + 1];
  std::snprintf(spelled, sizeof(spelled), "0x%" PRIx64, address);
  PyErr_Format(PyExc_ValueError,
               "argument '%U' of kernel %s(): the array begins at address %s, "
               "which is no multiple of the %d bytes of its elements, as GPUs "
               "need it; pass a copy of the array",
               signature.parameters[index].name.ptr(), signature.kernel.c_str(),
               spelled, dlpackTypeOf(type).bits / 8);
  return false;
}

/// A GPU stops for good at an address that its elements may not have.
static bool checkAlignment(const Signature &signature, size_t index,
                           const Device &device, ElementType type, Hint hint,
                           uint64_t address) {
  return hint == Hint::DivisibleBy16 || device.kind != DeviceKind::Cuda ||
         address % (dlpackTypeOf(type).bits / 8) == 0 ||
         rejectAlignment(signature, index, type, address);
}

/// Adds an array, which is where the first one is. False with a Python error
/// set for one that is elsewhere or begins where a GPU cannot read it.
[[gnu::always_inline]] static inline bool
addArray(const Signature &signature, size_t index, const Device &device,
         ElementType type, uint64_t address, Call &call) {
  const Parameter &parameter = signature.parameters[index];
  const Hint hint = hintAtAddress(parameter.specialization, address);
  add(parameter, ArgumentKind::Pointer, type, hint, address, call);
  return checkAlignment(signature, index, device, type, hint, address) &&
         noteDevice(signature, index, device, call);
}

/// Takes in what the call needs to know of an array beside its address.
static void noteArray(size_t index, const Argument &argument, Call &call) {
  if (!call.hasStream && (argument.hasStream || argument.library)) {
    call.stream = argument.stream;
    call.library = argument.library;
    call.hasStream = true;
  }
  if (argument.readOnly)
    call.readOnly[call.readOnlyCount++] = static_cast<uint16_t>(index);
}

/// Reads an argument of any kind.
[[gnu::noinline]] static bool readAny(const Signature &signature, size_t index,
                                      const TypeInfo &info, Call &call) {
  const Parameter &parameter = signature.parameters[index];
  const ArgumentName name = {signature.kernel.c_str(), parameter.name.ptr()};
  Argument argument = {};
  if (!readArgument(call.values[index], info, parameter.specialization, name,
                    argument))
    return false;
  if (argument.kind == ArgumentKind::Pointer) {
    noteArray(index, argument, call);
    return addArray(signature, index, argument.device, argument.type,
                    argument.bits, call);
  }
  add(parameter, argument.kind, argument.type, argument.hint, argument.bits,
      call);
  call.isStructured = argument.kind == ArgumentKind::Structured;
  return true;
}

/// The numbers of DLPack.
static TensorFacts factsOf(const dlpack::Tensor &tensor) {
  const dlpack::DataType &type = tensor.type;
  return {type.code << 24 | type.bits << 16 | type.lanes, tensor.device.type,
          tensor.device.index};
}

/// Reads an array by the table of functions of its library. Remembers what its
/// element type and place mean, in the numbers of the functions that are asked
/// next time.
static bool readByTable(const Signature &signature, size_t index,
                        const TypeInfo &info, Call &call, uint64_t &address) {
  const Parameter &parameter = signature.parameters[index];
  LastArgument &last = parameter.last;
  PyObject *array = call.values[index];
  dlpack::Tensor tensor;
  if (info.reader.exchange->tensorFromObject(array, &tensor) != 0) {
    PyErr_Clear();
    return false;
  }
  address = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  const TensorFacts facts = factsOf(tensor);
  if (!last.byTorch && tensor.data && facts == last.facts)
    return true;
  Argument argument = {};
  const ArgumentName name = {signature.kernel.c_str(), parameter.name.ptr()};
  if (!readTensor(tensor, name, argument)) {
    PyErr_Clear();
    return false;
  }
  last.element = argument.type;
  last.device = argument.device;
  last.facts = facts;
  last.byTorch = info.isTorch && TorchTensors::learn(array, tensor, last.facts);
  return true;
}

/// Reads an array of a library that has functions for that: element type and
/// place are compared with those of the last one.
static bool readExchanged(const Signature &signature, size_t index,
                          const TypeInfo &info, Call &call) {
  const LastArgument &last = signature.parameters[index].last;
  TensorFacts facts;
  void *data;
  uint64_t address;
  if (last.byTorch &&
      TorchTensors::get().read(call.values[index], facts, data) && data &&
      facts == last.facts)
    address = reinterpret_cast<uint64_t>(data);
  else if (!readByTable(signature, index, info, call, address))
    return readAny(signature, index, info, call); // Which says what is wrong.
  if (!call.hasStream && info.reader.exchange->currentStream) {
    call.library = info.reader.exchange;
    call.hasStream = true;
  }
  return addArray(signature, index, last.device, last.element, address, call);
}

/// Reads an array of ours.
static bool readOwn(const Signature &signature, size_t index, Call &call) {
  const OwnArray &array = ownArray(call.values[index]);
  if (array.memory)
    call.ownArrays[call.ownArrayCount++] = &array;
  if (array.readOnly)
    call.readOnly[call.readOnlyCount++] = static_cast<uint16_t>(index);
  return addArray(signature, index, array.device, array.type, array.address,
                  call);
}

/// Reads an int.
static bool readInteger(const Signature &signature, size_t index, Call &call) {
  const Parameter &parameter = signature.parameters[index];
  int64_t number = 0;
  if (!readLong(call.values[index], number))
    return readAny(signature, index, *parameter.last.info, call);
  const auto bits = static_cast<uint64_t>(number);
  add(parameter, ArgumentKind::Scalar, typeOfInteger(number),
      hintAtInteger(parameter.specialization, bits), bits, call);
  return true;
}

/// Reads the argument for a parameter. False with a Python error set.
static bool readParameter(const Signature &signature, size_t index,
                          Call &call) {
  const Parameter &parameter = signature.parameters[index];
  const TypeInfo &info = parameter.infoOf(call.values[index]);
  if (parameter.isConstexpr) {
    call.key.constants[parameter.place] = call.values[index];
    return !isArray(info) ||
           rejectArray({signature.kernel.c_str(), parameter.name.ptr()});
  }
  switch (parameter.last.reading) {
  case Reading::ByFunctions:
    return readExchanged(signature, index, info, call);
  case Reading::AsOwnArray:
    return readOwn(signature, index, call);
  case Reading::AsInteger:
    return readInteger(signature, index, call);
  case Reading::AsAny:
    break;
  }
  return readAny(signature, index, info, call);
}

ReadIntegers integersOf(const Signature &signature, const Call &call,
                        size_t first, size_t count) {
  ReadIntegers read;
  read.first = first;
  read.count = count;
  for (size_t i = 0; i < count; ++i) {
    const Parameter &parameter = signature.parameters[first + i];
    read.keys[i] = call.key.arguments[parameter.place];
    int64_t number = 0;
    readLong(call.values[first + i], number);
    if (read.keys[i].hint() != Hint::One)
      read.slots[read.slotCount++] = static_cast<uint64_t>(number);
  }
  return read;
}

/// Adds what is known of some parameters, whose places follow each other.
static void addIntegers(const Signature &signature, const ReadIntegers &known,
                        Call &call) {
  if (known.count == 0)
    return;
  std::copy(known.keys, known.keys + known.count,
            call.key.arguments + signature.parameters[known.first].place);
  std::copy(known.slots, known.slots + known.slotCount,
            call.slots + call.slotCount);
  call.slotCount += known.slotCount;
}

/// Reads the arguments for the parameters from `first` up to `end`.
static bool readParameters(const Signature &signature, size_t first, size_t end,
                           Call &call) {
  for (size_t i = first; i < end && !call.isStructured; ++i)
    if (!readParameter(signature, i, call))
      return false;
  return true;
}

bool readArguments(const Signature &signature, Call &call,
                   const std::vector<ReadIntegers> &known) {
  size_t next = 0;
  for (const ReadIntegers &integers : known) {
    if (!readParameters(signature, next, integers.first, call))
      return false;
    addIntegers(signature, integers, call);
    next = integers.first + integers.count;
  }
  if (!readParameters(signature, next, signature.parameters.size(), call))
    return false;
  const size_t options = signature.options.size() - 1;
  std::copy(call.options, call.options + options,
            call.key.constants + signature.constantCount);
  call.key.argumentCount = signature.argumentCount;
  call.key.constantCount = signature.constantCount + options;
  if (call.key.device.kind == DeviceKind::Any)
    call.key.device.kind = DeviceKind::Cpu;
  return true;
}

} // namespace tilewright::python
