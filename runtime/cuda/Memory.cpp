#include "runtime/cuda/Memory.h"

#include "runtime/cuda/Context.h"

namespace tilewright::runtime::cuda {

/// Runs `call` in a context of the device and names it in the error.
template <typename Call>
static Status inContext(const Driver &driver, int ordinal, const char *name,
                        Call call) {
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  return driver.check(call(), name);
}

Result<DevicePointer> allocate(const Driver &driver, int ordinal,
                               size_t bytes) {
  DevicePointer pointer = 0;
  if (bytes == 0)
    return pointer;
  Status s = inContext(driver, ordinal, "cuMemAlloc",
                       [&] { return driver.memAlloc(&pointer, bytes); });
  if (s.code() == StatusCode::OutOfMemory)
    return Status(s.code(), "cannot allocate " + std::to_string(bytes) +
                                " bytes on device " + std::to_string(ordinal) +
                                ": " + s.message());
  if (!s.ok())
    return s;
  return pointer;
}

Status release(const Driver &driver, int ordinal, DevicePointer pointer) {
  if (!pointer)
    return Status::success();
  return inContext(driver, ordinal, "cuMemFree",
                   [&] { return driver.memFree(pointer); });
}

Status copyToDevice(const Driver &driver, int ordinal, DevicePointer to,
                    const void *from, size_t bytes, StreamHandle stream) {
  if (!bytes)
    return Status::success();
  return inContext(driver, ordinal, "cuMemcpyHtoDAsync", [&] {
    return driver.copyToDevice(to, from, bytes, stream);
  });
}

Status copyToHost(const Driver &driver, int ordinal, void *to,
                  DevicePointer from, size_t bytes, StreamHandle stream) {
  if (!bytes)
    return Status::success();
  return inContext(driver, ordinal, "cuMemcpyDtoHAsync",
                   [&] { return driver.copyToHost(to, from, bytes, stream); });
}

Status fill(const Driver &driver, int ordinal, DevicePointer to,
            unsigned char value, size_t bytes, StreamHandle stream) {
  if (!bytes)
    return Status::success();
  return inContext(driver, ordinal, "cuMemsetD8Async",
                   [&] { return driver.fillBytes(to, value, bytes, stream); });
}

Status copyOnDevice(const Driver &driver, int ordinal, DevicePointer to,
                    DevicePointer from, size_t bytes, StreamHandle stream) {
  if (!bytes)
    return Status::success();
  return inContext(driver, ordinal, "cuMemcpyDtoDAsync", [&] {
    return driver.copyOnDevice(to, from, bytes, stream);
  });
}

Result<void *> allocateHost(const Driver &driver, int ordinal, size_t bytes) {
  void *memory = nullptr;
  if (bytes == 0)
    return memory;
  Status s = inContext(driver, ordinal, "cuMemHostAlloc", [&] {
    return driver.hostAlloc(&memory, bytes, kHostPortable);
  });
  if (!s.ok())
    return s;
  return memory;
}

Status releaseHost(const Driver &driver, int ordinal, void *memory) {
  if (!memory)
    return Status::success();
  return inContext(driver, ordinal, "cuMemFreeHost",
                   [&] { return driver.hostFree(memory); });
}

Result<PointerInfo> getPointerInfo(const Driver &driver,
                                   DevicePointer pointer) {
  PointerInfo info;
  unsigned type = 0, managed = 0;
  DriverResult known =
      driver.pointerGetAttribute(&type, PointerAttribute::MemoryType, pointer);
  // Plain host memory is not an error, but unknown to the driver.
  if (known == kErrorInvalidValue)
    return info;
  if (Status s = driver.check(known, "cuPointerGetAttribute"); !s.ok())
    return s;
  info.accessible = true;
  for (auto [attribute, value] :
       {std::pair<PointerAttribute, void *>(PointerAttribute::IsManaged,
                                            &managed),
        std::pair<PointerAttribute, void *>(PointerAttribute::DeviceOrdinal,
                                            &info.device)})
    if (Status s =
            driver.check(driver.pointerGetAttribute(value, attribute, pointer),
                         "cuPointerGetAttribute");
        !s.ok())
      return s;
  info.managed = managed != 0;
  return info;
}

Result<StreamHandle> createStream(const Driver &driver, int ordinal) {
  StreamHandle stream = nullptr;
  if (Status s = inContext(
          driver, ordinal, "cuStreamCreate",
          [&] { return driver.streamCreate(&stream, kStreamNonBlocking); });
      !s.ok())
    return s;
  return stream;
}

Status destroyStream(const Driver &driver, int ordinal, StreamHandle stream) {
  return inContext(driver, ordinal, "cuStreamDestroy",
                   [&] { return driver.streamDestroy(stream); });
}

Status synchronize(const Driver &driver, int ordinal, StreamHandle stream) {
  return inContext(driver, ordinal, "cuStreamSynchronize",
                   [&] { return driver.streamSynchronize(stream); });
}

Status synchronizeDevice(const Driver &driver, int ordinal) {
  return inContext(driver, ordinal, "cuCtxSynchronize",
                   [&] { return driver.contextSynchronize(); });
}

/// Runs a query whose result code says whether the work is done.
template <typename Query>
static Result<bool> ask(const Driver &driver, int ordinal, const char *name,
                        Query query) {
  bool done = true;
  Status s = inContext(driver, ordinal, name, [&] {
    DriverResult result = query();
    done = result != kErrorNotReady;
    return done ? result : kSuccess;
  });
  if (!s.ok())
    return s;
  return done;
}

Result<bool> isDone(const Driver &driver, int ordinal, StreamHandle stream) {
  return ask(driver, ordinal, "cuStreamQuery",
             [&] { return driver.streamQuery(stream); });
}

Result<bool> isDone(const Driver &driver, int ordinal, EventHandle event) {
  return ask(driver, ordinal, "cuEventQuery",
             [&] { return driver.eventQuery(event); });
}

Status waitForEvent(const Driver &driver, int ordinal, StreamHandle stream,
                    EventHandle event) {
  return inContext(driver, ordinal, "cuStreamWaitEvent",
                   [&] { return driver.streamWaitEvent(stream, event, 0); });
}

Status synchronizeEvent(const Driver &driver, int ordinal, EventHandle event) {
  return inContext(driver, ordinal, "cuEventSynchronize",
                   [&] { return driver.eventSynchronize(event); });
}

Result<EventHandle> createEvent(const Driver &driver, int ordinal) {
  EventHandle event = nullptr;
  if (Status s = inContext(driver, ordinal, "cuEventCreate",
                           [&] { return driver.eventCreate(&event, 0); });
      !s.ok())
    return s;
  return event;
}

Status destroyEvent(const Driver &driver, int ordinal, EventHandle event) {
  return inContext(driver, ordinal, "cuEventDestroy",
                   [&] { return driver.eventDestroy(event); });
}

Status recordEvent(const Driver &driver, int ordinal, EventHandle event,
                   StreamHandle stream) {
  return inContext(driver, ordinal, "cuEventRecord",
                   [&] { return driver.eventRecord(event, stream); });
}

Result<float> elapsedMilliseconds(const Driver &driver, int ordinal,
                                  EventHandle start, EventHandle end) {
  float milliseconds = 0;
  if (Status s = inContext(driver, ordinal, "cuEventSynchronize",
                           [&] { return driver.eventSynchronize(end); });
      !s.ok())
    return s;
  if (Status s = inContext(
          driver, ordinal, "cuEventElapsedTime",
          [&] { return driver.eventElapsedTime(&milliseconds, start, end); });
      !s.ok())
    return s;
  return milliseconds;
}

} // namespace tilewright::runtime::cuda
