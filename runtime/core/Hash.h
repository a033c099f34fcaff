// SHA-256 (FIPS 180-4), for the keys of the disk cache. No system library for
// it exists on every Linux machine.
#ifndef TILEWRIGHT_RUNTIME_CORE_HASH_H
#define TILEWRIGHT_RUNTIME_CORE_HASH_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tilewright::runtime {

using Digest = std::array<uint8_t, 32>;

/// Computes the hash of a message from successive pieces.
class Sha256 {
public:
  Sha256 &update(const void *data, size_t size);
  Sha256 &update(std::string_view bytes) {
    return update(bytes.data(), bytes.size());
  }
  /// Returns the digest of the message. The object must not be used afterwards.
  Digest finish();

private:
  void compress(const uint8_t *blocks, size_t count);

  std::array<uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                   0xa54ff53a, 0x510e527f, 0x9b05688c,
                                   0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending{};
  uint64_t length = 0;
};

Digest sha256(std::string_view bytes);

/// Lower-case hexadecimal, two characters per byte.
std::string toHex(const Digest &digest);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_HASH_H
