// Stream-ordered device memory: an allocation returns at once, later work of
// the stream reuses freed memory, and nothing waits for the device.
#ifndef TILEWRIGHT_RUNTIME_CUDA_MEMORYPOOL_H
#define TILEWRIGHT_RUNTIME_CUDA_MEMORYPOOL_H

#include "runtime/cuda/CudaDriver.h"

namespace tilewright::runtime::cuda {

/// Bytes of one device.
struct MemoryUse {
  /// Bytes that the driver can still allocate, for any process, and the
  /// device's total.
  uint64_t free = 0, total = 0;
  /// Bytes that the pool holds, and the allocated part of them.
  uint64_t reserved = 0, used = 0;
};

/// The pool of one device. It retains up to a sixteenth of the device's memory
/// after frees until memory is short. Every function may be called from any
/// thread.
class MemoryPool {
public:
  static Result<std::unique_ptr<MemoryPool>> create(const Driver &driver,
                                                    int ordinal);
  ~MemoryPool();
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;

  /// Allocates `bytes` for work queued on `stream` from now on; 0 bytes give
  /// the null pointer. If memory is short, frees the unused memory of the pool
  /// and retries, then fails with the amounts. Fails for a captured stream,
  /// whose graph would own the memory.
  Result<DevicePointer> allocate(size_t bytes, StreamHandle stream);

  /// Frees in the order of `stream`. With `isShared`, other streams may have
  /// used the memory: the device is waited for before its reuse. `stream` is
  /// not used then, and may be destroyed.
  Status release(DevicePointer pointer, StreamHandle stream, bool isShared);

  /// Frees the unused memory of the pool, except `keep` bytes.
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
  /// Null for drivers and devices without pools.
  MemoryPoolHandle pool = nullptr;
  std::mutex mutex;
  /// Memory that could not be freed yet: the wait for the device failed, or its
  /// stream was captured.
  std::vector<DevicePointer> postponed;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_MEMORYPOOL_H
