#include "runtime/core/Checksum.h"

#include <cstring>

namespace tilewright::runtime {

using Words = std::array<uint64_t, 4>;

/// Adds a word to a sum. Invertible in both, so no difference gets lost. A
/// multiplication does not propagate high bits downwards. So a shift moves them
/// down, and the second multiplication spreads them.
static uint64_t add(uint64_t sum, uint64_t word) {
  constexpr uint64_t kFactors[] = {0xd1342543de82ef95, 0x9fb21c651e98df25};
  uint64_t mixed = (sum ^ word) * kFactors[0];
  mixed = (mixed ^ mixed >> 32) * kFactors[1];
  return mixed ^ mixed >> 29;
}

static void addBlock(Checksum &sums, const char *block) {
  Words words;
  std::memcpy(words.data(), block, sizeof(words));
  // Independent of each other, so the processor multiplies all four at once.
  for (size_t i = 0; i < words.size(); ++i)
    sums[i] = add(sums[i], words[i]);
}

Checksum checksum(std::string_view bytes) {
  Checksum sums = {1, 2, 3, 4};
  const uint64_t size = bytes.size();
  for (; bytes.size() >= sizeof(Words); bytes.remove_prefix(sizeof(Words)))
    addBlock(sums, bytes.data());
  char last[sizeof(Words)] = {};
  bytes.copy(last, sizeof(last));
  addBlock(sums, last);
  // Distinguishes messages that end in different numbers of zeros.
  for (uint64_t &sum : sums)
    sum = add(sum, size);
  return sums;
}

} // namespace tilewright::runtime
