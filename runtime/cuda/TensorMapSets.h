// The tensor maps of whole launches: one lookup, by the parameters that the
// maps depend on, finds all maps of a recipe.
#ifndef TILEWRIGHT_RUNTIME_CUDA_TENSORMAPSETS_H
#define TILEWRIGHT_RUNTIME_CUDA_TENSORMAPSETS_H

#include "runtime/cuda/LaunchRecipe.h"

#include <mutex>

namespace tilewright::runtime::cuda {

class TensorMapSets {
public:
  explicit TensorMapSets(const LaunchRecipe &recipe);

  /// Copies the maps for these parameters into `maps`; returns false if they
  /// are unknown. `parameters[i]` points to the i-th one, in 8 bytes.
  bool find(void *const *parameters, TensorMap *maps);

  /// Keeps the maps for these parameters.
  void keep(void *const *parameters, const TensorMap *maps);

private:
  struct Entry {
    std::vector<uint64_t> values;
    std::vector<TensorMap> maps;
  };
  // As many as the launches of one kernel, each with its own arrays, in a
  // model. After a collision, the maps are found one by one.
  static constexpr size_t kEntries = 64;

  using Values = uint64_t[LaunchRecipe::kMaxParameters];
  void gather(void *const *parameters, Values &values) const;
  bool isFor(const Entry &entry, const Values &values) const;
  size_t slotOf(const Values &values) const;

  /// The parameters that the maps depend on.
  std::vector<uint16_t> used;
  const size_t mapCount;
  std::mutex mutex;
  std::vector<Entry> entries;
  /// The entry found last, which is usually found again.
  size_t last = 0;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_TENSORMAPSETS_H
