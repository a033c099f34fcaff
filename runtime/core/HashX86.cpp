#include "runtime/core/HashBlocks.h"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

namespace tilewright::runtime {

#define TILEWRIGHT_SHA __attribute__((target("sha,sse4.1")))

/// Four rounds. The instruction takes the words A, B, E, F of the state and
/// returns them two rounds later as C, D, G, H.
TILEWRIGHT_SHA static inline void rounds(__m128i &abef, __m128i &cdgh,
                                         __m128i schedule, int first) {
  const __m128i sum =
      _mm_add_epi32(schedule, _mm_loadu_si128(reinterpret_cast<const __m128i *>(
                                  kHashRoundConstants + first)));
  cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
  abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
}

/// Returns the next four words of the message schedule from the previous
/// sixteen.
TILEWRIGHT_SHA static inline __m128i extend(__m128i w0, __m128i w4, __m128i w8,
                                            __m128i w12) {
  const __m128i sum =
      _mm_add_epi32(_mm_sha256msg1_epu32(w0, w4), _mm_alignr_epi8(w12, w8, 4));
  return _mm_sha256msg2_epu32(sum, w12);
}

TILEWRIGHT_SHA static inline __m128i loadWords(const uint8_t *bytes) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  return _mm_shuffle_epi8(
      _mm_loadu_si128(reinterpret_cast<const __m128i *>(bytes)), swap);
}

TILEWRIGHT_SHA static void compress(HashState &state, const uint8_t *blocks,
                                    size_t count) {
  const auto word = [&](int i) { return static_cast<int>(state[i]); };
  __m128i abef = _mm_set_epi32(word(0), word(1), word(4), word(5));
  __m128i cdgh = _mm_set_epi32(word(2), word(3), word(6), word(7));
  for (; count; --count, blocks += 64) {
    const __m128i abefBefore = abef, cdghBefore = cdgh;
    __m128i w[4];
    for (int i = 0; i < 4; ++i) {
      w[i] = loadWords(blocks + 16 * i);
      rounds(abef, cdgh, w[i], 4 * i);
    }
    for (int first = 16; first < 64; first += 16)
      for (int i = 0; i < 4; ++i) {
        w[i] = extend(w[i], w[(i + 1) & 3], w[(i + 2) & 3], w[(i + 3) & 3]);
        rounds(abef, cdgh, w[i], first + 4 * i);
      }
    abef = _mm_add_epi32(abef, abefBefore);
    cdgh = _mm_add_epi32(cdgh, cdghBefore);
  }
  alignas(16) uint32_t low[4], high[4];
  _mm_store_si128(reinterpret_cast<__m128i *>(low), abef);
  _mm_store_si128(reinterpret_cast<__m128i *>(high), cdgh);
  state = {low[3], low[2], high[3], high[2], low[1], low[0], high[1], high[0]};
}

CompressBlocks compressByInstructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kSha = 1u << 29, kSse41 = 1u << 19;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & kSha))
    return nullptr;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & kSse41) ? compress : nullptr;
}

} // namespace tilewright::runtime

#else

tilewright::runtime::CompressBlocks
tilewright::runtime::compressByInstructions() {
  return nullptr;
}

#endif
