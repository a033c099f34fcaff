/* -- The driver ------------------------------------------------------------- */

/* Types and numbers of the CUDA driver's documented 64-bit interface. */
struct tw_tensor_map {
  _Alignas(64) uint64_t words[16];
};

enum {
  TW_CU_OUT_OF_MEMORY = 2,
  TW_CU_NO_DEVICE = 100,
  TW_CU_NO_BINARY_FOR_GPU = 209,
  TW_CU_INVALID_PTX = 218,
  TW_CU_UNSUPPORTED_PTX_VERSION = 222
};

enum { TW_PROCESSORS = 16, TW_CAPABILITY_MAJOR = 75, TW_CAPABILITY_MINOR = 76, TW_SHARED_LIMIT = 97 };

/* An attribute of a launch, and a launch with attributes. */
enum { TW_COOPERATIVE = 2, TW_CLUSTER = 4, TW_DEPENDENT = 6 };
struct tw_launch_attribute {
  int id;
  char padding[4];
  union {
    int flag;
    unsigned cluster[3];
    char bytes[64];
  } value;
};
struct tw_launch_description {
  unsigned grid[3], block[3], shared;
  void *stream;
  struct tw_launch_attribute *attributes;
  unsigned attribute_count;
};

/* Each function, and whether every driver that can run the code has it. */
#define TW_DRIVER_FUNCTIONS(F)                                                                     \
  F(cuInit, 1, (unsigned))                                                                         \
  F(cuGetErrorName, 1, (int, const char **))                                                       \
  F(cuGetErrorString, 1, (int, const char **))                                                     \
  F(cuDeviceGet, 1, (int *, int))                                                                  \
  F(cuDeviceGetAttribute, 1, (int *, int, int))                                                    \
  F(cuDevicePrimaryCtxRetain, 1, (void **, int))                                                   \
  F(cuDevicePrimaryCtxRelease_v2, 1, (int))                                                        \
  F(cuCtxGetCurrent, 1, (void **))                                                                 \
  F(cuCtxGetDevice, 1, (int *))                                                                    \
  F(cuCtxGetId, 0, (void *, unsigned long long *))                                                 \
  F(cuCtxPushCurrent_v2, 1, (void *))                                                              \
  F(cuCtxPopCurrent_v2, 1, (void **))                                                              \
  F(cuModuleLoadDataEx, 1, (void **, const void *, unsigned, int *, void **))                      \
  F(cuModuleUnload, 1, (void *))                                                                   \
  F(cuModuleGetFunction, 1, (void **, void *, const char *))                                       \
  F(cuFuncGetAttribute, 1, (int *, int, void *))                                                   \
  F(cuFuncSetAttribute, 1, (void *, int, int))                                                     \
  F(cuLaunchKernel, 1,                                                                             \
    (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,         \
     void **, void **))                                                                            \
  F(cuLaunchKernelEx, 0,                                                                           \
    (const struct tw_launch_description *, void *, void **, void **))                              \
  F(cuOccupancyMaxActiveClusters, 0, (int *, void *, const struct tw_launch_description *))        \
  F(cuLaunchCooperativeKernel, 1,                                                                  \
    (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,         \
     void **))                                                                                     \
  F(cuTensorMapEncodeTiled, 0,                                                                     \
    (struct tw_tensor_map *, int, uint32_t, uint64_t, const uint64_t *, const uint64_t *,          \
     const uint32_t *, const uint32_t *, int, int, int, int))                                      \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor, 1, (int *, void *, int, size_t))                  \
  F(cuStreamIsCapturing, 0, (void *, int *))                                                       \
  F(cuMemAlloc_v2, 1, (uint64_t *, size_t))                                                        \
  F(cuMemFree_v2, 1, (uint64_t))                                                                   \
  F(cuMemsetD8_v2, 1, (uint64_t, unsigned char, size_t))

#define TW_MEMBER(name, needed, parameters) int(*name) parameters;
static struct {
  TW_DRIVER_FUNCTIONS(TW_MEMBER)
  int status;
  char reason[512];
} tw_cu;
#undef TW_MEMBER

__attribute__((format(printf, 2, 3))) static void tw_no_driver(int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(tw_cu.reason, sizeof(tw_cu.reason), format, arguments);
  va_end(arguments);
  tw_cu.status = status;
}

