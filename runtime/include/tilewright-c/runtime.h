/* The runtime's C interface: errors, the disk cache, launches on CUDA devices
 * and on the CPU. It needs no LLVM, and a CUDA driver only for the functions
 * named tw_cuda_*, which fail with TW_UNAVAILABLE where there is none.
 *
 * Conventions
 *   - Functions that can fail return a tw_status. On failure they leave their
 *     outputs alone, and tw_last_error() of the same thread says why.
 *   - Handles are opaque; each has one function that makes it and one that
 *     frees it. Freeing NULL does nothing.
 *   - Strings are UTF-8 with a terminating zero. A returned string lives as
 *     long as the handle it came from.
 *   - Every function may be called from any thread at any time, but a handle
 *     must not be in use while it is freed.
 */
#ifndef TILEWRIGHT_RUNTIME_INCLUDE_TILEWRIGHT_C_RUNTIME_H
#define TILEWRIGHT_RUNTIME_INCLUDE_TILEWRIGHT_C_RUNTIME_H

#include "tilewright-c/export.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- Errors ---------------------------------------------------------------- */

typedef enum tw_status {
  TW_OK = 0,
  TW_INVALID_ARGUMENT = 1, /* the caller passed what can never work */
  TW_NOT_FOUND = 2,        /* a named thing does not exist */
  TW_UNAVAILABLE = 3,      /* this machine lacks it: no driver, no device */
  TW_UNSUPPORTED = 4,      /* present, but too old or too small */
  TW_OUT_OF_MEMORY = 5,    /* host or device memory is exhausted */
  TW_IO_ERROR = 6,         /* the file system refused */
  TW_DRIVER_ERROR = 7,     /* the device's driver reported an error */
  TW_KERNEL_ASSERT = 8,    /* an assertion failed in a running kernel */
  TW_INTERNAL_ERROR = 9,   /* a defect of the runtime */
  TW_INTERRUPTED = 10      /* the caller wanted it to end before it was done */
} tw_status;

/* The message of this thread's last failure; empty if there was none. Valid
 * until this thread's next failure. */
TW_EXPORT const char *tw_last_error(void);

/* -- Hash ------------------------------------------------------------------ */

/* SHA-256 of `size` bytes as 64 lower-case hexadecimal digits and a zero. */
TW_EXPORT void tw_sha256(const void *data, size_t size, char hex[65]);

/* -- Disk cache ------------------------------------------------------------ */

typedef struct tw_cache tw_cache;
typedef struct tw_cache_entry tw_cache_entry;

/* A named piece of a cache entry. */
typedef struct tw_blob {
  const char *name;
  const void *data;
  size_t size;
} tw_blob;

/* Opens a cache. `directory` NULL: TILEWRIGHT_CACHE_DIR, else
 * XDG_CACHE_HOME/tilewright, else ~/.cache/tilewright; `max_bytes` 0:
 * TILEWRIGHT_CACHE_SIZE, else 2 GiB. Fails with TW_UNAVAILABLE when the
 * directory cannot be made, belongs to another user or can be written by
 * others; programs then go on without a cache. */
TW_EXPORT tw_status tw_cache_open(const char *directory, uint64_t max_bytes,
                                  tw_cache **cache);
TW_EXPORT void tw_cache_close(tw_cache *cache);
TW_EXPORT const char *tw_cache_directory(const tw_cache *cache);
TW_EXPORT uint64_t tw_cache_max_bytes(const tw_cache *cache);

/* The entry under `key`, or NULL. A damaged entry is removed and counts as
 * missing. Free the entry with tw_cache_entry_free. */
TW_EXPORT tw_cache_entry *tw_cache_get(const tw_cache *cache, const char *key);
/* Same without side effects: a damaged entry stays, and the age is
 * unchanged. */
