// A checksum that detects damage, at the speed of memory.
#ifndef TILEWRIGHT_RUNTIME_CORE_CHECKSUM_H
#define TILEWRIGHT_RUNTIME_CORE_CHECKSUM_H

#include <array>
#include <cstdint>
#include <string_view>

namespace tilewright::runtime {

using Checksum = std::array<uint64_t, 4>;

/// Four sums of 64 bits, each over every fourth word of eight bytes. One
/// changed word always changes its sum. Several changed words leave a sum
/// unchanged with a probability of 2^-64. Offers no protection from deliberate
/// collisions.
Checksum checksum(std::string_view bytes);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_CHECKSUM_H
