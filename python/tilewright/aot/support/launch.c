/* -- Launches ------------------------------------------------------------------- */

/* Queues a launch that may start early. Drivers without this function support no device that
 * could. */
static int tw_queue_dependent(const struct tw_cuda_code *code, void *function,
                              const int64_t grid[3], void **parameters, void *stream,
                              const char *who) {
  struct tw_launch_attribute attributes[2] = {
      {.id = TW_DEPENDENT, .value.flag = 1},
      {.id = TW_COOPERATIVE, .value.flag = 1},
  };
  struct tw_launch_description description = {
      .grid = {(unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2]},
      .block = {code->threads, 1, 1},
      .shared = code->shared,
      .stream = stream,
      .attributes = attributes,
      .attribute_count = code->cooperative ? 2 : 1,
  };
  return tw_check(tw_cu.cuLaunchKernelEx(&description, function, parameters, NULL),
                  "cuLaunchKernelEx", who);
}

static int tw_queue(const struct tw_cuda_code *code, void *function, const int64_t grid[3],
                    void **parameters, void *stream, const char *who) {
  if (code->dependent && tw_cu.cuLaunchKernelEx)
    return tw_queue_dependent(code, function, grid, parameters, stream, who);
  if (code->cooperative)
    return tw_check(tw_cu.cuLaunchCooperativeKernel(
                        function, (unsigned)grid[0], (unsigned)grid[1], (unsigned)grid[2],
                        code->threads, 1, 1, code->shared, stream, parameters),
                    "cuLaunchCooperativeKernel", who);
  return tw_check(tw_cu.cuLaunchKernel(function, (unsigned)grid[0], (unsigned)grid[1],
                                       (unsigned)grid[2], code->threads, 1, 1, code->shared, stream,
                                       parameters, NULL),
                  "cuLaunchKernel", who);
}

/* Changes the requested grid into the launched one. */
static int tw_choose_grid(const struct tw_cuda_code *code, const struct tw_kernel *kernel,
                          int64_t grid[3], const char *who) {
  int persistent = code->recipe[1] == TW_GRID_PERSISTENT;
  int64_t cluster = code->cluster;
  /* At most 2^31 * 2^16 * 2^16. */
  int64_t programs = persistent ? grid[0] * grid[1] * grid[2] : grid[0];
  int64_t rounded = (programs + cluster - 1) / cluster * cluster;
  if (rounded > INT32_MAX)
    return tw_fail(TILEWRIGHT_UNSUPPORTED,
                   "%s: a grid of %lld programs, but at most %lld are counted", who,
                   (long long)programs, (long long)(INT32_MAX / cluster * cluster));
  grid[0] = persistent && kernel->resident < rounded ? kernel->resident : rounded;
  if (persistent)
    grid[1] = grid[2] = 1;
  return TILEWRIGHT_OK;
}

/* Returns the ticket slot of a launch. */
static int32_t tw_ticket_slot(struct tw_kernel *kernel, void *stream) {
  int captured = 0;
  int32_t slot;
  struct tw_ticket_slot key = {stream, pthread_self()};
  if (stream && tw_cu.cuStreamIsCapturing)
    tw_cu.cuStreamIsCapturing(stream, &captured);
  pthread_mutex_lock(&kernel->mutex);
  for (slot = captured ? kernel->slot_count : 0; slot < kernel->slot_count; ++slot)
    if (kernel->slots[slot].stream == key.stream &&
        pthread_equal(kernel->slots[slot].thread, key.thread))
      break;
  if (slot == kernel->slot_count) {
    slot %= TW_TICKET_SLOTS;
    kernel->slot_count = slot + 1;
    /* No stream has this handle. */
    if (captured)
      key.stream = (void *)-1;
    kernel->slots[slot] = key;
  }
  pthread_mutex_unlock(&kernel->mutex);
  return slot;
}

static int tw_submit(const struct tw_context *context, const struct tw_candidate *candidate,
                     struct tw_kernel *kernel, int64_t grid[3], void **parameters, unsigned count,
                     void *stream, const char *who) {
  const struct tw_cuda_code *code = candidate->cuda;
  struct tw_tensor_map maps[TW_MAX_MAPS];
  int32_t extents[3];
  if (code->recipe && code->recipe[1] == TW_GRID_ORDERED) {
    extents[0] = tw_ticket_slot(kernel, stream);
    parameters[count++] = &extents[0];
  } else if (code->recipe && code->recipe[1] != TW_GRID_GIVEN) {
    for (int i = 0; i < 3; ++i) {
      extents[i] = (int32_t)grid[i];
      parameters[count++] = &extents[i];
    }
    if (tw_choose_grid(code, kernel, grid, who))
      return TILEWRIGHT_UNSUPPORTED;
  }
  if (code->recipe) {
    const int64_t *at = code->recipe + 3;
    int made = 1;
    pthread_mutex_lock(&kernel->mutex);
    for (int64_t i = 0; i < code->recipe[2] && made; ++i) {
      made = tw_make_map(&at, parameters, context->zeros, kernel->entries + i * TW_MAP_ENTRIES,
                         &maps[i]);
      parameters[count++] = &maps[i];
    }
    pthread_mutex_unlock(&kernel->mutex);
    if (!made)
      return TW_NO_MAP;
  }
  return tw_queue(code, kernel->function, grid, parameters, stream, who);
}