TW_EXPORT tw_cache_entry *tw_cache_peek(const tw_cache *cache, const char *key);
TW_EXPORT size_t tw_cache_entry_size(const tw_cache_entry *entry);
/* The i-th blob; its pointers live as long as the entry. */
TW_EXPORT tw_blob tw_cache_entry_blob(const tw_cache_entry *entry, size_t i);
TW_EXPORT void tw_cache_entry_free(tw_cache_entry *entry);

/* Stores `count` blobs under `key` (1 to 128 letters, digits, '-', '_'):
 * readers in all processes see either all of them or none. */
TW_EXPORT tw_status tw_cache_put(const tw_cache *cache, const char *key,
                                 const tw_blob *blobs, size_t count);

TW_EXPORT tw_status tw_cache_usage(const tw_cache *cache, uint64_t *entries,
                                   uint64_t *bytes);
/* Removes the entry under `key`, if there is one; then every entry. */
TW_EXPORT tw_status tw_cache_remove(const tw_cache *cache, const char *key);
TW_EXPORT tw_status tw_cache_clear(const tw_cache *cache);

/* Removes the least recently used entries until at most `bytes` are left, and
 * the temporary files of killed writers. */
TW_EXPORT tw_status tw_cache_prune(const tw_cache *cache, uint64_t bytes);

/* Calls `visit` for each entry, the least recently used first, with its key,
 * its size and the seconds since 1970 at which it was stored or last found. */
TW_EXPORT tw_status tw_cache_list(const tw_cache *cache,
                                  void (*visit)(void *user, const char *key,
                                                uint64_t bytes, int64_t used),
                                  void *user);

/* -- CUDA: driver and devices ---------------------------------------------- */

/* The newest CUDA version that the driver supports, 1000 * major + 10 * minor.
 * Opens the driver (TILEWRIGHT_LIBCUDA, else libcuda.so.1) if that has not
 * been tried; TW_UNAVAILABLE without one, TW_UNSUPPORTED if it is too old. */
TW_EXPORT tw_status tw_cuda_driver_version(int *version);
TW_EXPORT tw_status tw_cuda_device_count(int *count);

/* The device of the calling thread's current context; 0 when it has none. */
TW_EXPORT tw_status tw_cuda_current_device(int *device);

/* The device's name, cut to `size` bytes with its terminating zero. */
TW_EXPORT tw_status tw_cuda_device_name(int device, char *name, size_t size);

typedef enum tw_cuda_device_attribute {
  TW_DEVICE_COMPUTE_CAPABILITY = 0, /* 10 * major + minor: 90 for sm_90 */
  TW_DEVICE_MULTIPROCESSORS = 1,
  TW_DEVICE_SHARED_BYTES_PER_PROGRAM = 2, /* most a program may ask for */
  TW_DEVICE_SHARED_BYTES_PER_MULTIPROCESSOR = 3,
  TW_DEVICE_GLOBAL_BYTES = 4,
  TW_DEVICE_L2_BYTES = 5,
  TW_DEVICE_CLOCK_KILOHERTZ = 6,
  TW_DEVICE_MEMORY_CLOCK_KILOHERTZ = 7,
  TW_DEVICE_MEMORY_BUS_BITS = 8,
  TW_DEVICE_WARP_SIZE = 9,
  TW_DEVICE_REGISTERS_PER_PROGRAM = 10
} tw_cuda_device_attribute;

TW_EXPORT tw_status tw_cuda_device_attribute_get(
    int device, tw_cuda_device_attribute attribute, int64_t *value);

/* -- CUDA: kernels --------------------------------------------------------- */

typedef struct tw_cuda_kernel tw_cuda_kernel;

/* How a kernel is launched. */
typedef enum tw_cuda_launch_flags {
  TW_LAUNCH_COOPERATIVE = 1, /* all programs run at once */
  /* It may start before earlier kernels on its stream end, and waits for them
   * itself; needs compute capability 9.0. */
  TW_LAUNCH_DEPENDENT = 2
} tw_cuda_launch_flags;

