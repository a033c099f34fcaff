#include "runtime/core/CacheEntry.h"

#include "runtime/core/Checksum.h"

#include <cstdint>

namespace tilewright::runtime {

static constexpr std::string_view kMagic = "TWCACHE\n";
static constexpr uint32_t kFormatVersion = 2;
static constexpr size_t kHeaderSize = 56;

template <typename Integer>
static void appendInteger(std::string &out, Integer value) {
  for (size_t i = 0; i < sizeof(Integer); ++i)
    out.push_back(static_cast<char>(value >> (8 * i)));
}

static void appendString(std::string &out, std::string_view text) {
  appendInteger<uint32_t>(out, static_cast<uint32_t>(text.size()));
  out.append(text);
}

namespace {
/// Reads fields from the front of a buffer. After one failure every read fails.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  template <typename Integer> Integer integer() {
    std::string_view field = take(sizeof(Integer));
    Integer value = 0;
    for (size_t i = 0; i < field.size(); ++i)
      value |= static_cast<Integer>(static_cast<uint8_t>(field[i])) << (8 * i);
    return value;
  }

  std::string_view take(uint64_t size) {
    if (size > rest.size()) {
      good = false;
      rest = {};
      return {};
    }
    std::string_view field = rest.substr(0, size);
    rest.remove_prefix(size);
    return field;
  }

  std::string_view string() { return take(integer<uint32_t>()); }

  bool ok() const { return good; }
  bool atEnd() const { return good && rest.empty(); }
  std::string_view remaining() const { return rest; }

private:
  std::string_view rest;
  bool good = true;
};
} // namespace

std::string encodeCacheEntry(std::string_view key, const CacheEntry &entry) {
  std::string payload;
  appendString(payload, key);
  appendInteger<uint32_t>(payload, static_cast<uint32_t>(entry.size()));
  for (const Blob &blob : entry) {
    appendString(payload, blob.name);
    appendInteger<uint64_t>(payload, blob.bytes.size());
  }
  for (const Blob &blob : entry)
    payload += blob.bytes;

  std::string file(kMagic);
  appendInteger<uint32_t>(file, kFormatVersion);
  appendInteger<uint32_t>(file, 0);
  appendInteger<uint64_t>(file, payload.size());
  for (uint64_t sum : checksum(payload))
    appendInteger(file, sum);
  return file + payload;
}

/// Returns the payload of a file whose header and checksum are valid.
static std::optional<std::string_view> checkedPayload(std::string_view file) {
  if (file.size() < kHeaderSize)
    return std::nullopt;
  Reader header(file);
  const bool known = header.take(kMagic.size()) == kMagic &&
                     header.integer<uint32_t>() == kFormatVersion &&
                     header.integer<uint32_t>() == 0;
  const uint64_t size = header.integer<uint64_t>();
  Checksum stored;
  for (uint64_t &sum : stored)
    sum = header.integer<uint64_t>();
  std::string_view payload = header.remaining();
  if (!known || payload.size() != size || checksum(payload) != stored)
    return std::nullopt;
  return payload;
}

std::optional<CacheEntry> decodeCacheEntry(std::string_view key,
                                           std::string_view file) {
  std::optional<std::string_view> payload = checkedPayload(file);
  if (!payload)
    return std::nullopt;
  Reader reader(*payload);
  if (reader.string() != key)
    return std::nullopt;
  CacheEntry entry;
  std::vector<uint64_t> sizes;
  for (uint32_t n = reader.integer<uint32_t>(); n && reader.ok(); --n) {
    entry.push_back({std::string(reader.string()), {}});
    sizes.push_back(reader.integer<uint64_t>());
  }
  for (size_t i = 0; i < entry.size(); ++i)
    entry[i].bytes = std::string(reader.take(sizes[i]));
  if (!reader.atEnd())
    return std::nullopt;
  return entry;
}

} // namespace tilewright::runtime
