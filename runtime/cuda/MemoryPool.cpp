#include "runtime/cuda/MemoryPool.h"

#include "runtime/cuda/Context.h"
#include "runtime/cuda/Device.h"
#include "runtime/cuda/Graph.h"

namespace tilewright::runtime::cuda {

static Result<bool> hasPools(const Driver &driver, int ordinal) {
  Result<int> supported =
      deviceAttribute(driver, ordinal, DeviceAttribute::MemoryPoolsSupported);
  if (!supported.ok())
    return supported.status();
  return driver.poolAlloc && driver.poolFree && driver.poolCreate &&
         *supported != 0;
}

Result<std::unique_ptr<MemoryPool>> MemoryPool::create(const Driver &driver,
                                                       int ordinal) {
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  Result<uint64_t> total = deviceMemory(driver, ordinal);
  if (!total.ok())
    return total.status();
  std::unique_ptr<MemoryPool> made(new MemoryPool(driver, ordinal, *total));
  Result<bool> pooled = hasPools(driver, ordinal);
  if (!pooled.ok())
    return pooled.status();
  if (!*pooled)
    return made;
  PoolProperties properties;
  properties.location = ordinal;
  if (Status s = driver.check(driver.poolCreate(&made->pool, &properties),
                              "cuMemPoolCreate");
      !s.ok())
    return s;
  // By default a pool frees all its memory at each synchronisation. Retained
  // memory is unavailable to other processes.
  uint64_t kept = *total / 16;
  if (Status s =
          driver.check(driver.poolSetAttribute(
                           made->pool, PoolAttribute::ReleaseThreshold, &kept),
                       "cuMemPoolSetAttribute");
      !s.ok())
    return s;
  return made;
}

MemoryPool::~MemoryPool() {
  releasePostponed();
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (pool && scope.ok())
    (void)driver.poolDestroy(pool);
}

DriverResult MemoryPool::tryAllocate(DevicePointer &pointer, size_t bytes,
                                     StreamHandle stream) const {
  return pool ? driver.poolAlloc(&pointer, bytes, pool, stream)
              : driver.memAlloc(&pointer, bytes);
}

Status MemoryPool::outOfMemory(size_t bytes, const Status &reason) const {
  std::string text = "cannot allocate " + std::to_string(bytes) +
                     " bytes on device " + std::to_string(ordinal);
  if (Result<MemoryUse> now = use(); now.ok())
    text += ": " + std::to_string(now->free) + " of its " +
            std::to_string(now->total) + " bytes are free, and arrays of " +
            "this process hold " + std::to_string(now->used);
  return Status(StatusCode::OutOfMemory, text + " (" + reason.message() + ")");
}

Result<DevicePointer> MemoryPool::allocate(size_t bytes, StreamHandle stream) {
  DevicePointer pointer = 0;
  if (bytes == 0)
    return pointer;
  if (Status s = refuseCapture(driver, ordinal, stream, "memory is allocated");
      !s.ok())
    return s;
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  releasePostponed();
  // A pool takes all memory of the device before it reports a failure, and
  // other processes would fail meanwhile.
  if (bytes > totalBytes)
    return outOfMemory(
        bytes, driver.check(kErrorOutOfMemory, "cuMemAllocFromPoolAsync"));
  DriverResult result = tryAllocate(pointer, bytes, stream);
  if (result == kErrorOutOfMemory) {
    // Only memory that the device no longer uses can be freed.
    (void)driver.contextSynchronize();
    (void)trim(0);
    result = tryAllocate(pointer, bytes, stream);
    if (result == kErrorOutOfMemory)
      (void)trim(0);
  }
  Status status =
      driver.check(result, pool ? "cuMemAllocFromPoolAsync" : "cuMemAlloc");
  if (status.code() == StatusCode::OutOfMemory)
    return outOfMemory(bytes, status);
  if (!status.ok())
    return status;
  return pointer;
}

Status MemoryPool::freeNow(DevicePointer pointer, StreamHandle stream) const {
  return pool ? driver.check(driver.poolFree(pointer, stream), "cuMemFreeAsync")
              : driver.check(driver.memFree(pointer), "cuMemFree");
}

Status MemoryPool::release(DevicePointer pointer, StreamHandle stream,
                           bool isShared) {
  if (!pointer)
    return Status::success();
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  // A free during a capture would become part of the graph and repeat with each
  // launch. A wait fails during any capture. So a later call frees the memory.
  if (!isShared && !isCaptured(driver, stream))
    return freeNow(pointer, stream);
  if (isShared && driver.contextSynchronize() == kSuccess)
    return freeNow(pointer, /*stream=*/nullptr);
  std::lock_guard<std::mutex> lock(mutex);
  postponed.push_back(pointer);
  return Status::success();
}

void MemoryPool::releasePostponed() {
  std::vector<DevicePointer> waiting;
  {
    std::lock_guard<std::mutex> lock(mutex);
    waiting.swap(postponed);
  }
  for (DevicePointer pointer : waiting)
    (void)release(pointer, /*stream=*/nullptr, /*isShared=*/true);
}

Status MemoryPool::trim(size_t keep) {
  if (!pool)
    return Status::success();
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  return driver.check(driver.poolTrim(pool, keep), "cuMemPoolTrimTo");
}

Result<MemoryUse> MemoryPool::use() const {
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  MemoryUse now;
  size_t free = 0, total = 0;
  if (Status s = driver.check(driver.memGetInfo(&free, &total), "cuMemGetInfo");
      !s.ok())
    return s;
  now.free = free;
  now.total = total;
  if (!pool)
    return now;
  for (auto [attribute, value] :
       {std::pair(PoolAttribute::ReservedBytes, &now.reserved),
        std::pair(PoolAttribute::UsedBytes, &now.used)})
    if (Status s = driver.check(driver.poolGetAttribute(pool, attribute, value),
                                "cuMemPoolGetAttribute");
        !s.ok())
      return s;
  return now;
}

} // namespace tilewright::runtime::cuda
