#include "runtime/cpu/Scratch.h"

#include <cstdlib>
#include <utility>

namespace tilewright::runtime::cpu {

namespace {
/// Grows and lives as long as the thread: the next call of the kernel finds its
/// pages mapped.
struct Scratch {
  ~Scratch() { std::free(memory); }
  void *memory = nullptr;
  uint64_t bytes = 0;
};
} // namespace

static thread_local Scratch scratch;

void *getScratch(uint64_t bytes) {
  constexpr uint64_t kAlignment = 64;
  if (bytes <= scratch.bytes)
    return scratch.memory;
  bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  std::free(scratch.memory);
  scratch.memory = std::aligned_alloc(kAlignment, bytes);
  scratch.bytes = scratch.memory ? bytes : 0;
  return scratch.memory;
}

OtherScratch::OtherScratch()
    : memory(std::exchange(scratch.memory, nullptr)),
      bytes(std::exchange(scratch.bytes, 0)) {}

OtherScratch::~OtherScratch() {
  std::free(scratch.memory);
  scratch.memory = memory;
  scratch.bytes = bytes;
}

} // namespace tilewright::runtime::cpu
