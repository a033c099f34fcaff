/* A test double of the CUDA driver for generated C sources: it has one device, FAKE_CAPABILITY (90), and writes
 * what it is asked for to a text that fake_log() gives. Of a launch it shows FAKE_PARAMETERS words of 64 bits. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char text[1 << 16];
static size_t used;
static void *current;
static int maps, contexts = 1;

static void note(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  used += (size_t)vsnprintf(text + used, sizeof(text) - used, format, arguments);
  va_end(arguments);
}

static int number(const char *name, int otherwise) {
  const char *value = getenv(name);
  return value ? atoi(value) : otherwise;
}

const char *fake_log(void) { return text; }
void fake_clear(void) { text[used = 0] = 0; }
void fake_set_context(void *context) { current = context; }
/* As if the contexts had been destroyed and made again at their addresses. */
void fake_renew_contexts(void) { ++contexts; }

int cuInit(unsigned flags) { return flags ? 1 : number("FAKE_INIT", 0); }
int cuGetErrorName(int error, const char **name) {
  *name = error == 209 ? "FAKE_NO_BINARY" : "FAKE_ERROR";
  return 0;
}
int cuGetErrorString(int error, const char **words) {
  *words = error ? "words of the driver" : "";
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = 70 + ordinal;
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  int capability = number("FAKE_CAPABILITY", 90);
  if (device != 70)
    return 101;
  *value = attribute == 75   ? capability / 10
           : attribute == 76 ? capability % 10
           : attribute == 97 ? number("FAKE_SHARED", 232448)
                             : 132;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = (void *)(uintptr_t)(device - 70 + 0x1000);
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int device) {
  note("release %d\n", device - 70);
  return 0;
}
int cuCtxGetCurrent(void **context) {
  *context = current;
  return 0;
}
int cuCtxGetDevice(int *device) {
  *device = 70;
  return current ? 0 : 201;
}
int cuCtxGetId(void *context, unsigned long long *id) {
  *id = (unsigned long long)(uintptr_t)context * 100 + (unsigned)contexts;
  return 0;
}
int cuCtxPushCurrent_v2(void *context) {
  current = context;
  return 0;
}
int cuCtxPopCurrent_v2(void **context) {
  *context = current;
  current = NULL;
  return 0;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  note("load %s\n", memcmp(image, "\177ELF", 4) == 0 ? "cubin" : "ptx");
  if (number("FAKE_LOAD", 0) && count == 2 && options[0] == 5)
    strcpy(values[0], "words of its assembler");
  *module = (void *)0x3000;
  return number("FAKE_LOAD", 0);
}
int cuModuleUnload(void *module) {
  note("unload\n");
  return module == (void *)0x3000 ? 0 : 1;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = strdup(name);
  return module == (void *)0x3000 ? 0 : 1;
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  *value = attribute == 0 ? number("FAKE_THREADS", 1024) : 0;
  return function ? 0 : 1;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  note("set %s %d %d\n", (const char *)function, attribute, value);
  return 0;
}
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
  note("launch %s (%u, %u, %u) (%u, %u, %u) %u %p:", (const char *)function, x, y, z, bx, by, bz, shared, stream);
  for (int i = 0; i < number("FAKE_PARAMETERS", 0); ++i)
    note(" %lld", (long long)*(int64_t *)parameters[i]);
  note("\n");
  return extra ? 1 : number("FAKE_LAUNCH", 0);
}
int cuLaunchCooperativeKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by,
                              unsigned bz, unsigned shared, void *stream, void **parameters) {
  note("cooperative ");
  return cuLaunchKernel(function, x, y, z, bx, by, bz, shared, stream, parameters, NULL);
}
struct description {
  unsigned x, y, z, bx, by, bz, shared;
  void *stream;
  struct {
    int id;
    char padding[4];
    int value;
    char rest[60];
  } *attributes;
  unsigned count;
};
int cuLaunchKernelEx(const struct description *d, void *function, void **parameters, void **extra) {
  for (unsigned i = 0; i < d->count; ++i)
    note("[%d = %d] ", d->attributes[i].id, d->attributes[i].value);
  return cuLaunchKernel(function, d->x, d->y, d->z, d->bx, d->by, d->bz, d->shared, d->stream, parameters, extra);
}
int cuTensorMapEncodeTiled(uint64_t *map, int element, uint32_t rank, uint64_t base, const uint64_t *sizes,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill) {
  note("map %d %llu", element, (unsigned long long)base);
  for (uint32_t i = 0; i < rank; ++i)
    note(" %llu/%u", (unsigned long long)sizes[i], box[i]);
  for (uint32_t i = 0; i + 1 < rank; ++i)
    note(" +%llu", (unsigned long long)strides[i]);
  note(" %d %d\n", swizzle, fill);
  map[0] = (uint64_t)++maps;
  int valid = base % 16 == 0 && steps[0] == 1 && interleave == 0 && (uintptr_t)map % 64 == 0;
  int whole = base % 256 == 0;
  for (uint32_t i = 0; i + 1 < rank; ++i) {
    valid &= strides[i] % 16 == 0 && strides[i] < (UINT64_C(1) << 40);
    whole &= strides[i] % 256 == 0;
  }
  return valid && promotion == (whole ? 3 : 2) ? 0 : 1;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) {
  *blocks = function && threads && shared ? 2 : 1;
  return 0;
}
int cuOccupancyMaxActiveClusters(int *clusters, void *function, const struct description *d) {
  *clusters = function && d->count == 1 && d->attributes[0].id == 4 ? 60 : 0;
  return d->x % (unsigned)d->attributes[0].value;
}
int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  note("alloc %zu\n", bytes);
  *pointer = 0x7000;
  return 0;
}
int cuMemFree_v2(uint64_t pointer) {
  note("free %llu\n", (unsigned long long)pointer);
  return 0;
}
int cuMemsetD8_v2(uint64_t pointer, unsigned char value, size_t bytes) {
  return pointer && bytes && value == 0 ? 0 : 1;
}
