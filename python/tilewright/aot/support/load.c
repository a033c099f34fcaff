/* -- Kernels ------------------------------------------------------------------ */

/* A cubin, or PTX that ends in a zero, for one architecture. */
struct tw_cuda_code {
  /* Index of the kernel in its library. */
  unsigned index;
  /* 90 and 'a' of sm_90a; 0 without a letter. */
  int capability;
  char suffix, is_ptx;
  /* All programs run at once, or the launch fails. */
  char cooperative;
  /* It may start before earlier kernels on its stream end. */
  char dependent;
  const void *image;
  /* The CTAs of a cluster are consecutive along the first dimension of the grid. */
  unsigned threads, shared, cluster;
  /* NULL: the host adds nothing to a launch. */
  const int64_t *recipe;
};

/* The second number of a recipe: the relation between requested and launched grid. */
enum { TW_GRID_GIVEN, TW_GRID_PERSISTENT, TW_GRID_PADDED, TW_GRID_ORDERED };

/* The ticket counters of a kernel with ordered programs. Launches that may overlap do not share
 * one: each stream has a slot, and so has each launch that a graph records. */
enum { TW_TICKET_SLOTS = 16384 };

struct tw_ticket_slot {
  void *stream;
  pthread_t thread;
};

struct tw_kernel {
  void *module, *function;
  /* Number of programs of a persistent kernel that run at once. */
  int64_t resident;
  /* Guards the entries, TW_MAP_ENTRIES for each map. */
  pthread_mutex_t mutex;
  struct tw_map_entry *entries;
  /* The owners of the ticket slots of a kernel with ordered programs, under the mutex. */
  struct tw_ticket_slot *slots;
  int32_t slot_count;
};

/* Not a public status: another candidate may accept the call. */
enum { TW_NO_MAP = -1 };

static int tw_runs_on(const struct tw_cuda_code *code, int capability) {
  if (code->suffix == 'a')
    return capability == code->capability;
  if (code->is_ptx && !code->suffix)
    return capability >= code->capability;
  return capability / 10 == code->capability / 10 && capability >= code->capability;
}

static int tw_load_module(const struct tw_candidate *candidate, void **module, const char *who) {
  char log[512] = "";
  enum { ErrorLog = 5, ErrorLogBytes = 6 };
  int options[] = {ErrorLog, ErrorLogBytes};
  void *values[] = {log, (void *)(sizeof(log) - 1)};
  int result = tw_cu.cuModuleLoadDataEx(module, candidate->cuda->image, 2, options, values);
  int status = tw_check(result, "cuModuleLoadDataEx", who);
  if (status && log[0]) {
    size_t used = strlen(tw_message);
    snprintf(tw_message + used, sizeof(tw_message) - used, "\n%s", log);
  }
  return status;
}

/* Checks that the device has the shared memory and registers that the kernel needs. */
static int tw_fit_device(const struct tw_context *context, const struct tw_cuda_code *code,
                         void *function, const char *who) {
  enum { MaxThreads = 0, StaticShared = 1, MaxDynamicShared = 8 };
  int threads, fixed, status;
  if ((status = tw_check(tw_cu.cuFuncGetAttribute(&threads, MaxThreads, function),
                         "cuFuncGetAttribute", who)) ||
      (status = tw_check(tw_cu.cuFuncGetAttribute(&fixed, StaticShared, function),
                         "cuFuncGetAttribute", who)))
    return status;
  if ((int64_t)fixed + code->shared > context->shared_limit)
    return tw_fail(TILEWRIGHT_UNSUPPORTED,
                   "%s: it needs %lld bytes of shared memory, but the device has at most %d", who,
                   (long long)fixed + code->shared, context->shared_limit);
  if ((int64_t)code->threads > threads)
    return tw_fail(TILEWRIGHT_UNSUPPORTED,
                   "%s: it was compiled for %u threads, but with its registers the device runs at "
                   "most %d",
                   who, code->threads, threads);
  if (!code->shared)
    return TILEWRIGHT_OK;
  return tw_check(tw_cu.cuFuncSetAttribute(function, MaxDynamicShared, (int)code->shared),
                  "cuFuncSetAttribute", who);
}

