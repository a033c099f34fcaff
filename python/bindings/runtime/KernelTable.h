// The compiled variants of one kernel, found by what its arguments look like.
#ifndef TILEWRIGHT_PYTHON_RUNTIME_KERNELTABLE_H
#define TILEWRIGHT_PYTHON_RUNTIME_KERNELTABLE_H

#include "python/bindings/runtime/Call.h"
#include "python/bindings/runtime/LoadedKernel.h"

#include <unordered_map>

namespace tilewright::python {

/// One variant.
struct KernelVariant {
  /// The Python object that describes it.
  pybind11::object compiled;
  /// Ready to launch; null where it was only compiled.
  pybind11::object loadedOwner;
  const LoadedKernel *loaded = nullptr;
  /// For calls that this kernel can not be launched for: one that is compiled
  /// without what is known of its arguments' alignment. Null until there is
  /// one.
  mutable pybind11::object plainOwner;
  /// For each parameter, whether the kernel writes through it.
  std::vector<bool> written;
  /// Launches pass where arrays begin and end, behind the arguments.
  bool takesExtents = false;
};

/// Types, hints and device of a call as bytes, and its compile-time values as
/// borrowed references.
struct CallKey {
  uint8_t bytes[2 * kMaxParameters + 2];
  size_t byteCount = 0;
  PyObject *constants[kMaxParameters + kMaxOptions];
  size_t constantCount = 0;
  uint64_t hash = 0;
};

/// False with a Python error set for a compile-time value without hash.
bool makeKey(const Signature &signature, const Call &call, CallKey &key);

class KernelTable {
public:
  /// Null if there is none; then a Python error may be set, by a comparison of
  /// compile-time values that failed.
  const KernelVariant *find(const CallKey &key) const;

  /// Adds the variant, or replaces the one under this key.
  const KernelVariant &insert(const CallKey &key, KernelVariant variant);

  size_t size() const { return entries.size(); }
  void clear() { entries.clear(); }

private:
  struct Entry {
    std::string bytes;
    std::vector<pybind11::object> constants;
    KernelVariant variant;
  };

  const Entry *lookUp(const CallKey &key) const;

  std::unordered_multimap<uint64_t, Entry> entries;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_RUNTIME_KERNELTABLE_H