static void tw_open_driver(void) {
  const char *path = getenv("TILEWRIGHT_LIBCUDA");
  void *library = dlopen(path && *path ? path : "libcuda.so.1", RTLD_NOW);
  if (!library) {
    tw_no_driver(TILEWRIGHT_UNAVAILABLE, "no CUDA driver: %s", dlerror());
    return;
  }
#define TW_FIND(name, needed, parameters)                                                          \
  *(void **)&tw_cu.name = dlsym(library, #name);                                                   \
  if (needed && !tw_cu.name) {                                                                     \
    tw_no_driver(TILEWRIGHT_UNSUPPORTED, "CUDA driver too old: it has no " #name);                 \
    return;                                                                                        \
  }
  TW_DRIVER_FUNCTIONS(TW_FIND)
#undef TW_FIND
  int result = tw_cu.cuInit(0);
  if (result)
    tw_no_driver(result == TW_CU_NO_DEVICE ? TILEWRIGHT_UNAVAILABLE : TILEWRIGHT_DRIVER_ERROR,
                 "cuInit failed with error %d%s", result,
                 result == TW_CU_NO_DEVICE ? ": no CUDA device" : "");
}

static int tw_need_driver(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, tw_open_driver);
  return tw_cu.status == TILEWRIGHT_OK ? TILEWRIGHT_OK : tw_fail(tw_cu.status, "%s", tw_cu.reason);
}

/* Converts a result of the driver to a status with the driver's message. */
static int tw_check(int result, const char *call, const char *who) {
  const char *name = NULL, *words = NULL;
  if (result == 0)
    return TILEWRIGHT_OK;
  if (tw_cu.cuGetErrorName(result, &name) != 0 || tw_cu.cuGetErrorString(result, &words) != 0)
    name = words = NULL;
  int status = result == TW_CU_OUT_OF_MEMORY ? TILEWRIGHT_OUT_OF_MEMORY : TILEWRIGHT_DRIVER_ERROR;
  if (result == TW_CU_NO_BINARY_FOR_GPU || result == TW_CU_UNSUPPORTED_PTX_VERSION)
    status = TILEWRIGHT_UNSUPPORTED;
  return tw_fail(status, "%s: %s failed: %s (%d): %s", who, call, name ? name : "error", result,
                 words ? words : "unknown");
}

/* -- Contexts ------------------------------------------------------------------ */

/* The state of a context, and the kernels loaded in it. */
struct tw_context {
  struct tw_context *next;
  void *handle;
  /* Identifies a context: the handles of destroyed contexts are reused. */
  unsigned long long id;
  int capability, processors, shared_limit;
  /* Zeros that replace arrays without elements; 0 until they are needed. */
  uint64_t zeros;
  struct tw_kernel *kernels[TW_CUDA_KERNELS];
};

static struct tw_context *tw_contexts;
static pthread_mutex_t tw_load_mutex = PTHREAD_MUTEX_INITIALIZER;
/* The primary context of device 0, for callers without a context. */
static void *tw_primary;

static struct tw_context *tw_find_context(void *handle, unsigned long long id) {
  struct tw_context *context = __atomic_load_n(&tw_contexts, __ATOMIC_ACQUIRE);
  while (context && (context->handle != handle || context->id != id))
    context = context->next;
  return context;
}

/* Requires the load mutex. */
static int tw_add_context(void *handle, unsigned long long id, struct tw_context **found,
                          const char *who) {
  int device, major, minor, processors, shared, status;
  if ((*found = tw_find_context(handle, id)))
    return TILEWRIGHT_OK;
  if ((status = tw_check(tw_cu.cuCtxGetDevice(&device), "cuCtxGetDevice", who)))
    return status;
  const struct {
    int *value, attribute;
  } wanted[] = {{&major, TW_CAPABILITY_MAJOR},
                {&minor, TW_CAPABILITY_MINOR},
                {&processors, TW_PROCESSORS},
                {&shared, TW_SHARED_LIMIT}};
  for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); ++i)
    if ((status = tw_check(tw_cu.cuDeviceGetAttribute(wanted[i].value, wanted[i].attribute, device),
                           "cuDeviceGetAttribute", who)))
      return status;
  struct tw_context *context = calloc(1, sizeof(*context));
  if (!context)
    return tw_fail(TILEWRIGHT_OUT_OF_MEMORY, "%s: no memory", who);
  context->handle = handle;
  context->id = id;
  context->capability = 10 * major + minor;
  context->processors = processors;
  context->shared_limit = shared;
  context->next = tw_contexts;
  __atomic_store_n(&tw_contexts, context, __ATOMIC_RELEASE);
  *found = context;
  return TILEWRIGHT_OK;
}

/* Requires the load mutex. */
static int tw_retain_primary(const char *who) {
  int device, status;
  if (tw_primary)
    return TILEWRIGHT_OK;
  if ((status = tw_check(tw_cu.cuDeviceGet(&device, 0), "cuDeviceGet", who)))
    return status;
  return tw_check(tw_cu.cuDevicePrimaryCtxRetain(&tw_primary, device), "cuDevicePrimaryCtxRetain",
                  who);
}

/* Enters the calling thread's context or, without one, the primary context of device 0.
 * `pushed` is set if the caller must pop the context. */
static int tw_enter(struct tw_context **context, int *pushed, const char *who) {
  void *handle = NULL;
  unsigned long long id = 0;
  int status = tw_need_driver();
  *pushed = 0;
  if (status || (status = tw_check(tw_cu.cuCtxGetCurrent(&handle), "cuCtxGetCurrent", who)))
    return status;
  if (!handle) {
    pthread_mutex_lock(&tw_load_mutex);
    status = tw_retain_primary(who);
    handle = tw_primary;
    pthread_mutex_unlock(&tw_load_mutex);
    if (status || (status = tw_check(tw_cu.cuCtxPushCurrent_v2(handle), "cuCtxPushCurrent", who)))
      return status;
    *pushed = 1;
  }
  if (tw_cu.cuCtxGetId)
    status = tw_check(tw_cu.cuCtxGetId(handle, &id), "cuCtxGetId", who);
  if (!status && !(*context = tw_find_context(handle, id))) {
    pthread_mutex_lock(&tw_load_mutex);
    status = tw_add_context(handle, id, context, who);
    pthread_mutex_unlock(&tw_load_mutex);
  }
  if (status && *pushed)
    tw_cu.cuCtxPopCurrent_v2(&handle);
  return status;
}

static void tw_leave(int pushed) {
  void *handle;
  if (pushed)
    tw_cu.cuCtxPopCurrent_v2(&handle);
}
