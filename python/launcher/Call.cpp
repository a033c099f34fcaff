#include "python/launcher/Call.h"

#include "python/launcher/ArrayTypes.h"
#include "python/launcher/OwnArray.h"
#include "python/launcher/TypeInfo.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <functional>

namespace tilewright::python {

/// Returns the index of the entry named `keyword`, or the number of entries.
template <typename Entry, typename Same>
static size_t indexOf(const std::vector<Entry> &entries, PyObject *keyword,
                      Same same) {
  size_t index = 0;
  while (index < entries.size() && !same(entries[index].name.ptr(), keyword))
    ++index;
  return index;
}

template <typename Same>
static KeywordSlot findKeyword(const Signature &signature, PyObject *keyword,
                               Same same) {
  return {indexOf(signature.parameters, keyword, same),
          indexOf(signature.options, keyword, same)};
}

/// Compares addresses: the names of a signature and of keywords in a call are
/// interned. Only names that were built at run time are compared by characters.
KeywordSlot findKeyword(const Signature &signature, PyObject *keyword) {
  if (PyUnicode_CHECK_INTERNED(keyword))
    return findKeyword(signature, keyword, std::equal_to<>());
  return findKeyword(signature, keyword, [](PyObject *left, PyObject *right) {
    return PyUnicode_Compare(left, right) == 0;
  });
}

/// Stores a keyword argument. Returns false for an unknown name, and if the
/// parameter was also given by position.
static bool bindKeyword(const Signature &signature, const KeywordSlot &slot,
                        PyObject *value, size_t positional, Call &call) {
  const bool isOption = slot.option < signature.options.size();
  if (isOption)
    call.options[slot.option] = value;
  if (slot.parameter == signature.parameters.size())
    return isOption;
  call.values[slot.parameter] = value;
  return slot.parameter >= positional;
}

bool bindArguments(const Signature &signature, const GivenArguments &given,
                   Call &call) {
  const size_t parameters = signature.parameters.size(), count = given.count;
  if (count > parameters)
    return false;
  std::copy(given.values, given.values + count, call.values);
  std::copy(signature.defaults.begin() + count, signature.defaults.end(),
            call.values + count);
  std::copy(signature.optionDefaults.begin(), signature.optionDefaults.end(),
            call.options);
  for (size_t i = 0; i < given.nameCount(); ++i)
    if (!bindKeyword(signature, findKeyword(signature, given.name(i)),
                     given.values[count + i], count, call))
      return false;
  call.givenStream = call.options[signature.options.size() - 1];
  return std::find(call.values + count, call.values + parameters, nullptr) ==
         call.values + parameters;
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

/// Records the device of an array. Returns false, with a Python error set, if
/// it differs from that of the others.
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
  call.key.arguments[parameter.keyIndex] = ArgumentKey::make(kind, type, hint);
  // Other arguments are part of the kernel's code.
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
               "which is not a multiple of the %d bytes of its elements, as "
               "GPUs require; pass a copy of the array",
               signature.parameters[index].name.ptr(), signature.kernel.c_str(),
               spelled, dlpackTypeOf(type).bits / 8);
  return false;
}

bool isAddressOf(ElementType type, uint64_t address) {
  return address % (dlpackTypeOf(type).bits / 8) == 0;
}

/// Adds an array, which must be on the device of the first one. Returns false
/// with a Python error set if it is not, or is misaligned for a GPU.
static bool addArray(const Signature &signature, size_t index,
                     const Device &device, ElementType type, uint64_t address,
                     Call &call) {
  const Parameter &parameter = signature.parameters[index];
  const Hint hint = hintAtAddress(parameter.specialization, address);
  add(parameter, ArgumentKind::Pointer, type, hint, address, call);
  if (device.kind == DeviceKind::Cuda && !isAddressOf(type, address))
    return rejectAlignment(signature, index, type, address);
  return noteDevice(signature, index, device, call);
}

/// Records properties of an array other than its address.
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
static bool readAny(const Signature &signature, size_t index,
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

/// Reads a `tilewright.Array`.
static bool readOwn(const Signature &signature, size_t index, Call &call) {
  const OwnArray &array = ownArray(call.values[index]);
  if (array.memory)
    call.ownArrays[call.ownArrayCount++] = &array;
  if (array.readOnly)
    call.readOnly[call.readOnlyCount++] = static_cast<uint16_t>(index);
  return addArray(signature, index, array.device, array.type, array.address,
                  call);
}

/// Reads the argument of a parameter. Returns false with a Python error set.
static bool readParameter(const Signature &signature, size_t index,
                          Call &call) {
  const Parameter &parameter = signature.parameters[index];
  const TypeInfo &info = infoOf(Py_TYPE(call.values[index]));
  if (parameter.isConstexpr) {
    call.key.constants[parameter.keyIndex] = call.values[index];
    return !isArray(info) ||
           rejectArray({signature.kernel.c_str(), parameter.name.ptr()});
  }
  return info.role == TypeInfo::OwnArray
             ? readOwn(signature, index, call)
             : readAny(signature, index, info, call);
}

bool readArguments(const Signature &signature, Call &call) {
  for (size_t i = 0; i < signature.parameters.size() && !call.isStructured; ++i)
    if (!readParameter(signature, i, call))
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
