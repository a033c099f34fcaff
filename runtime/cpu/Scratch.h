// Memory of kernels whose tiles are too large for a stack.
#ifndef TILEWRIGHT_RUNTIME_CPU_SCRATCH_H
#define TILEWRIGHT_RUNTIME_CPU_SCRATCH_H

#include <cstdint>

namespace tilewright::runtime::cpu {

/// At least `bytes` bytes, aligned to 64, the calling thread's own until it
/// asks again. Null when there is not so much memory.
void *getScratch(uint64_t bytes);

/// While it lives the thread's memory is another one, and what it had before is
/// left alone.
class OtherScratch {
public:
  OtherScratch();
  ~OtherScratch();
  OtherScratch(const OtherScratch &) = delete;

private:
  void *memory;
  uint64_t bytes;
};

} // namespace tilewright::runtime::cpu

#endif // TILEWRIGHT_RUNTIME_CPU_SCRATCH_H
