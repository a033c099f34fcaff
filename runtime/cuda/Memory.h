// Device memory, streams and events, for programs and tests without a
// framework.
#ifndef TILEWRIGHT_RUNTIME_CUDA_MEMORY_H
#define TILEWRIGHT_RUNTIME_CUDA_MEMORY_H

#include "runtime/cuda/CudaDriver.h"

namespace tilewright::runtime::cuda {

/// Allocates `bytes` of device memory; 0 bytes give the null pointer.
Result<DevicePointer> allocate(const Driver &driver, int ordinal, size_t bytes);
Status release(const Driver &driver, int ordinal, DevicePointer pointer);

/// Copies and fills are ordered by `stream`. Copies with pageable memory return
/// when the host memory may be reused.
Status copyToDevice(const Driver &driver, int ordinal, DevicePointer to,
                    const void *from, size_t bytes, StreamHandle stream);
Status copyToHost(const Driver &driver, int ordinal, void *to,
                  DevicePointer from, size_t bytes, StreamHandle stream);
Status fill(const Driver &driver, int ordinal, DevicePointer to,
            unsigned char value, size_t bytes, StreamHandle stream);

/// Same between two addresses on devices of this context.
Status copyOnDevice(const Driver &driver, int ordinal, DevicePointer to,
                    DevicePointer from, size_t bytes, StreamHandle stream);

/// Page-locked host memory, which the device reads and writes directly.
Result<void *> allocateHost(const Driver &driver, int ordinal, size_t bytes);
Status releaseHost(const Driver &driver, int ordinal, void *memory);

/// Properties of the memory at an address.
struct PointerInfo {
  /// A kernel may dereference it: device, managed or mapped host memory.
  bool accessible = false;
  bool managed = false;
  /// The device it belongs to, -1 for memory unknown to the driver.
  int device = -1;
};
Result<PointerInfo> getPointerInfo(const Driver &driver, DevicePointer pointer);

Result<StreamHandle> createStream(const Driver &driver, int ordinal);
Status destroyStream(const Driver &driver, int ordinal, StreamHandle stream);
/// Waits for all work queued on `stream`; errors of kernels surface here.
Status synchronize(const Driver &driver, int ordinal, StreamHandle stream);
/// Waits for all work of the device's context.
Status synchronizeDevice(const Driver &driver, int ordinal);

/// Whether all queued work is done, without waiting.
Result<bool> isDone(const Driver &driver, int ordinal, StreamHandle stream);
/// Work queued on `stream` from now on waits for `event`.
Status waitForEvent(const Driver &driver, int ordinal, StreamHandle stream,
                    EventHandle event);

Result<EventHandle> createEvent(const Driver &driver, int ordinal);
Status destroyEvent(const Driver &driver, int ordinal, EventHandle event);
Status recordEvent(const Driver &driver, int ordinal, EventHandle event,
                   StreamHandle stream);
Status synchronizeEvent(const Driver &driver, int ordinal, EventHandle event);
Result<bool> isDone(const Driver &driver, int ordinal, EventHandle event);
/// Waits for `end`, then returns the milliseconds from `start` to it.
Result<float> elapsedMilliseconds(const Driver &driver, int ordinal,
                                  EventHandle start, EventHandle end);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_MEMORY_H
