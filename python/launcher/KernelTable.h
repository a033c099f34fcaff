// The compiled variants of one kernel, found by what its arguments look like.
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
  /// Ready to launch; null where it was only compiled.
  pybind11::object loadedOwner;
  const LoadedKernel *loaded = nullptr;
};

/// One variant.
struct KernelVariant : ReadyKernel {
  /// For calls that this kernel can not be launched for: one that is compiled
  /// without what is known of its arguments' alignment. Null until there is
  /// one.
  mutable pybind11::object plainOwner;
  /// For each parameter, whether the kernel writes through it.
  std::vector<bool> written;
  /// Launches pass where arrays begin and end, behind the arguments.
  bool takesExtents = false;
  /// What it assumes of Python. A check may find equal objects in the place of
  /// those that it knows.
  mutable Guards guards;
};

/// Equal and of one type: 1, 1.0 and True compile to different code. Negative,
/// with a Python error set, where the comparison fails.
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

  /// The variant for the key whose guards hold. Null if there is none; then a
  /// Python error may be set, for compile-time values without hash and for a
  /// comparison of them that failed.
  const KernelVariant *find(const CallKey &key) const {
    const Entry *entry = lookUp(key);
    return entry ? &entry->variant : nullptr;
  }

  /// Adds the variant, or replaces the one that `find` gives. Throws where a
  /// compile-time value has no hash.
  const KernelVariant &insert(const CallKey &key, KernelVariant variant);

  size_t size() const { return entries->size(); }
  /// Forgets all variants. Those that calls use stay until these are done.
  void clear() { entries.clear(); }

  /// A call that uses variants: while there is one, none is destroyed.
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
  /// Comparisons of compile-time values and kernels on the CPU let others run,
  /// which may clear it.
  Entries entries;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_KERNELTABLE_H