/* Loads `name` from a cubin, or from PTX, which the driver then assembles.
 * `threads`, `dynamic_shared` (bytes) and `cluster` (CTAs along each dimension,
 * NULL for none) are those it was compiled for. `recipe`, of so many numbers,
 * describes the parameters that the host adds to a launch. It is the kernel's
 * "launch_recipe" in its metadata (0 numbers: nothing). `flags` are of
 * tw_cuda_launch_flags. Uses the thread's current context if it belongs to
 * `device`, else the device's primary context. Fails with TW_UNSUPPORTED if the
 * device cannot run the kernel: another architecture, or too much shared memory
 * (the message has amount and limit). */
TW_EXPORT tw_status tw_cuda_kernel_load(
    int device, const void *image, size_t size, const char *name,
    uint32_t threads, uint32_t dynamic_shared, const uint32_t *cluster,
    const int64_t *recipe, size_t recipe_size, uint32_t flags,
    tw_cuda_kernel **kernel);
TW_EXPORT void tw_cuda_kernel_free(tw_cuda_kernel *kernel);

typedef enum tw_cuda_kernel_attribute {
  TW_KERNEL_REGISTERS = 0,           /* of a thread */
  TW_KERNEL_LOCAL_BYTES = 1,         /* of a thread; spills live there */
  TW_KERNEL_STATIC_SHARED_BYTES = 2, /* of a program */
  TW_KERNEL_MAX_THREADS = 3
} tw_cuda_kernel_attribute;

TW_EXPORT int64_t tw_cuda_kernel_attribute_get(
    const tw_cuda_kernel *kernel, tw_cuda_kernel_attribute attribute);

/* The log of the driver's assembler; empty for a cubin. */
TW_EXPORT const char *tw_cuda_kernel_log(const tw_cuda_kernel *kernel);

/* Queues one run over a grid of programs on `stream` (a CUstream; NULL is the
 * default stream) and returns. `parameters[i]` points at the value of the i-th
 * kernel parameter; if the kernel has a recipe, in 8 bytes, integers
 * sign-extended. A grid with an extent of 0 launches nothing. One out of range
 * (x above 2^31 - 1, y or z above 65535) is TW_INVALID_ARGUMENT. */
TW_EXPORT tw_status tw_cuda_launch(const tw_cuda_kernel *kernel,
                                   const int64_t grid[3], void *stream,
                                   void **parameters);

/* A launch with fixed grid and arguments: bound once, at the cost of a launch,
 * and queued at that of the driver's call. `values` has the value of each
 * parameter in 8 bytes. The kernel must outlive it. */
typedef struct tw_cuda_bound tw_cuda_bound;
TW_EXPORT tw_status tw_cuda_bind(const tw_cuda_kernel *kernel,
                                 const int64_t grid[3], const uint64_t *values,
                                 size_t count, tw_cuda_bound **bound);
TW_EXPORT tw_status tw_cuda_bound_launch(const tw_cuda_bound *bound,
                                         void *stream);
TW_EXPORT void tw_cuda_bound_free(tw_cuda_bound *bound);

/* -- CUDA: memory, streams, events, graphs --------------------------------- */

TW_EXPORT tw_status tw_cuda_alloc(int device, size_t bytes, uint64_t *address);
TW_EXPORT tw_status tw_cuda_free(int device, uint64_t address);

/* Same from this process's pool of the device, in the order of `stream`.
 * Neither waits for the device, and later work of the stream reuses freed
 * memory. With `shared` not 0, other streams may have used the memory, or
 * `stream` is destroyed: the device is waited for and `stream` is not used. A
 * free during a capture is deferred to a later call. If memory is short, the
 * pool frees its unused memory before TW_OUT_OF_MEMORY, whose message has the
 * amounts. */
TW_EXPORT tw_status tw_cuda_pool_alloc(int device, size_t bytes, void *stream,
                                       uint64_t *address);
TW_EXPORT tw_status tw_cuda_pool_free(int device, uint64_t address,
                                      void *stream, int shared);
