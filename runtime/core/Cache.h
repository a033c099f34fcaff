// The disk cache: content-addressed, shared by any number of processes, bounded
// in size. Its loss costs only compile time, so every failure is a status that
// a compiler may ignore.
#ifndef TILEWRIGHT_RUNTIME_CORE_CACHE_H
#define TILEWRIGHT_RUNTIME_CORE_CACHE_H

#include "runtime/core/CacheEntry.h"
#include "runtime/core/File.h"
#include "runtime/core/Status.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::runtime {

struct CacheUsage {
  uint64_t entries = 0;
  uint64_t bytes = 0;
};

struct CacheItem {
  std::string key;
  uint64_t bytes = 0;
  /// Time of the store or of the last hit, in seconds since 1970.
  int64_t used = 0;
};

class Cache {
public:
  static constexpr uint64_t kDefaultMaxBytes = uint64_t(2) << 30;

  /// Opens the cache in `directory`, created if missing, that holds at most
  /// `maxBytes`. Fails if the directory cannot be created or trusted.
  static Result<Cache> open(std::string directory, uint64_t maxBytes);

  /// Same, with directory and bound from the environment.
  static Result<Cache> openDefault();

  /// Returns the entry under `key`, or nothing. Removes a damaged entry and
  /// returns nothing. Leaves an unreadable one and returns nothing. A hit makes
  /// the entry the most recently used one.
  std::optional<CacheEntry> get(const std::string &key) const;

  /// Returns the entry under `key`, or nothing, without any change.
  std::optional<CacheEntry> peek(const std::string &key) const;

  /// Returns the entries, the least recently used first.
  Result<std::vector<CacheItem>> list() const;

  /// Removes the least recently used entries until at most `bytes` are left.
  /// Also removes the temporary files of killed writers.
  Status prune(uint64_t bytes) const;

  /// Stores the entry: readers see all of it or none. Then, if the bound may be
  /// exceeded, removes the least recently used entries until it holds. Each of
  /// several concurrent processes may add a 64th of the bound before it notices
  /// the others. `key` is 1 to 128 letters, digits, '-' and '_'.
  Status put(const std::string &key, const CacheEntry &entry) const;

  Result<CacheUsage> usage() const;

  /// Removes the entry under `key`, if there is one.
  Status remove(const std::string &key) const;

  /// Removes every entry.
  Status clear() const;

  const std::string &directory() const { return path; }
  uint64_t maxBytes() const { return bound; }

private:
  Cache(std::string path, uint64_t bound)
      : path(std::move(path)), bound(bound) {}

  Status evict(int directoryFd, const std::string &keep, uint64_t most,
               uint64_t target) const;

  std::string path;
  uint64_t bound;
  /// Bytes that may be stored before the next read of the directory, which
  /// takes time proportional to its size.
  std::unique_ptr<std::atomic<int64_t>> room =
      std::make_unique<std::atomic<int64_t>>(0);
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_CACHE_H
