// The emulated driver's content of a tensor map.
#ifndef TILEWRIGHT_TEST_EMULATOR_TENSORMAP_H
#define TILEWRIGHT_TEST_EMULATOR_TENSORMAP_H

#include <cstdint>

namespace emulator {

struct TensorMap {
  static constexpr uint32_t kMark = 0x74656e73;

  uint64_t base;
  uint64_t sizes[5], strides[4];
  uint32_t box[5];
  uint32_t mark;
  /// Numbers of the driver's interface.
  uint8_t element, rank, swizzle, fill;

  uint32_t elementBytes() const {
    constexpr uint32_t kBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    return element < sizeof(kBytes) / sizeof(*kBytes) ? kBytes[element] : 0;
  }
};
static_assert(sizeof(TensorMap) <= 128);

} // namespace emulator

#endif // TILEWRIGHT_TEST_EMULATOR_TENSORMAP_H
