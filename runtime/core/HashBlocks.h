// The inner loop of SHA-256, portable and for x86.
#ifndef TILEWRIGHT_RUNTIME_CORE_HASHBLOCKS_H
#define TILEWRIGHT_RUNTIME_CORE_HASHBLOCKS_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace tilewright::runtime {

using HashState = std::array<uint32_t, 8>;

/// K of FIPS 180-4.
extern const uint32_t kHashRoundConstants[64];

/// Adds `count` blocks of 64 bytes to the state.
using CompressBlocks = void (*)(HashState &state, const uint8_t *blocks,
                                size_t count);

void compressPortably(HashState &state, const uint8_t *blocks, size_t count);

/// Returns the version for the SHA instructions of x86, several times faster;
/// null if this processor lacks them.
CompressBlocks compressByInstructions();

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_HASHBLOCKS_H
