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
// The payload contains the key, so a file under another key's name is damaged.
// The checksum detects accidental damage. It does not detect forgery: the only
// protection is the directory, to which nobody else may write.
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

/// Encodes the blobs as the content of a file.
std::string encodeCacheEntry(std::string_view key, const CacheEntry &entry);

/// Decodes the blobs of a file; returns nothing if any byte has changed.
std::optional<CacheEntry> decodeCacheEntry(std::string_view key,
                                           std::string_view file);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_CACHEENTRY_H