/* Frees the unused memory of the pool, except `keep` bytes. */
TW_EXPORT tw_status tw_cuda_pool_trim(int device, size_t keep);

typedef struct tw_cuda_memory_use {
  uint64_t free_bytes, total_bytes;    /* of the device */
  uint64_t reserved_bytes, used_bytes; /* of the pool */
} tw_cuda_memory_use;
TW_EXPORT tw_status tw_cuda_memory_use_get(int device, tw_cuda_memory_use *use);

/* Page-locked host memory. */
TW_EXPORT tw_status tw_cuda_host_alloc(int device, size_t bytes, void **memory);
TW_EXPORT tw_status tw_cuda_host_free(int device, void *memory);

/* Between pageable host memory and the device through pinned buffers. The first
 * returns when `from` may be reused, the second when `to` is filled. */
TW_EXPORT tw_status tw_cuda_upload(int device, uint64_t to, const void *from,
                                   size_t bytes, void *stream);
TW_EXPORT tw_status tw_cuda_download(int device, void *to, uint64_t from,
                                     size_t bytes, void *stream);

/* Ordered by `stream`. With pageable host memory they return when that memory
 * may be reused. */
TW_EXPORT tw_status tw_cuda_copy_to_device(int device, uint64_t to,
                                           const void *from, size_t bytes,
                                           void *stream);
TW_EXPORT tw_status tw_cuda_copy_to_host(int device, void *to, uint64_t from,
                                         size_t bytes, void *stream);
TW_EXPORT tw_status tw_cuda_copy_on_device(int device, uint64_t to,
                                           uint64_t from, size_t bytes,
                                           void *stream);
TW_EXPORT tw_status tw_cuda_fill(int device, uint64_t to, uint8_t value,
                                 size_t bytes, void *stream);

/* The device that `address` belongs to; -1 for plain host memory, which no
 * kernel can use. */
TW_EXPORT tw_status tw_cuda_pointer_device(uint64_t address, int *device);

TW_EXPORT tw_status tw_cuda_stream_create(int device, void **stream);
TW_EXPORT tw_status tw_cuda_stream_destroy(int device, void *stream);
/* Waits for the work queued on `stream`; errors of kernels surface here. */
TW_EXPORT tw_status tw_cuda_stream_synchronize(int device, void *stream);
TW_EXPORT tw_status tw_cuda_stream_is_done(int device, void *stream, int *done);
/* Work queued on `stream` from now on waits for `event`. */
TW_EXPORT tw_status tw_cuda_stream_wait_event(int device, void *stream,
                                              void *event);
TW_EXPORT tw_status tw_cuda_synchronize(int device);

TW_EXPORT tw_status tw_cuda_event_create(int device, void **event);
TW_EXPORT tw_status tw_cuda_event_destroy(int device, void *event);
TW_EXPORT tw_status tw_cuda_event_record(int device, void *event, void *stream);
TW_EXPORT tw_status tw_cuda_event_synchronize(int device, void *event);
TW_EXPORT tw_status tw_cuda_event_is_done(int device, void *event, int *done);
/* Waits for `end`; the milliseconds from `start` to it. */
TW_EXPORT tw_status tw_cuda_event_elapsed(int device, void *start, void *end,
                                          float *milliseconds);

/* Between the two calls, work queued on `stream`, which is not the default one,
 * is recorded instead of run. The second call returns a graph that can be
 * launched any number of times. */
TW_EXPORT tw_status tw_cuda_capture_begin(int device, void *stream);
TW_EXPORT tw_status tw_cuda_capture_end(int device, void *stream, void **graph);
TW_EXPORT tw_status tw_cuda_graph_launch(int device, void *graph, void *stream);
TW_EXPORT tw_status tw_cuda_graph_destroy(int device, void *graph);

/* -- CPU ------------------------------------------------------------------- */

