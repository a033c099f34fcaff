// One entry of the disk cache: several named blobs (PTX, cubin, metadata,
// object) in one file, so that they appear and vanish together.
//
//   offset  bytes  field (integers little-endian)
//        0      8  magic "TWCACHE\n"
//        8      4  version of this format
//       12      4  zero
//       16      8  size of the payload
//       24     32  checksum of the payload
//       56         payload: key, number of blobs, their names and sizes, bytes
//
// The key stands in the payload, so a file under another key's name is damage.
// The checksum finds what went wrong by itself. Who wants to deceive could
// write any checksum: the cache has no other guard than its directory, which
// nobody else may write to.
#ifndef TILEWRIGHT_RUNTIME_CORE_CACHEENTRY_H
#define TILEWRIGHT_RUNTIME_CORE_CACHEENTRY_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

struct Blob {
  std::string name;
  std::string bytes;
};

using CacheEntry = std::vector<Blob>;

/// The file's content for these blobs.
std::string encodeCacheEntry(std::string_view key, const CacheEntry &entry);

/// The blobs of a file, or nothing if any byte of it is not as written.
std::optional<CacheEntry> decodeCacheEntry(std::string_view key,
                                           std::string_view file);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_CACHEENTRY_H
