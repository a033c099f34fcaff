// Collections that are cleared while calls use what is in them.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_CLEARABLE_H
#define TILEWRIGHT_PYTHON_LAUNCHER_CLEARABLE_H

#include <cstddef>
#include <utility>
#include <vector>

namespace tilewright::python {

/// A collection whose elements stay where they are when it is moved. What a
/// call looks at may run Python or wait, and others clear the collection then.
template <typename Collection> class Clearable {
public:
  Collection &operator*() { return current; }
  const Collection &operator*() const { return current; }
  Collection *operator->() { return &current; }
  const Collection *operator->() const { return &current; }

  /// What is in it goes away with its last use.
  void clear() {
    Collection gone;
    std::swap(gone, current);
    if (uses)
      cleared.push_back(std::move(gone));
  }

  bool isUsed() const { return uses != 0; }

  /// While it lives nothing that is in the collection is destroyed.
  class Use {
  public:
    explicit Use(Clearable &used) : used(used) { ++used.uses; }
    ~Use() {
      if (--used.uses == 0 && !used.cleared.empty())
        used.destroyCleared();
    }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    Clearable &used;
  };

private:
  /// Objects that are destroyed may run Python, which may clear more.
  void destroyCleared() { std::exchange(cleared, {}); }

  Collection current;
  std::vector<Collection> cleared;
  std::size_t uses = 0;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_CLEARABLE_H
