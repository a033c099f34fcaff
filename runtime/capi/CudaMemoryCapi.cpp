// Stream-ordered memory, streams, events and graphs.

#include "runtime/capi/CudaGuard.h"
#include "runtime/cuda/Graph.h"
#include "runtime/cuda/Memory.h"
#include "runtime/cuda/MemoryPool.h"
#include "runtime/cuda/Staging.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::capi;
using namespace tilewright::runtime::cuda;

namespace {
/// The pool and the staging buffers of a device in this process.
struct DeviceMemory {
  DeviceMemory(std::unique_ptr<MemoryPool> pool, const Driver &driver,
               int ordinal)
      : pool(std::move(pool)), staging(driver, ordinal) {}
  std::unique_ptr<MemoryPool> pool;
  Staging staging;
};
} // namespace

/// Created at first use and never destroyed: arrays may be freed after static
/// destructors have run.
static Result<DeviceMemory *> memoryOf(const Driver &driver, int device) {
  static auto &mutex = *new std::mutex;
  static auto &all = *new std::vector<std::unique_ptr<DeviceMemory>>;
  if (Result<DeviceHandle> exists = driver.device(device); !exists.ok())
    return exists.status();
  if (Driver::isForked())
    return Driver::forkedStatus();
  std::lock_guard<std::mutex> lock(mutex);
  all.resize(static_cast<size_t>(driver.deviceCount()));
  std::unique_ptr<DeviceMemory> &memory = all[static_cast<size_t>(device)];
  if (!memory) {
    Result<std::unique_ptr<MemoryPool>> pool =
        MemoryPool::create(driver, device);
    if (!pool.ok())
      return pool.status();
    memory = std::make_unique<DeviceMemory>(std::move(*pool), driver, device);
  }
  return memory.get();
}

/// Runs `body` with the pool and the buffers of the device.
template <typename Body> static tw_status withMemory(int device, Body body) {
  return withDriver([&](const Driver &driver) -> Status {
    Result<DeviceMemory *> memory = memoryOf(driver, device);
    if (!memory.ok())
      return memory.status();
    return body(**memory);
  });
}

tw_status tw_cuda_alloc(int device, size_t bytes, uint64_t *address) {
  return withDriverInto(address, [&](const Driver &driver) {
    return allocate(driver, device, bytes);
  });
}

tw_status tw_cuda_free(int device, uint64_t address) {
  return withDriver(
      [&](const Driver &driver) { return release(driver, device, address); });
}

tw_status tw_cuda_pool_alloc(int device, size_t bytes, void *stream,
                             uint64_t *address) {
  return withMemory(device, [&](DeviceMemory &memory) -> Status {
    Result<DevicePointer> made = memory.pool->allocate(bytes, streamOf(stream));
    if (!made.ok())
      return made.status();
    *address = *made;
    return Status::success();
  });
}

tw_status tw_cuda_pool_free(int device, uint64_t address, void *stream,
                            int shared) {
  return withMemory(device, [&](DeviceMemory &memory) {
    return memory.pool->release(address, streamOf(stream), shared != 0);
  });
}

tw_status tw_cuda_pool_trim(int device, size_t keep) {
  return withMemory(
      device, [&](DeviceMemory &memory) { return memory.pool->trim(keep); });
}

tw_status tw_cuda_memory_use_get(int device, tw_cuda_memory_use *use) {
  return withMemory(device, [&](DeviceMemory &memory) -> Status {
    Result<MemoryUse> now = memory.pool->use();
    if (!now.ok())
      return now.status();
    *use = {now->free, now->total, now->reserved, now->used};
    return Status::success();
  });
}

tw_status tw_cuda_host_alloc(int device, size_t bytes, void **memory) {
  return withDriverInto(memory, [&](const Driver &driver) {
    return allocateHost(driver, device, bytes);
  });
}

tw_status tw_cuda_host_free(int device, void *memory) {
  return withDriver([&](const Driver &driver) {
    return releaseHost(driver, device, memory);
  });
}

tw_status tw_cuda_upload(int device, uint64_t to, const void *from,
                         size_t bytes, void *stream) {
  return withMemory(device, [&](DeviceMemory &memory) {
    return memory.staging.upload(to, from, bytes, streamOf(stream));
  });
}

tw_status tw_cuda_download(int device, void *to, uint64_t from, size_t bytes,
                           void *stream) {
  return withMemory(device, [&](DeviceMemory &memory) {
    return memory.staging.download(to, from, bytes, streamOf(stream));
  });
}

