#include "runtime/capi/Guard.h"
#include "runtime/core/Cache.h"
#include "runtime/core/CacheDirectory.h"
#include "runtime/core/Environment.h"
#include "runtime/core/Hash.h"

#include <cstring>

using namespace tilewright::runtime;
using namespace tilewright::runtime::capi;

struct tw_cache {
  Cache cache;
};

struct tw_cache_entry {
  CacheEntry blobs;
};

const char *tw_last_error(void) { return lastError().message().c_str(); }

void tw_sha256(const void *data, size_t size, char hex[65]) {
  const std::string text = toHex(Sha256().update(data, size).finish());
  std::memcpy(hex, text.c_str(), text.size() + 1);
}

static Result<Cache> openCache(const char *directory, uint64_t maxBytes) {
  Result<std::string> path =
      directory ? Result<std::string>(directory) : defaultCacheDirectory();
  if (!path.ok())
    return path.status();
  Result<uint64_t> bound = maxBytes ? Result<uint64_t>(maxBytes)
                                    : environmentCount("TILEWRIGHT_CACHE_SIZE",
                                                       Cache::kDefaultMaxBytes);
  if (!bound.ok())
    return bound.status();
  return Cache::open(std::move(*path), *bound);
}

tw_status tw_cache_open(const char *directory, uint64_t max_bytes,
                        tw_cache **cache) {
  return guarded([&]() -> Status {
    Result<Cache> opened = openCache(directory, max_bytes);
    if (!opened.ok())
      return opened.status();
    *cache = new tw_cache{std::move(*opened)};
    return Status::success();
  });
}

void tw_cache_close(tw_cache *cache) { delete cache; }

const char *tw_cache_directory(const tw_cache *cache) {
  return cache->cache.directory().c_str();
}

uint64_t tw_cache_max_bytes(const tw_cache *cache) {
  return cache->cache.maxBytes();
}

tw_cache_entry *tw_cache_get(const tw_cache *cache, const char *key) {
  tw_cache_entry *entry = nullptr;
  (void)guarded([&] {
    if (std::optional<CacheEntry> found = cache->cache.get(key))
      entry = new tw_cache_entry{std::move(*found)};
    return Status::success();
  });
  return entry;
}

tw_cache_entry *tw_cache_peek(const tw_cache *cache, const char *key) {
  tw_cache_entry *entry = nullptr;
  (void)guarded([&] {
    if (std::optional<CacheEntry> found = cache->cache.peek(key))
      entry = new tw_cache_entry{std::move(*found)};
    return Status::success();
  });
  return entry;
}

size_t tw_cache_entry_size(const tw_cache_entry *entry) {
  return entry->blobs.size();
}

tw_blob tw_cache_entry_blob(const tw_cache_entry *entry, size_t i) {
  const Blob &blob = entry->blobs[i];
  return {blob.name.c_str(), blob.bytes.data(), blob.bytes.size()};
}

void tw_cache_entry_free(tw_cache_entry *entry) { delete entry; }

tw_status tw_cache_put(const tw_cache *cache, const char *key,
                       const tw_blob *blobs, size_t count) {
  return guarded([&] {
    CacheEntry entry;
    for (size_t i = 0; i < count; ++i)
      entry.push_back(
          {blobs[i].name, std::string(static_cast<const char *>(blobs[i].data),
                                      blobs[i].size)});
    return cache->cache.put(key, entry);
  });
}

tw_status tw_cache_usage(const tw_cache *cache, uint64_t *entries,
                         uint64_t *bytes) {
  return guarded([&]() -> Status {
    Result<CacheUsage> usage = cache->cache.usage();
    if (!usage.ok())
      return usage.status();
    *entries = usage->entries;
    *bytes = usage->bytes;
    return Status::success();
  });
}

tw_status tw_cache_remove(const tw_cache *cache, const char *key) {
  return guarded([&] { return cache->cache.remove(key); });
}

tw_status tw_cache_clear(const tw_cache *cache) {
  return guarded([&] { return cache->cache.clear(); });
}

tw_status tw_cache_prune(const tw_cache *cache, uint64_t bytes) {
  return guarded([&] { return cache->cache.prune(bytes); });
}

tw_status tw_cache_list(const tw_cache *cache,
                        void (*visit)(void *user, const char *key,
                                      uint64_t bytes, int64_t used),
                        void *user) {
  return guarded([&]() -> Status {
    Result<std::vector<CacheItem>> items = cache->cache.list();
    if (!items.ok())
      return items.status();
    for (const CacheItem &item : *items)
      visit(user, item.key.c_str(), item.bytes, item.used);
    return Status::success();
  });
}
