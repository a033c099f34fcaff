// Copies between the device and pageable host memory through a few pinned
// buffers. The processor copies one piece while the device copies another, and
// no copy makes the driver allocate.
#ifndef TILEWRIGHT_RUNTIME_CUDA_STAGING_H
#define TILEWRIGHT_RUNTIME_CUDA_STAGING_H

#include "runtime/cuda/Context.h"

#include <array>

namespace tilewright::runtime::cuda {

/// The buffers of one device. One copy at a time uses them.
class Staging {
public:
  static constexpr size_t kBuffers = 4;
  static constexpr size_t kBufferBytes = size_t(4) << 20;

  Staging(const Driver &driver, int ordinal)
      : driver(driver), ordinal(ordinal) {}
  ~Staging();
  Staging(const Staging &) = delete;
  Staging &operator=(const Staging &) = delete;

  /// Returns when `from` may be reused; the copy itself is queued.
  Status upload(DevicePointer to, const void *from, size_t bytes,
                StreamHandle stream);

  /// Returns when `to` holds the bytes.
  Status download(void *to, DevicePointer from, size_t bytes,
                  StreamHandle stream);

private:
  struct Buffer {
    void *memory = nullptr;
    EventHandle event = nullptr;
    bool isBusy = false;
  };

  /// Makes the device current for a copy on the stream. Fails during a capture.
  Result<ContextScope> begin(StreamHandle stream);
  Status prepare(Buffer &buffer);
  Status waitFor(Buffer &buffer);
  Status mark(Buffer &buffer, StreamHandle stream);

  const Driver &driver;
  int ordinal;
  std::mutex mutex;
  std::array<Buffer, kBuffers> buffers;
  size_t next = 0;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_STAGING_H
