// Device memory in the order of streams: an allocation returns at once, what is
// freed is used again by later work of the stream, and nothing waits for the
// device.
#ifndef TILEWRIGHT_RUNTIME_CUDA_MEMORYPOOL_H
#define TILEWRIGHT_RUNTIME_CUDA_MEMORYPOOL_H

#include "runtime/cuda/CudaDriver.h"

namespace tilewright::runtime::cuda {

/// Bytes of one device.
struct MemoryUse {
  /// What the driver could still give, to anyone, and what the device has.
  uint64_t free = 0, total = 0;
  /// What the pool holds, and how much of that is allocated.
  uint64_t reserved = 0, used = 0;
};

/// The pool of one device. Of what is freed it keeps a sixteenth of the
/// device's memory until memory is short. Every function may be called from any
/// thread.
class MemoryPool {
public:
  static Result<std::unique_ptr<MemoryPool>> create(const Driver &driver,
                                                    int ordinal);
  ~MemoryPool();
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;

  /// `bytes` that work queued on `stream` from now on may use; 0 bytes give
  /// the null pointer. Where there is not enough, gives back what the pool
  /// holds in vain, tries again, and then fails with the numbers. A stream that
  /// is being captured is refused: the memory would be the graph's.
  Result<DevicePointer> allocate(size_t bytes, StreamHandle stream);

  /// Frees in the order of `stream`. `isShared`: other streams may have used
  /// the memory, and the device is waited for before it serves again; `stream`
  /// is not used, and may be gone.
  Status release(DevicePointer pointer, StreamHandle stream, bool isShared);

  /// Gives back to the driver what is not allocated, but for `keep` bytes.
  Status trim(size_t keep);

  Result<MemoryUse> use() const;

private:
  MemoryPool(const Driver &driver, int ordinal, uint64_t totalBytes)
      : driver(driver), ordinal(ordinal), totalBytes(totalBytes) {}

  DriverResult tryAllocate(DevicePointer &pointer, size_t bytes,
                           StreamHandle stream) const;
  Status freeNow(DevicePointer pointer, StreamHandle stream) const;
  void releasePostponed();
  Status outOfMemory(size_t bytes, const Status &reason) const;

  const Driver &driver;
  int ordinal;
  uint64_t totalBytes;
  /// Null with drivers and devices that know no pools.
  MemoryPoolHandle pool = nullptr;
  std::mutex mutex;
  /// What was freed when the device could not be waited for, or while its
  /// stream was captured.
  std::vector<DevicePointer> postponed;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_MEMORYPOOL_H
