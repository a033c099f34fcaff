// Memory, pools and copies of the driver's test double.

#include "test/unit/Runtime/Cuda/FakeDriver.h"

#include <algorithm>
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

// Unlike other pools, the double does not reuse freed memory.
FAKE cuMemAllocFromPoolAsync(uint64_t *pointer, size_t bytes, void *,
                             void *stream) {
  FAIL_IF_ORDERED;
  FAIL_IF_DESTROYED(stream);
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
  FAIL_IF_DESTROYED(stream);
  doCopies();
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
  char *made = new char[bytes];
  fake().hostBlocks[made] = bytes;
  *pointer = made;
  return kSuccess;
}

static bool isPinned(const char *address) {
  auto next = fake().hostBlocks.upper_bound(const_cast<char *>(address));
  if (next == fake().hostBlocks.begin())
    return false;
  const auto &[start, bytes] = *--next;
  return address < start + bytes;
}

void doCopies(size_t until) {
  FakeCuda &state = fake();
  for (; state.copiesDone < std::min(until, state.copies.size());
       ++state.copiesDone) {
    const FakeCopy &copy = state.copies[state.copiesDone];
    std::memcpy(copy.to, copy.from, copy.bytes);
  }
}

/// Pageable memory is read or written before the call returns.
static void copy(char *to, const char *from, size_t bytes, const char *host) {
  fake().copies.push_back({to, from, bytes});
  if (!fake().defersCopies || !isPinned(host))
    doCopies();
}

FAKE cuMemFreeHost(void *pointer) {
  FakeCuda &state = fake();
  const auto block = state.hostBlocks.find(static_cast<char *>(pointer));
  const auto isInside = [&](const char *address) {
    return address >= block->first && address < block->first + block->second;
  };
  for (size_t i = state.copiesDone; i < state.copies.size(); ++i)
    if (isInside(state.copies[i].to) || isInside(state.copies[i].from))
      state.misuses.push_back(__func__);
  doCopies();
  --state.hostAllocations;
  state.hostBlocks.erase(block);
  delete[] static_cast<char *>(pointer);
  return kSuccess;
}

FAKE cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                          void *stream) {
  FAIL_IF_ORDERED;
  FAIL_IF_DESTROYED(stream);
  doCopies();
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              bytes);
  return kSuccess;
}

FAKE cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                          void *stream) {
  FAIL_IF_ORDERED;
  FAIL_IF_DESTROYED(stream);
  ++fake().calls[__func__];
  const auto *host = static_cast<const char *>(from);
  copy(reinterpret_cast<char *>(to), host, bytes, host);
  return kSuccess;
}

FAKE cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  FAIL_IF_ORDERED;
  FAIL_IF_DESTROYED(stream);
  ++fake().calls[__func__];
  auto *host = static_cast<char *>(to);
  copy(host, reinterpret_cast<char *>(from), bytes, host);
  return kSuccess;
}

FAKE cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes,
                     void *stream) {
  FAIL_IF_ORDERED;
  FAIL_IF_DESTROYED(stream);
  doCopies();
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
