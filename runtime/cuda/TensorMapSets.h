// The tensor maps of whole launches: all maps that a recipe makes are found at
// once, by the values that they are made of.
#ifndef TILEWRIGHT_RUNTIME_CUDA_TENSORMAPSETS_H
#define TILEWRIGHT_RUNTIME_CUDA_TENSORMAPSETS_H

#include "runtime/cuda/LaunchRecipe.h"

#include <mutex>

namespace tilewright::runtime::cuda {

class TensorMapSets {
public:
  explicit TensorMapSets(const LaunchRecipe &recipe);

  /// Copies the maps for these parameters into `maps`; false where they are not
  /// known. `parameters[i]` points to the i-th one, in 8 bytes.
  bool find(void *const *parameters, TensorMap *maps);

  /// Keeps the maps for these parameters.
  void keep(void *const *parameters, const TensorMap *maps);

private:
  struct Entry {
    std::vector<uint64_t> values;
    std::vector<TensorMap> maps;
  };
  // As many launches of one kernel as a model makes, with arrays of their own.
  // Where two share an entry, their maps are found one by one.
  static constexpr size_t kEntries = 64;

  using Values = uint64_t[LaunchRecipe::kMaxParameters];
  void gather(void *const *parameters, Values &values) const;
  bool isFor(const Entry &entry, const Values &values) const;
  size_t placeOf(const Values &values) const;

  /// The parameters that maps are made of.
  std::vector<uint16_t> used;
  const size_t mapCount;
  std::mutex mutex;
  std::vector<Entry> entries;
  /// The one that was found last, which is mostly found again.
  size_t last = 0;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_TENSORMAPSETS_H
