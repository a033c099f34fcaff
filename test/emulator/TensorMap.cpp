// Tensor maps that kernels create themselves.

#include "test/emulator/TensorMap.h"
#include "test/emulator/Bind.h"

namespace emulator {

/// Returns the driver's number of an element type from that of the instruction.
static uint8_t elementOf(uint64_t number) {
  constexpr uint8_t kDrivers[] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12};
  return number < sizeof(kDrivers) ? kDrivers[number] : 255;
}

static void replaceField(TensorMap &map, const std::string &field,
                         uint64_t index, uint64_t value) {
  if (field == "global_address")
    map.base = value;
  else if (field == "rank")
    map.rank = static_cast<uint8_t>(value + 1);
  else if (field == "box_dim")
    map.box[index] = static_cast<uint32_t>(value);
  else if (field == "global_dim")
    map.sizes[index] = value;
  else if (field == "global_stride")
    map.strides[index] = value;
  else if (field == "elemtype")
    map.element = elementOf(value);
  else if (field == "swizzle_mode")
    map.swizzle = static_cast<uint8_t>(value);
  else if (field == "fill_mode")
    map.fill = static_cast<uint8_t>(value);
  // Interleaving and element strides are constant.
}

Action bindTensorMap(const Instruction &instruction) {
  if (instruction.words[0] != "tensormap")
    return {};
  const std::vector<Operand> o = instruction.operands;
  const Space space = spaceOf(instruction);
  if (instruction.words[1] == "cp_fenceproxy") {
    return perLane([=](Warp &warp, unsigned lane) {
      // All lanes write it; one would suffice.
      std::memcpy(
          warp.memory(Space::Generic, warp.address(o[0], lane), 128, lane),
          warp.memory(Space::Shared, warp.address(o[1], lane), 128, lane), 128);
    });
  }
  if (instruction.words[1] != "replace")
    return {};
  const std::string field = instruction.words[3];
  const bool hasIndex = o.size() > 2;
  return perLane([=](Warp &warp, unsigned lane) {
    auto *map = reinterpret_cast<TensorMap *>(
        warp.memory(space, warp.address(o[0], lane), 128, lane));
    map->mark = TensorMap::kMark;
    const uint64_t index = hasIndex ? o[1].bits : 0;
    uint64_t value = warp.get(o[hasIndex ? 2 : 1], lane);
    if (instruction.words.back() == "b32")
      value &= 0xffffffff;
    replaceField(*map, field, index, value);
  });
}

} // namespace emulator
