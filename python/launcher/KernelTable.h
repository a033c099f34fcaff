// The compiled variants of one kernel, found by properties of its arguments.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_KERNELTABLE_H
#define TILEWRIGHT_PYTHON_LAUNCHER_KERNELTABLE_H

#include "python/launcher/Call.h"
#include "python/launcher/Clearable.h"
#include "python/launcher/Guards.h"
#include "python/launcher/LoadedKernel.h"

#include <unordered_map>
#include <vector>

namespace tilewright::python {

/// A compiled kernel.
struct ReadyKernel {
  /// The Python object that describes it.
  pybind11::object compiled;
  /// Ready for launches; null if it was only compiled.
  pybind11::object loadedOwner;
  const LoadedKernel *loaded = nullptr;
};

/// One variant.
struct KernelVariant : ReadyKernel {
  /// A variant compiled without assumptions on the alignment of arguments, for
  /// calls that this kernel cannot be launched for. Null until it is needed.
  mutable pybind11::object plainOwner;
  /// For each parameter, whether the kernel writes through it.
  std::vector<bool> written;
  /// Launches pass the bounds of arrays after the arguments.
  bool takesExtents = false;
  /// Its assumptions about Python objects. A check may replace expected objects
  /// by equal ones.
  mutable Guards guards;
};

/// Whether the values are equal and of one type: 1, 1.0 and True compile to
/// different code. Negative, with a Python error set, if the comparison fails.
int sameConstant(PyObject *left, PyObject *right);

class KernelTable {
  struct Entry {
    Device device;
    std::vector<ArgumentKey> arguments;
    std::vector<pybind11::object> constants;
    KernelVariant variant;
  };
  using Entries = Clearable<std::unordered_multimap<uint64_t, Entry>>;

public:
  explicit KernelTable(const Signature &signature) : signature(signature) {}

  /// Returns the variant for the key whose guards hold, or null. With null a
  /// Python error may be set: for compile-time values without a hash, and for a
  /// failed comparison.
  const KernelVariant *find(const CallKey &key) const {
    const Entry *entry = lookUp(key);
    return entry ? &entry->variant : nullptr;
  }

  /// Adds the variant, or replaces the one that `find` returns. Throws if a
  /// compile-time value has no hash.
  const KernelVariant &insert(const CallKey &key, KernelVariant variant);

  size_t size() const { return entries->size(); }
  /// Removes all variants. Those in use by calls live until the calls end.
  void clear() { entries.clear(); }

  /// A call that uses variants: during its lifetime none is destroyed.
  class Use : Entries::Use {
  public:
    explicit Use(KernelTable &table) : Entries::Use(table.entries) {}
  };

private:
  static bool hasArguments(const Entry &entry, const CallKey &key);
  bool hashOf(const CallKey &key, uint64_t &hash) const;
  bool hashConstant(const CallKey &key, size_t index, uint64_t &hash) const;
  const Entry *lookUp(const CallKey &key) const;

  const Signature &signature;
  /// Comparisons of compile-time values and CPU kernels let other threads run,
  /// which may clear it.
  Entries entries;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_KERNELTABLE_H