/* A compiled host kernel: runs the programs with linear numbers [begin, end),
 * x fastest: number = x + grid[0] * (y + grid[1] * z). `args` has one slot of
 * eight bytes for each kernel argument in order: a pointer's address, an
 * integer sign-extended, the bits of a float in the low bytes. */
typedef void (*tw_host_kernel)(const uint64_t *args, const int32_t grid[3],
                               int64_t begin, int64_t end);

/* The default number of threads of a launch: TILEWRIGHT_NUM_THREADS, else the
 * number of CPUs of this process. */
TW_EXPORT tw_status tw_host_thread_count(unsigned *threads);

/* Runs the kernel over the grid on a pool of threads and waits. `threads` 0 is
 * the default. A failed assertion gives TW_KERNEL_ASSERT with its message;
 * other programs may or may not have run then. */
TW_EXPORT tw_status tw_host_launch(tw_host_kernel kernel, const uint64_t *args,
                                   const int64_t grid[3], unsigned threads);

typedef enum tw_host_order {
  TW_HOST_ANY_ORDER = 0,
  /* Programs may wait for each other: while one waits, another thread starts
   * programs that are not running yet. */
  TW_HOST_WAITING = 1,
  /* One after the other, the first dimension of the grid fastest. */
  TW_HOST_IN_ORDER = 2
} tw_host_order;

/* tw_host_launch with an order. */
TW_EXPORT tw_status tw_host_launch_ordered(tw_host_kernel kernel,
                                           const uint64_t *args,
                                           const int64_t grid[3],
                                           unsigned threads,
                                           tw_host_order order);

/* tw_host_launch_ordered that can be interrupted. The calling thread calls
 * `interrupted(user)` about ten times a second, between programs and while one
 * waits for another. If it returns a value other than 0, no further program
 * starts, waiting programs end, and the launch fails with TW_INTERRUPTED. */
TW_EXPORT tw_status tw_host_launch_interruptible(
    tw_host_kernel kernel, const uint64_t *args, const int64_t grid[3],
    unsigned threads, tw_host_order order, int (*interrupted)(void *user),
    void *user);

/* Called by compiled host kernels, not by programs. */

/* A failed assertion: ends the launch. Returns only if the kernel was not
 * started by tw_host_launch. */
TW_EXPORT void tw_host_assert_fail(const char *message);

/* Called in each iteration of a loop that may wait for another program. Yields
 * to other threads, and starts programs that are not running yet. Ends the
 * program if the launch has failed. */
TW_EXPORT void tw_host_wait(void);

/* Memory for the buffers of one kernel call: `bytes` bytes aligned to 64, which
 * the calling thread owns until its next call of this function. Kernels with
 * large tiles call it once per call; the thread keeps the memory. */
TW_EXPORT void *tw_host_scratch(uint64_t bytes);

typedef enum tw_print_kind {
  TW_PRINT_SIGNED = 0,   /* sign-extended to 64 bits */
  TW_PRINT_UNSIGNED = 1, /* zero-extended */
  TW_PRINT_FLOAT = 2,    /* the bits of a double */
  TW_PRINT_POINTER = 3,  /* an address */
  TW_PRINT_NOTHING = 4,  /* no value: the program and the prefix alone */
  /* zero-extended, in base 16 with this many digits */
  TW_PRINT_HEX_1 = 5,
  TW_PRINT_HEX_2 = 6,
  TW_PRINT_HEX_4 = 7,
  TW_PRINT_HEX_8 = 8,
  TW_PRINT_HEX_16 = 9
} tw_print_kind;

/* Prints one value as a line on the standard output: the program and the
 * element that it belongs to, `prefix` and the value. `indices` holds the three
 * program ids, then the element's index in `rank` dimensions. */
TW_EXPORT void tw_host_print(const char *prefix, int32_t kind, uint64_t bits,
                             const int32_t *indices, int32_t rank);

#ifdef __cplusplus
}
#endif

#endif /* TILEWRIGHT_RUNTIME_INCLUDE_TILEWRIGHT_C_RUNTIME_H */
