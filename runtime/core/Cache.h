// The disk cache: content-addressed, shared by any number of processes,
// bounded in size. Losing it costs compile time and nothing else, so every
// failure is a status that a compiler may ignore.
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
  /// Seconds since 1970 at which it was stored or last found.
  int64_t used = 0;
};

class Cache {
public:
  static constexpr uint64_t kDefaultMaxBytes = uint64_t(2) << 30;

  /// A cache in `directory` (created when missing) that holds at most
  /// `maxBytes`. Fails when the directory cannot be made or trusted.
  static Result<Cache> open(std::string directory, uint64_t maxBytes);

  /// The same, with directory and bound from the environment.
  static Result<Cache> openDefault();

  /// The entry under `key`, or nothing. A damaged entry is removed and is
  /// nothing; one that cannot be read is nothing and stays. A hit makes the
  /// entry the most recently used one.
  std::optional<CacheEntry> get(const std::string &key) const;

  /// The entry under `key`, or nothing, leaving everything as it is.
  std::optional<CacheEntry> peek(const std::string &key) const;

  /// What is stored, the least recently used entry first.
  Result<std::vector<CacheItem>> list() const;

  /// Removes the least recently used entries until at most `bytes` are left,
  /// and what killed writers left behind.
  Status prune(uint64_t bytes) const;

  /// Stores the entry: readers see all of it or none. Then, where the bound may
  /// have been passed, removes the least recently used entries until it holds.
  /// Each of several processes that store at once may add a 64th of the bound
  /// before it sees what the others do.
  /// `key` is 1 to 128 letters, digits, '-' and '_'.
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
  /// Bytes that may be stored before the directory is looked at again, which
  /// takes the longer the more there is in it.
  std::unique_ptr<std::atomic<int64_t>> room =
      std::make_unique<std::atomic<int64_t>>(0);
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_CACHE_H
