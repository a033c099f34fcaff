// Memory of the emulated driver.

#include "test/emulator/EmulatedDevice.h"

#include <cstdlib>
#include <cstring>

using namespace tilewright::runtime::cuda;
using namespace emulator;

static int allocate(uint64_t *pointer, size_t bytes) {
  Device &d = device();
  if (bytes == 0)
    return kErrorInvalidValue;
  if (d.used + bytes > kMemory)
    return kErrorOutOfMemory;
  // Aligned like the driver's, with unowned memory between allocations.
  constexpr size_t kAlignment = 512;
  auto memory = std::make_unique<char[]>(bytes + 2 * kAlignment);
  std::memset(memory.get(), 0x5b, bytes + 2 * kAlignment);
  *pointer = (reinterpret_cast<uint64_t>(memory.get()) + kAlignment - 1) /
             kAlignment * kAlignment;
  d.blocks[*pointer] = {std::move(memory), bytes};
  d.allocations.add(*pointer, bytes);
  d.used += bytes;
  return kSuccess;
}

static int release(uint64_t pointer) {
  Device &d = device();
  auto found = d.blocks.find(pointer);
  if (found == d.blocks.end())
    return pointer ? kErrorInvalidValue : kSuccess;
  d.used -= found->second.second;
  d.allocations.remove(pointer);
  d.blocks.erase(found);
  return kSuccess;
}

static int copy(void *to, const void *from, size_t bytes, void *stream) {
  return inStream(stream, [=] {
    std::memcpy(to, from, bytes);
    return kSuccess;
  });
}

EMULATED cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  const std::lock_guard<std::mutex> lock(device().mutex);
  return allocate(pointer, bytes);
}
EMULATED cuMemFree_v2(uint64_t pointer) {
  const std::lock_guard<std::mutex> lock(device().mutex);
  return release(pointer);
}
EMULATED cuMemGetInfo_v2(size_t *freeBytes, size_t *totalBytes) {
  *freeBytes = kMemory - device().used;
  *totalBytes = kMemory;
  return kSuccess;
}
EMULATED cuMemPoolCreate(void **pool, const PoolProperties *) {
  *pool = newHandle();
  return kSuccess;
}
EMULATED cuMemPoolDestroy(void *) { return kSuccess; }
EMULATED cuMemPoolTrimTo(void *, size_t) { return kSuccess; }
EMULATED cuMemPoolSetAttribute(void *, int, void *) { return kSuccess; }
EMULATED cuMemPoolGetAttribute(void *, int, void *value) {
  *static_cast<uint64_t *>(value) = device().used;
  return kSuccess;
}
EMULATED cuMemAllocFromPoolAsync(uint64_t *pointer, size_t bytes, void *,
                                 void *) {
  return cuMemAlloc_v2(pointer, bytes);
}
EMULATED cuMemFreeAsync(uint64_t pointer, void *) {
  return cuMemFree_v2(pointer);
}
EMULATED cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  *pointer = std::malloc(bytes);
  return *pointer ? kSuccess : kErrorOutOfMemory;
}
EMULATED cuMemFreeHost(void *pointer) {
  std::free(pointer);
  return kSuccess;
}
EMULATED cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                              void *stream) {
  return copy(reinterpret_cast<void *>(to),
              reinterpret_cast<const void *>(from), bytes, stream);
}
EMULATED cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                              void *stream) {
  return copy(reinterpret_cast<void *>(to), from, bytes, stream);
}
EMULATED cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes,
                              void *stream) {
  return copy(to, reinterpret_cast<const void *>(from), bytes, stream);
}
EMULATED cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes,
                         void *stream) {
  return inStream(stream, [=] {
    std::memset(reinterpret_cast<void *>(to), value, bytes);
    return kSuccess;
  });
}
EMULATED cuPointerGetAttribute(void *value, int attribute, uint64_t pointer) {
  const std::lock_guard<std::mutex> lock(device().mutex);
  if (!device().allocations.contains(pointer, 1))
    return kErrorInvalidValue;
  const int found =
      static_cast<PointerAttribute>(attribute) == PointerAttribute::MemoryType
          ? static_cast<int>(MemoryType::Device)
          : 0;
  std::memcpy(value, &found, sizeof(found));
  return kSuccess;
}
