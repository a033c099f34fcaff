// Memory, pools and copies of the driver's test double.

#include "test/unit/Runtime/Cuda/FakeDriver.h"

#include <cstring>

using namespace tilewright::runtime::cuda;

FAKE cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  FAIL_IF_ORDERED;
  fake().allocatedBytes = bytes;
  *pointer = reinterpret_cast<uint64_t>(fake().memory);
  return kSuccess;
}

FAKE cuMemFree_v2(uint64_t) {
  FAIL_IF_ORDERED;
  ++fake().freed;
  return kSuccess;
}

#ifndef FAKE_CUDA_OLD
FAKE cuMemPoolCreate(void **pool, const PoolProperties *properties) {
  FAIL_IF_ORDERED;
  fake().poolDevice = properties->location;
  *pool = fakeHandle(0x7000);
  return kSuccess;
}

FAKE cuMemPoolDestroy(void *) { return kSuccess; }

FAKE cuMemPoolSetAttribute(void *, int attribute, void *value) {
  if (static_cast<PoolAttribute>(attribute) != PoolAttribute::ReleaseThreshold)
    return kErrorInvalidValue;
  fake().poolThreshold = *static_cast<uint64_t *>(value);
  return kSuccess;
}

static size_t poolUsed() {
  size_t used = 0;
  for (auto [address, bytes] : fake().poolBlocks)
    used += bytes;
  return used;
}

FAKE cuMemPoolGetAttribute(void *, int attribute, void *value) {
  *static_cast<uint64_t *>(value) =
      static_cast<PoolAttribute>(attribute) == PoolAttribute::UsedBytes
          ? poolUsed()
          : fake().poolReserved;
  return kSuccess;
}

FAKE cuMemPoolTrimTo(void *, size_t) {
  ++fake().poolTrims;
  fake().poolReserved = poolUsed();
  return kSuccess;
}

// What was freed is not found again here, as if it had other sizes.
FAKE cuMemAllocFromPoolAsync(uint64_t *pointer, size_t bytes, void *,
                             void *stream) {
  FAIL_IF_ORDERED;
  if (fake().poolReserved + bytes > fake().poolLimit)
    return kErrorOutOfMemory;
  fake().poolReserved += bytes;
  *pointer = reinterpret_cast<uint64_t>(new char[bytes]());
  fake().poolBlocks[*pointer] = bytes;
  fake().poolStreams.push_back(stream);
  return kSuccess;
}

FAKE cuMemFreeAsync(uint64_t pointer, void *stream) {
  FAIL_IF_ORDERED;
  if (!fake().poolBlocks.erase(pointer))
    return kErrorInvalidValue;
  delete[] reinterpret_cast<char *>(pointer);
  ++fake().freed;
  fake().poolStreams.push_back(stream);
  return kSuccess;
}
#endif

FAKE cuMemGetInfo_v2(size_t *freeBytes, size_t *totalBytes) {
  FAIL_IF_ORDERED;
  *freeBytes = fake().poolLimit - fake().poolReserved;
  *totalBytes = fake().poolLimit;
  return kSuccess;
}

FAKE cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  FAIL_IF_ORDERED;
  ++fake().hostAllocations;
  *pointer = new char[bytes];
  return kSuccess;
}

FAKE cuMemFreeHost(void *pointer) {
  --fake().hostAllocations;
  delete[] static_cast<char *>(pointer);
  return kSuccess;
}

FAKE cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *) {
  FAIL_IF_ORDERED;
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              bytes);
  return kSuccess;
}

FAKE cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *) {
  FAIL_IF_ORDERED;
  ++fake().calls[__func__];
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return kSuccess;
}

FAKE cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *) {
  FAIL_IF_ORDERED;
  ++fake().calls[__func__];
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return kSuccess;
}

FAKE cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void *) {
  FAIL_IF_ORDERED;
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return kSuccess;
}

FAKE cuPointerGetAttribute(void *value, int attribute, uint64_t pointer) {
  FAIL_IF_ORDERED;
  const auto begin = reinterpret_cast<uint64_t>(fake().memory);
  if (pointer < begin || pointer >= begin + sizeof(fake().memory))
    return kErrorInvalidValue;
  const int known = static_cast<PointerAttribute>(attribute) ==
                            PointerAttribute::DeviceOrdinal
                        ? 1
                        : 2;
  std::memcpy(value, &known, sizeof(known));
  return kSuccess;
}