static int tw_launch_candidate(struct tw_context *context, const struct tw_function *function,
                               const struct tw_candidate *candidate, const uint64_t *arguments,
                               const int64_t given[3], void *stream) {
  static const int64_t kLimits[3] = {INT32_MAX, 65535, 65535};
  /* Includes the parameters that a recipe adds. */
  void *parameters[TW_MAX_ARGUMENTS + 3 + TW_MAX_MAPS];
  int64_t grid[3] = {given[0], given[1], given[2]};
  struct tw_kernel *kernel;
  unsigned count = 0;
  int status = tw_read_grid(function, candidate, arguments, kLimits, grid);
  if (status || grid[0] == 0 || grid[1] == 0 || grid[2] == 0 ||
      (status = tw_load(context, candidate, &kernel, function->name)))
    return status;
  /* Little-endian: a parameter narrower than its slot starts at the slot. */
  for (unsigned i = 0; i < function->argument_count; ++i)
    if (tw_is_passed(candidate, i))
      parameters[count++] = (void *)(uintptr_t)&arguments[i];
  return tw_submit(context, candidate, kernel, grid, parameters, count, stream, function->name);
}

static int tw_choose(struct tw_context *context, const struct tw_function *function,
                     const uint64_t *arguments, const int64_t grid[3], void *stream) {
  struct tw_rejection why = {NULL, 0};
  int runnable = 0, without_map = 0;
  char machine[64];
  for (unsigned i = 0; i < function->candidate_count; ++i) {
    const struct tw_candidate *candidate = &function->candidates[i];
    if (!tw_runs_on(candidate->cuda, context->capability))
      continue;
    runnable = 1;
    int takes = tw_takes(function, candidate, arguments, &why);
    if (takes < 0)
      return tw_fail_condition(function);
    if (!takes)
      continue;
    int status = tw_launch_candidate(context, function, candidate, arguments, grid, stream);
    if (status != TW_NO_MAP)
      return status;
    without_map = 1;
  }
  if (without_map)
    return tw_fail(TILEWRIGHT_INVALID_ARGUMENT,
                   "%s: the tensor memory accelerator cannot copy from an array of these "
                   "addresses, sizes and strides",
                   function->name);
  if (runnable)
    return tw_fail_rejected(function, &why);
  snprintf(machine, sizeof(machine), "compute capability %d.%d", context->capability / 10,
           context->capability % 10);
  return tw_fail_target(function, machine);
}

static int tw_launch_cuda(const struct tw_function *function, const uint64_t *arguments,
                          const int64_t grid[3], void *stream) {
  struct tw_context *context;
  int pushed, status = tw_enter(&context, &pushed, function->name);
  if (status)
    return status;
  status = tw_choose(context, function, arguments, grid, stream);
  tw_leave(pushed);
  return status;
}

static int tw_load_all(const struct tw_function *const *functions, size_t count) {
  struct tw_context *context;
  struct tw_kernel *kernel;
  int pushed, status = tw_enter(&context, &pushed, "load");
  if (status)
    return status;
  for (size_t i = 0; i < count; ++i)
    for (unsigned j = 0; j < functions[i]->candidate_count && !status; ++j)
      if (tw_runs_on(functions[i]->candidates[j].cuda, context->capability))
        status = tw_load(context, &functions[i]->candidates[j], &kernel, functions[i]->name);
  tw_leave(pushed);
  return status;
}

/* A destroyed context has freed its modules and its memory. */
static void tw_unload_context(struct tw_context *context) {
  void *popped;
  unsigned long long id = context->id;
  int alive = (!tw_cu.cuCtxGetId || (tw_cu.cuCtxGetId(context->handle, &id) == 0 &&
                                     id == context->id)) &&
              tw_cu.cuCtxPushCurrent_v2(context->handle) == 0;
  for (size_t i = 0; i < TW_CUDA_KERNELS; ++i)
    if (context->kernels[i]) {
      if (!alive)
        context->kernels[i]->module = NULL;
      tw_free_kernel(context->kernels[i]);
    }
  if (alive) {
    if (context->zeros)
      tw_cu.cuMemFree_v2(context->zeros);
    tw_cu.cuCtxPopCurrent_v2(&popped);
  }
  free(context);
}

static void tw_unload_all(void) {
  int device;
  pthread_mutex_lock(&tw_load_mutex);
  while (tw_contexts) {
    struct tw_context *context = tw_contexts;
    tw_contexts = context->next;
    tw_unload_context(context);
  }
  if (tw_primary && tw_cu.cuDeviceGet(&device, 0) == 0)
    tw_cu.cuDevicePrimaryCtxRelease_v2(device);
  tw_primary = NULL;
  pthread_mutex_unlock(&tw_load_mutex);
}
