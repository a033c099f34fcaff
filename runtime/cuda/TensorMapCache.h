// A cache of tensor maps. The driver takes about as long to make one as for a
// launch, and most launches use the same arrays again.
#ifndef TILEWRIGHT_RUNTIME_CUDA_TENSORMAPCACHE_H
#define TILEWRIGHT_RUNTIME_CUDA_TENSORMAPCACHE_H

#include "runtime/cuda/LaunchRecipe.h"

#include <mutex>

namespace tilewright::runtime::cuda {

class TensorMapCache {
public:
  /// Copies the map of `view` into `map`; makes it if it is missing.
  Status get(const Driver &driver, const TensorMapRecipe &recipe,
             const ArrayView &view, TensorMap &map);

private:
  struct Entry {
    bool isUsed = false;
    ArrayView view;
    TensorMap map;
  };
  // Enough for the arrays of one kernel in a model. A collision only costs the
  // time to make the map again.
  static constexpr size_t kEntries = 64;

  std::mutex mutex;
  std::vector<Entry> entries;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_TENSORMAPCACHE_H
