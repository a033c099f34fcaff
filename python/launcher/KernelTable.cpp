#include "python/launcher/KernelTable.h"

#include "python/launcher/Ending.h"

#include <cstring>

namespace py = pybind11;

namespace tilewright::python {

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

bool KernelTable::hashConstant(const CallKey &key, size_t index,
                               uint64_t &hash) const {
  PyObject *value = key.constants[index];
  const size_t firstOption = key.constantCount + 1 - signature.options.size();
  // Usually an option was not given: then its index in the key suffices.
  if (index >= firstOption &&
      value == signature.options[index - firstOption].defaultValue.ptr())
    return true;
  // The files of libraries come as a dict.
  const Py_hash_t found =
      index >= firstOption && PyDict_Check(value)
          ? PyDict_Size(value)
          : unlessEnding([&] { return PyObject_Hash(value); });
  hash = mix(hash, static_cast<uint64_t>(found));
  return found != -1;
}

/// Returns the name of the parameter or option of a compile-time value.
static py::handle nameOf(const Signature &signature, size_t index) {
  for (const Parameter &parameter : signature.parameters)
    if (parameter.isConstexpr && index-- == 0)
      return parameter.name;
  return signature.options[index].name;
}

bool KernelTable::hashOf(const CallKey &key, uint64_t &hash) const {
  hash = mix(static_cast<uint64_t>(key.device.kind),
             static_cast<uint64_t>(key.device.index));
  for (size_t i = 0; i < key.argumentCount; ++i)
    hash = mix(hash, key.arguments[i].bits);
  for (size_t i = 0; i < key.constantCount; ++i)
    if (!hashConstant(key, i, hash)) {
      PyErr_Format(PyExc_TypeError,
                   "argument '%U' of kernel %s(): a compile-time value has to "
                   "be hashable, got a value of type '%s'",
                   nameOf(signature, i).ptr(), signature.kernel.c_str(),
                   Py_TYPE(key.constants[i])->tp_name);
      return false;
    }
  return true;
}

bool KernelTable::hasArguments(const Entry &entry, const CallKey &key) {
  return entry.device == key.device &&
         entry.arguments.size() == key.argumentCount &&
         std::memcmp(entry.arguments.data(), key.arguments,
                     key.argumentCount * sizeof(ArgumentKey)) == 0;
}

int sameConstant(PyObject *left, PyObject *right) {
  if (left == right)
    return 1;
  if (Py_TYPE(left) != Py_TYPE(right))
    return 0;
  return unlessEnding(
      [&] { return PyObject_RichCompareBool(left, right, Py_EQ); });
}

template <typename Constants>
static int sameConstants(const Constants &held, const CallKey &key) {
  for (size_t i = 0; i < key.constantCount; ++i)
    if (int same = sameConstant(held[i].ptr(), key.constants[i]); same != 1)
      return same;
  return 1;
}

const KernelTable::Entry *KernelTable::lookUp(const CallKey &key) const {
  uint64_t hash = 0;
  if (!hashOf(key, hash))
    return nullptr;
  // Comparisons may run Python, which may add variants. That invalidates
  // iterators, but entries keep their addresses.
  std::vector<const Entry *> candidates;
  auto [begin, end] = entries->equal_range(hash);
  for (auto at = begin; at != end; ++at)
    if (hasArguments(at->second, key) &&
        at->second.constants.size() == key.constantCount)
      candidates.push_back(&at->second);
  for (const Entry *entry : candidates) {
    const int same = sameConstants(entry->constants, key);
    if (same < 0)
      return nullptr;
    if (same > 0 && entry->variant.guards.hold())
      return entry;
  }
  return nullptr;
}

const KernelVariant &KernelTable::insert(const CallKey &key,
                                         KernelVariant variant) {
  if (const Entry *present = lookUp(key)) {
    auto &entry = const_cast<Entry &>(*present);
    entry.variant = std::move(variant);
    return entry.variant;
  }
  uint64_t hash = 0;
  if (PyErr_Occurred() || !hashOf(key, hash))
    throw py::error_already_set();
  Entry entry;
  entry.device = key.device;
  entry.arguments.assign(key.arguments, key.arguments + key.argumentCount);
  for (size_t i = 0; i < key.constantCount; ++i)
    entry.constants.push_back(
        py::reinterpret_borrow<py::object>(key.constants[i]));
  entry.variant = std::move(variant);
  return entries->emplace(hash, std::move(entry))->second.variant;
}

} // namespace tilewright::python
