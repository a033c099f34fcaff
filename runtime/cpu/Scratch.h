// Scratch memory for kernels whose tiles exceed a stack.
#ifndef TILEWRIGHT_RUNTIME_CPU_SCRATCH_H
#define TILEWRIGHT_RUNTIME_CPU_SCRATCH_H

#include <cstdint>

namespace tilewright::runtime::cpu {

/// Returns at least `bytes` bytes, aligned to 64, which the calling thread owns
/// until its next call. Returns null if memory is exhausted.
void *getScratch(uint64_t bytes);

/// Replaces the thread's scratch memory during its lifetime and preserves the
/// previous one.
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