tw_status tw_cuda_copy_to_device(int device, uint64_t to, const void *from,
                                 size_t bytes, void *stream) {
  return withDriver([&](const Driver &driver) {
    return copyToDevice(driver, device, to, from, bytes, streamOf(stream));
  });
}

tw_status tw_cuda_copy_to_host(int device, void *to, uint64_t from,
                               size_t bytes, void *stream) {
  return withDriver([&](const Driver &driver) {
    return copyToHost(driver, device, to, from, bytes, streamOf(stream));
  });
}

tw_status tw_cuda_copy_on_device(int device, uint64_t to, uint64_t from,
                                 size_t bytes, void *stream) {
  return withDriver([&](const Driver &driver) {
    return copyOnDevice(driver, device, to, from, bytes, streamOf(stream));
  });
}

tw_status tw_cuda_fill(int device, uint64_t to, uint8_t value, size_t bytes,
                       void *stream) {
  return withDriver([&](const Driver &driver) {
    return fill(driver, device, to, value, bytes, streamOf(stream));
  });
}

tw_status tw_cuda_pointer_device(uint64_t address, int *device) {
  return withDriver([&](const Driver &driver) -> Status {
    Result<PointerInfo> info = getPointerInfo(driver, address);
    if (!info.ok())
      return info.status();
    *device = info->device;
    return Status::success();
  });
}

tw_status tw_cuda_stream_create(int device, void **stream) {
  return withDriverInto(stream, [&](const Driver &driver) {
    return createStream(driver, device);
  });
}

tw_status tw_cuda_stream_destroy(int device, void *stream) {
  return withDriver([&](const Driver &driver) {
    return destroyStream(driver, device, streamOf(stream));
  });
}

tw_status tw_cuda_stream_synchronize(int device, void *stream) {
  return withDriver([&](const Driver &driver) {
    return synchronize(driver, device, streamOf(stream));
  });
}

tw_status tw_cuda_stream_is_done(int device, void *stream, int *done) {
  return withDriverInto(done, [&](const Driver &driver) {
    return isDone(driver, device, streamOf(stream));
  });
}

tw_status tw_cuda_stream_wait_event(int device, void *stream, void *event) {
  return withDriver([&](const Driver &driver) {
    return waitForEvent(driver, device, streamOf(stream), eventOf(event));
  });
}

tw_status tw_cuda_synchronize(int device) {
  return withDriver(
      [&](const Driver &driver) { return synchronizeDevice(driver, device); });
}

tw_status tw_cuda_event_create(int device, void **event) {
  return withDriverInto(
      event, [&](const Driver &driver) { return createEvent(driver, device); });
}

tw_status tw_cuda_event_destroy(int device, void *event) {
  return withDriver([&](const Driver &driver) {
    return destroyEvent(driver, device, eventOf(event));
  });
}

tw_status tw_cuda_event_record(int device, void *event, void *stream) {
  return withDriver([&](const Driver &driver) {
    return recordEvent(driver, device, eventOf(event), streamOf(stream));
  });
}

tw_status tw_cuda_event_synchronize(int device, void *event) {
  return withDriver([&](const Driver &driver) {
    return synchronizeEvent(driver, device, eventOf(event));
  });
}

tw_status tw_cuda_event_is_done(int device, void *event, int *done) {
  return withDriverInto(done, [&](const Driver &driver) {
    return isDone(driver, device, eventOf(event));
  });
}

tw_status tw_cuda_event_elapsed(int device, void *start, void *end,
                                float *milliseconds) {
  return withDriverInto(milliseconds, [&](const Driver &driver) {
    return elapsedMilliseconds(driver, device, eventOf(start), eventOf(end));
  });
}

static GraphExecHandle graphOf(void *graph) {
  return static_cast<GraphExecHandle>(graph);
}

tw_status tw_cuda_capture_begin(int device, void *stream) {
  return withDriver([&](const Driver &driver) {
    return beginCapture(driver, device, streamOf(stream));
  });
}

tw_status tw_cuda_capture_end(int device, void *stream, void **graph) {
  return withDriverInto(graph, [&](const Driver &driver) {
    return endCapture(driver, device, streamOf(stream));
  });
}

tw_status tw_cuda_graph_launch(int device, void *graph, void *stream) {
  return withDriver([&](const Driver &driver) {
    return launchGraph(driver, device, graphOf(graph), streamOf(stream));
  });
}

tw_status tw_cuda_graph_destroy(int device, void *graph) {
  return withDriver([&](const Driver &driver) {
    return destroyGraph(driver, device, graphOf(graph));
  });
}
