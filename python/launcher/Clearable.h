// Collections that may be cleared while calls use their elements.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_CLEARABLE_H
#define TILEWRIGHT_PYTHON_LAUNCHER_CLEARABLE_H

#include <cstddef>
#include <utility>
#include <vector>

namespace tilewright::python {

/// A collection whose elements keep their addresses when it is moved. A call
/// that uses an element may run Python or wait, and meanwhile others may clear
/// the collection.
template <typename Collection> class Clearable {
public:
  Collection &operator*() { return current; }
  const Collection &operator*() const { return current; }
  Collection *operator->() { return &current; }
  const Collection *operator->() const { return &current; }

  /// Elements are destroyed after their last use.
  void clear() {
    Collection gone;
    std::swap(gone, current);
    if (uses)
      cleared.push_back(std::move(gone));
  }

  bool isUsed() const { return uses != 0; }

  /// During its lifetime no element of the collection is destroyed.
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
  /// Destructors may run Python, which may clear more.
  void destroyCleared() { std::exchange(cleared, {}); }

  Collection current;
  std::vector<Collection> cleared;
  std::size_t uses = 0;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_CLEARABLE_H
