#include "runtime/core/Hash.h"

#include "runtime/core/HashBlocks.h"

#include <algorithm>
#include <cstring>

namespace tilewright::runtime {

const uint32_t kHashRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotateRight(uint32_t x, unsigned n) {
  return (x >> n) | (x << (32 - n));
}

static uint32_t loadBigEndian(const uint8_t *p) {
  return uint32_t(p[0]) << 24 | uint32_t(p[1]) << 16 | uint32_t(p[2]) << 8 |
         uint32_t(p[3]);
}

/// The message schedule W of one block.
static void expand(const uint8_t *block, uint32_t (&w)[64]) {
  for (int t = 0; t < 16; ++t)
    w[t] = loadBigEndian(block + 4 * t);
  for (int t = 16; t < 64; ++t) {
    uint32_t s0 = rotateRight(w[t - 15], 7) ^ rotateRight(w[t - 15], 18) ^
                  (w[t - 15] >> 3);
    uint32_t s1 = rotateRight(w[t - 2], 17) ^ rotateRight(w[t - 2], 19) ^
                  (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
}

static void compressBlock(HashState &state, const uint8_t *block) {
  uint32_t w[64];
  expand(block, w);
  auto [a, b, c, d, e, f, g, h] = state;
  for (int t = 0; t < 64; ++t) {
    uint32_t sum1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    uint32_t choice = (e & f) ^ (~e & g);
    uint32_t t1 = h + sum1 + choice + kHashRoundConstants[t] + w[t];
    uint32_t sum0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + sum0 + majority;
  }
  const uint32_t worked[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i)
    state[i] += worked[i];
}

void compressPortably(HashState &state, const uint8_t *blocks, size_t count) {
  for (size_t i = 0; i < count; ++i)
    compressBlock(state, blocks + 64 * i);
}

void Sha256::compress(const uint8_t *blocks, size_t count) {
  static const CompressBlocks fast = compressByInstructions();
  (fast ? fast : compressPortably)(state, blocks, count);
}

Sha256 &Sha256::update(const void *data, size_t size) {
  auto *bytes = static_cast<const uint8_t *>(data);
  size_t used = length % pending.size();
  length += size;
  while (size) {
    if (const size_t whole = size / pending.size(); used == 0 && whole) {
      compress(bytes, whole);
      bytes += whole * pending.size();
      size -= whole * pending.size();
      continue;
    }
    size_t taken = std::min(size, pending.size() - used);
    std::memcpy(pending.data() + used, bytes, taken);
    bytes += taken;
    size -= taken;
    used = (used + taken) % pending.size();
    if (used == 0)
      compress(pending.data(), 1);
  }
  return *this;
}

Digest Sha256::finish() {
  const uint64_t bits = length * 8;
  static constexpr uint8_t kPadding[64] = {0x80};
  size_t used = length % 64;
  // One to 64 bytes of padding, so that the eight bytes of the length end a
  // block.
  update(kPadding, used < 56 ? 56 - used : 120 - used);
  uint8_t tail[8];
  for (int i = 0; i < 8; ++i)
    tail[i] = uint8_t(bits >> (56 - 8 * i));
  update(tail, sizeof(tail));
  Digest digest;
  for (int i = 0; i < 32; ++i)
    digest[i] = uint8_t(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Digest sha256(std::string_view bytes) {
  return Sha256().update(bytes).finish();
}

std::string toHex(const Digest &digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (uint8_t byte : digest) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

} // namespace tilewright::runtime
