#include "runtime/cuda/TensorMapSets.h"

#include <algorithm>
#include <cstring>

namespace tilewright::runtime::cuda {

TensorMapSets::TensorMapSets(const LaunchRecipe &recipe)
    : mapCount(recipe.maps.size()), entries(mapCount ? kEntries : 0) {
  std::vector<bool> isUsed(recipe.numParameters, false);
  for (const TensorMapRecipe &map : recipe.maps)
    map.markParameters(isUsed);
  for (size_t i = 0; i < isUsed.size(); ++i)
    if (isUsed[i])
      used.push_back(static_cast<uint16_t>(i));
}

void TensorMapSets::gather(void *const *parameters, Values &values) const {
  for (size_t i = 0; i < used.size(); ++i)
    values[i] = *static_cast<const uint64_t *>(parameters[used[i]]);
}

bool TensorMapSets::isFor(const Entry &entry, const Values &values) const {
  return !entry.maps.empty() &&
         std::memcmp(entry.values.data(), values,
                     used.size() * sizeof(uint64_t)) == 0;
}

size_t TensorMapSets::slotOf(const Values &values) const {
  constexpr uint64_t kOddConstant = 0x9e3779b97f4a7c15;
  uint64_t hash = 0;
  for (size_t i = 0; i < used.size(); ++i) {
    hash = (hash ^ values[i]) * kOddConstant;
    hash ^= hash >> 29;
  }
  return hash % kEntries;
}

bool TensorMapSets::find(void *const *parameters, TensorMap *maps) {
  if (entries.empty())
    return true;
  Values values;
  gather(parameters, values);
  std::lock_guard<std::mutex> lock(mutex);
  if (!isFor(entries[last], values)) {
    const size_t slot = slotOf(values);
    if (!isFor(entries[slot], values))
      return false;
    last = slot;
  }
  std::copy(entries[last].maps.begin(), entries[last].maps.end(), maps);
  return true;
}

void TensorMapSets::keep(void *const *parameters, const TensorMap *maps) {
  Values values;
  gather(parameters, values);
  std::lock_guard<std::mutex> lock(mutex);
  last = slotOf(values);
  entries[last].values.assign(values, values + used.size());
  entries[last].maps.assign(maps, maps + mapCount);
}

} // namespace tilewright::runtime::cuda
