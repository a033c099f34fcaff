#include "python/bindings/runtime/KernelTable.h"

#include <cstring>

namespace tilewright::python {

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

static bool addConstant(PyObject *value, PyObject *name,
                        const Signature &signature, CallKey &key) {
  const Py_hash_t hash = PyObject_Hash(value);
  if (hash == -1) {
    PyErr_Format(PyExc_TypeError,
                 "argument '%U' of kernel %s(): a compile-time value has to be "
                 "hashable, got a value of type '%s'",
                 name, signature.kernel.c_str(), Py_TYPE(value)->tp_name);
    return false;
  }
  key.constants[key.constantCount++] = value;
  key.hash = mix(key.hash, static_cast<uint64_t>(hash));
  return true;
}

/// Eight bytes at a time; the last ones may be fewer.
static uint64_t hashBytes(const uint8_t *bytes, size_t count) {
  uint64_t hash = count;
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    hash = mix(hash, word);
  }
  uint64_t rest = 0;
  std::memcpy(&rest, bytes, count);
  return mix(hash, rest);
}

bool makeKey(const Signature &signature, const Call &call, CallKey &key) {
  key.bytes[key.byteCount++] = static_cast<uint8_t>(call.device.kind);
  key.bytes[key.byteCount++] = static_cast<uint8_t>(call.device.index);
  for (size_t i = 0; i < signature.parameters.size(); ++i) {
    if (signature.parameters[i].isConstexpr)
      continue;
    const Argument &argument = call.arguments[i];
    key.bytes[key.byteCount++] = static_cast<uint8_t>(argument.kind) << 4 |
                                 static_cast<uint8_t>(argument.type);
    key.bytes[key.byteCount++] = static_cast<uint8_t>(argument.hint);
  }
  key.hash = hashBytes(key.bytes, key.byteCount);
  for (size_t i = 0; i < signature.parameters.size(); ++i)
    if (signature.parameters[i].isConstexpr &&
        !addConstant(call.values[i], signature.parameters[i].name.ptr(),
                     signature, key))
      return false;
  for (size_t i = 0; i + 1 < signature.options.size(); ++i) {
    const Option &option = signature.options[i];
    // Mostly it was not given: then its place in the key says enough.
    if (call.options[i] == option.defaultValue.ptr())
      key.constants[key.constantCount++] = call.options[i];
    else if (!addConstant(call.options[i], option.name.ptr(), signature, key))
      return false;
  }
  return true;
}

/// Equal and of one type: 1, 1.0 and True compile to different code.
static int sameConstant(PyObject *left, PyObject *right) {
  if (left == right)
    return 1;
  if (Py_TYPE(left) != Py_TYPE(right))
    return 0;
  return PyObject_RichCompareBool(left, right, Py_EQ);
}

template <typename Constants>
static int sameConstants(const Constants &held, const CallKey &key) {
  for (size_t i = 0; i < key.constantCount; ++i)
    if (int same = sameConstant(held[i].ptr(), key.constants[i]); same != 1)
      return same;
  return 1;
}

const KernelTable::Entry *KernelTable::lookUp(const CallKey &key) const {
  auto [begin, end] = entries.equal_range(key.hash);
  for (auto at = begin; at != end; ++at) {
    const Entry &entry = at->second;
    if (entry.bytes.size() != key.byteCount ||
        entry.constants.size() != key.constantCount ||
        std::memcmp(entry.bytes.data(), key.bytes, key.byteCount) != 0)
      continue;
    const int same = sameConstants(entry.constants, key);
    if (same == 1)
      return &entry;
    if (same < 0)
      return nullptr;
  }
  return nullptr;
}

const KernelVariant *KernelTable::find(const CallKey &key) const {
  const Entry *entry = lookUp(key);
  return entry ? &entry->variant : nullptr;
}

const KernelVariant &KernelTable::insert(const CallKey &key,
                                         KernelVariant variant) {
  if (const Entry *present = lookUp(key)) {
    auto &entry = const_cast<Entry &>(*present);
    entry.variant = std::move(variant);
    return entry.variant;
  }
  Entry entry;
  entry.bytes.assign(reinterpret_cast<const char *>(key.bytes), key.byteCount);
  for (size_t i = 0; i < key.constantCount; ++i)
    entry.constants.push_back(
        pybind11::reinterpret_borrow<pybind11::object>(key.constants[i]));
  entry.variant = std::move(variant);
  return entries.emplace(key.hash, std::move(entry))->second.variant;
}

} // namespace tilewright::python
