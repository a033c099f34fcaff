#include "runtime/cuda/Staging.h"

#include "runtime/cuda/Graph.h"

#include <algorithm>
#include <cstring>

namespace tilewright::runtime::cuda {

Staging::~Staging() {
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return;
  for (Buffer &buffer : buffers) {
    (void)waitFor(buffer);
    if (buffer.event)
      (void)driver.eventDestroy(buffer.event);
    if (buffer.memory)
      (void)driver.hostFree(buffer.memory);
  }
}

Status Staging::prepare(Buffer &buffer) {
  if (!buffer.memory)
    if (Status s = driver.check(
            driver.hostAlloc(&buffer.memory, kBufferBytes, kHostPortable),
            "cuMemHostAlloc");
        !s.ok())
      return s;
  if (!buffer.event)
    if (Status s =
            driver.check(driver.eventCreate(&buffer.event, kEventWithoutTimes),
                         "cuEventCreate");
        !s.ok())
      return s;
  return waitFor(buffer);
}

Status Staging::waitFor(Buffer &buffer) {
  if (!buffer.isBusy)
    return Status::success();
  buffer.isBusy = false;
  return driver.check(driver.eventSynchronize(buffer.event),
                      "cuEventSynchronize");
}

Status Staging::mark(Buffer &buffer, StreamHandle stream) {
  buffer.isBusy = true;
  return driver.check(driver.eventRecord(buffer.event, stream),
                      "cuEventRecord");
}

Result<ContextScope> Staging::begin(StreamHandle stream) {
  if (Status s =
          refuseCapture(driver, ordinal, stream, "host memory is copied");
      !s.ok())
    return s;
  return ContextScope::enter(driver, ordinal);
}

Status Staging::upload(DevicePointer to, const void *from, size_t bytes,
                       StreamHandle stream) {
  Result<ContextScope> scope = begin(stream);
  if (!scope.ok())
    return scope.status();
  std::lock_guard<std::mutex> lock(mutex);
  for (size_t done = 0; done < bytes; done += kBufferBytes) {
    const size_t piece = std::min(bytes - done, kBufferBytes);
    Buffer &buffer = buffers[next++ % kBuffers];
    if (Status s = prepare(buffer); !s.ok())
      return s;
    std::memcpy(buffer.memory, static_cast<const char *>(from) + done, piece);
    if (Status s = driver.check(
            driver.copyToDevice(to + done, buffer.memory, piece, stream),
            "cuMemcpyHtoDAsync");
        !s.ok())
      return s;
    if (Status s = mark(buffer, stream); !s.ok())
      return s;
  }
  return Status::success();
}

Status Staging::download(void *to, DevicePointer from, size_t bytes,
                         StreamHandle stream) {
  Result<ContextScope> scope = begin(stream);
  if (!scope.ok())
    return scope.status();
  std::lock_guard<std::mutex> lock(mutex);
  const size_t pieces = (bytes + kBufferBytes - 1) / kBufferBytes;
  const auto sizeOf = [&](size_t piece) {
    return std::min(bytes - piece * kBufferBytes, kBufferBytes);
  };
  const auto ask = [&](size_t piece) -> Status {
    Buffer &buffer = buffers[piece % kBuffers];
    if (Status s = prepare(buffer); !s.ok())
      return s;
    if (Status s = driver.check(driver.copyToHost(buffer.memory,
                                                  from + piece * kBufferBytes,
                                                  sizeOf(piece), stream),
                                "cuMemcpyDtoHAsync");
        !s.ok())
      return s;
    return mark(buffer, stream);
  };
  const auto take = [&](size_t piece) -> Status {
    Buffer &buffer = buffers[piece % kBuffers];
    if (Status s = waitFor(buffer); !s.ok())
      return s;
    std::memcpy(static_cast<char *>(to) + piece * kBufferBytes, buffer.memory,
                sizeOf(piece));
    return Status::success();
  };
  // Each buffer is emptied just before it is filled again.
  for (size_t i = 0; i < pieces + kBuffers; ++i) {
    if (i >= kBuffers && i - kBuffers < pieces)
      if (Status s = take(i - kBuffers); !s.ok())
        return s;
    if (i < pieces)
      if (Status s = ask(i); !s.ok())
        return s;
  }
  return Status::success();
}

} // namespace tilewright::runtime::cuda