/* Computes how many programs of a persistent kernel run at once. */
static int tw_count_resident(const struct tw_context *context, const struct tw_cuda_code *code,
                             struct tw_kernel *kernel, const char *who) {
  int status, count;
  if (code->cluster > 1 && tw_cu.cuOccupancyMaxActiveClusters) {
    struct tw_launch_attribute attribute = {.id = TW_CLUSTER,
                                            .value.cluster = {code->cluster, 1, 1}};
    struct tw_launch_description description = {
        .grid = {code->cluster, 1, 1},
        .block = {code->threads, 1, 1},
        .shared = code->shared,
        .attributes = &attribute,
        .attribute_count = 1,
    };
    status =
        tw_check(tw_cu.cuOccupancyMaxActiveClusters(&count, kernel->function, &description),
                 "cuOccupancyMaxActiveClusters", who);
  } else {
    status = tw_check(tw_cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                          &count, kernel->function, (int)code->threads, code->shared),
                      "cuOccupancyMaxActiveBlocksPerMultiprocessor", who);
    count = (count > 0 ? count : 1) * context->processors / (int)code->cluster;
  }
  kernel->resident = (int64_t)(count > 0 ? count : 1) * code->cluster;
  return status;
}

static int tw_prepare_recipe(struct tw_context *context, const struct tw_cuda_code *code,
                             struct tw_kernel *kernel, const char *who) {
  int64_t grid = code->recipe ? code->recipe[1] : TW_GRID_GIVEN;
  size_t maps = code->recipe ? (size_t)code->recipe[2] : 0;
  int status;
  if (maps && !tw_cu.cuTensorMapEncodeTiled)
    return tw_fail(TILEWRIGHT_UNSUPPORTED, "%s: CUDA driver too old: it has no tensor maps", who);
  if (maps && !context->zeros) {
    if ((status = tw_check(tw_cu.cuMemAlloc_v2(&context->zeros, 256), "cuMemAlloc", who)) ||
        (status = tw_check(tw_cu.cuMemsetD8_v2(context->zeros, 0, 256), "cuMemsetD8", who)))
      return status;
  }
  if (maps) {
    size_t bytes = maps * TW_MAP_ENTRIES * sizeof(struct tw_map_entry);
    if (!(kernel->entries = aligned_alloc(64, bytes)))
      return tw_fail(TILEWRIGHT_OUT_OF_MEMORY, "%s: no memory", who);
    memset(kernel->entries, 0, bytes);
  }
  if (grid == TW_GRID_ORDERED &&
      !(kernel->slots = calloc(TW_TICKET_SLOTS, sizeof(*kernel->slots))))
    return tw_fail(TILEWRIGHT_OUT_OF_MEMORY, "%s: no memory", who);
  return grid == TW_GRID_PERSISTENT ? tw_count_resident(context, code, kernel, who)
                                    : TILEWRIGHT_OK;
}

static void tw_free_kernel(struct tw_kernel *kernel) {
  if (kernel->module)
    tw_cu.cuModuleUnload(kernel->module);
  pthread_mutex_destroy(&kernel->mutex);
  free(kernel->entries);
  free(kernel->slots);
  free(kernel);
}

/* Requires the load mutex. */
static int tw_load_locked(struct tw_context *context, const struct tw_candidate *candidate,
                          const char *who) {
  struct tw_kernel *kernel;
  int status;
  if (context->kernels[candidate->cuda->index])
    return TILEWRIGHT_OK;
  if (!(kernel = calloc(1, sizeof(*kernel))))
    return tw_fail(TILEWRIGHT_OUT_OF_MEMORY, "%s: no memory", who);
  pthread_mutex_init(&kernel->mutex, NULL);
  if ((status = tw_load_module(candidate, &kernel->module, who)) ||
      (status = tw_check(
           tw_cu.cuModuleGetFunction(&kernel->function, kernel->module, candidate->symbol),
           "cuModuleGetFunction", who)) ||
      (status = tw_fit_device(context, candidate->cuda, kernel->function, who)) ||
      (status = tw_prepare_recipe(context, candidate->cuda, kernel, who))) {
    tw_free_kernel(kernel);
    return status;
  }
  __atomic_store_n(&context->kernels[candidate->cuda->index], kernel, __ATOMIC_RELEASE);
  return TILEWRIGHT_OK;
}

static int tw_load(struct tw_context *context, const struct tw_candidate *candidate,
                   struct tw_kernel **kernel, const char *who) {
  struct tw_kernel **slot = &context->kernels[candidate->cuda->index];
  int status = TILEWRIGHT_OK;
  if (!__atomic_load_n(slot, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&tw_load_mutex);
    status = tw_load_locked(context, candidate, who);
    pthread_mutex_unlock(&tw_load_mutex);
  }
  *kernel = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  return status;
}
