/* -- Processors ------------------------------------------------------------- */

/* The position of a feature in the result of the CPUID instruction: leaf, subleaf,
 * register (eax, ebx, ecx, edx) and bit. */
struct tw_cpu_feature {
  unsigned leaf, subleaf;
  unsigned char reg, bit;
};

/* TW_WAITING: programs wait for each other and run on a thread each, as far as there
 * are threads. */
enum tw_order { TW_ANY_ORDER, TW_WAITING, TW_IN_ORDER };

struct tw_host_code {
  void (*run)(const uint64_t *arguments, const int32_t *grid, int64_t begin, int64_t end);
  const struct tw_cpu_feature *features;
  unsigned feature_count;
  /* Bits of XCR0: registers that the system must save. */
  unsigned saved_registers;
  enum tw_order order;
};

#if defined(__x86_64__)
static int tw_runs_here(const struct tw_host_code *code) {
  unsigned r[4];
  unsigned saved = 0;
  if (__get_cpuid(1, &r[0], &r[1], &r[2], &r[3]) && (r[2] >> 27 & 1)) {
    unsigned high;
    __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  }
  if ((saved & code->saved_registers) != code->saved_registers)
    return 0;
  for (unsigned i = 0; i < code->feature_count; ++i) {
    const struct tw_cpu_feature *f = &code->features[i];
    if (!__get_cpuid_count(f->leaf, f->subleaf, &r[0], &r[1], &r[2], &r[3]) ||
        !(r[f->reg] >> f->bit & 1))
      return 0;
  }
  return 1;
}
#else
static int tw_runs_here(const struct tw_host_code *code) {
  (void)code;
  return 1;
}
#endif

/* -- Functions that kernels call --------------------------------------------- */

/* These are weak, so that a program may contain several libraries. Their state is weak
 * too, so that all libraries share it. */
#define TW_SHARED __attribute__((weak, visibility("hidden")))

struct tw_active_range {
  jmp_buf exit;
  char failure[512];
};
struct tw_scratch {
  void *memory;
  uint64_t bytes;
};

TW_SHARED __thread struct tw_active_range *tw_aot_active_range;
TW_SHARED __thread struct tw_scratch tw_aot_scratch;
TW_SHARED pthread_key_t tw_aot_scratch_key;
TW_SHARED pthread_once_t tw_aot_scratch_once = PTHREAD_ONCE_INIT;

TW_SHARED void tw_host_assert_fail(const char *message);
TW_SHARED void tw_host_assert_fail(const char *message) {
  snprintf(tw_aot_active_range->failure, sizeof(tw_aot_active_range->failure), "%s", message);
  _longjmp(tw_aot_active_range->exit, 1);
}

/* Called in each iteration of a loop that waits for another program. */
TW_SHARED void tw_host_wait(void);
TW_SHARED void tw_host_wait(void) { sched_yield(); }

TW_SHARED void tw_aot_make_scratch_key(void);
TW_SHARED void tw_aot_make_scratch_key(void) { pthread_key_create(&tw_aot_scratch_key, free); }

/* Grows, and is freed when its thread ends. */
TW_SHARED void *tw_host_scratch(uint64_t bytes);
TW_SHARED void *tw_host_scratch(uint64_t bytes) {
  struct tw_scratch *scratch = &tw_aot_scratch;
  if (bytes <= scratch->bytes)
    return scratch->memory;
  pthread_once(&tw_aot_scratch_once, tw_aot_make_scratch_key);
  bytes = (bytes + 63) / 64 * 64;
  free(scratch->memory);
  scratch->memory = aligned_alloc(64, bytes);
  scratch->bytes = scratch->memory ? bytes : 0;
  pthread_setspecific(tw_aot_scratch_key, scratch->memory);
  return scratch->memory;
}

TW_SHARED void tw_host_print(const char *prefix, int32_t kind, uint64_t bits, const int32_t *indices,
                             int32_t rank);
TW_SHARED void tw_host_print(const char *prefix, int32_t kind, uint64_t bits, const int32_t *indices,
                             int32_t rank) {
  /* From Hex on: base 16 with 1, 2, 4, 8 or 16 digits. */
  enum { Signed, Unsigned, Float, Pointer, Nothing, Hex };
  char index[128] = "", value[330] = ""; /* a double may have 309 digits in front of the point */
  size_t used = 0;
  double number;
  memcpy(&number, &bits, sizeof(number));
  for (int32_t i = 0; i < rank && used < sizeof(index); ++i)
    used += (size_t)snprintf(index + used, sizeof(index) - used, "%s%d", i ? ", " : "", indices[3 + i]);
  if (kind == Signed)
    snprintf(value, sizeof(value), "%lld", (long long)bits);
  else if (kind == Unsigned)
    snprintf(value, sizeof(value), "%llu", (unsigned long long)bits);
  else if (kind == Float)
    snprintf(value, sizeof(value), number == number ? "%f" : "nan", number);
  else if (kind == Pointer)
    snprintf(value, sizeof(value), "0x%llx", (unsigned long long)bits);
  else if (kind >= Hex)
    snprintf(value, sizeof(value), "0x%0*llx", 1 << (kind - Hex), (unsigned long long)bits);
  flockfile(stdout);
  printf("pid (%d, %d, %d) ", indices[0], indices[1], indices[2]);
  if (kind != Nothing)
    printf("idx (%s) ", index);
  printf("%s%s\n", prefix, value);
  fflush(stdout);
  funlockfile(stdout);
}

/* -- Threads ------------------------------------------------------------------ */

/* One launch. Workers join and leave it under the pool's mutex, but take ranges
 * without it. */
struct tw_job {
  struct tw_job *next;
  const struct tw_host_code *code;
  const uint64_t *arguments;
  const int32_t *grid;
  int64_t count, chunk, position;
  unsigned wanted, inside;
  int failed;
  char failure[512];
};

static struct {
  pthread_mutex_t mutex;
  pthread_cond_t work, left;
  struct tw_job *jobs;
  pthread_t threads[1024];
  unsigned workers;
  int stop;
} tw_pool = {.mutex = PTHREAD_MUTEX_INITIALIZER,
             .work = PTHREAD_COND_INITIALIZER,
             .left = PTHREAD_COND_INITIALIZER};

/* Runs programs in this thread; returns 0 after a failed assertion. Between setjmp and
 * longjmp are only this frame and frames of kernels, which own no resources. */
static int tw_run_range(const struct tw_job *job, int64_t begin, int64_t end, char *failure) {
  struct tw_active_range range, *outer = tw_aot_active_range;
  tw_aot_active_range = &range;
  if (_setjmp(range.exit) == 0) {
    job->code->run(job->arguments, job->grid, begin, end);
    tw_aot_active_range = outer;
    return 1;
  }
  tw_aot_active_range = outer;
  memcpy(failure, range.failure, sizeof(range.failure));
  return 0;
}

static void tw_work(struct tw_job *job) {
  char failure[512];
  for (;;) {
    int64_t begin = __atomic_fetch_add(&job->position, job->chunk, __ATOMIC_RELAXED);
    if (begin >= job->count)
      return;
    int64_t end = begin + job->chunk < job->count ? begin + job->chunk : job->count;
    if (tw_run_range(job, begin, end, failure))
      continue;
    __atomic_store_n(&job->position, job->count, __ATOMIC_RELAXED);
    pthread_mutex_lock(&tw_pool.mutex);
    if (!job->failed)
      memcpy(job->failure, failure, sizeof(failure));
    job->failed = 1;
    pthread_mutex_unlock(&tw_pool.mutex);
  }
}

static struct tw_job *tw_next_job(void) {
  for (struct tw_job *job = tw_pool.jobs; job; job = job->next)
    if (job->wanted && __atomic_load_n(&job->position, __ATOMIC_RELAXED) < job->count)
      return job;
  return NULL;
}

static void *tw_worker(void *unused) {
  (void)unused;
  pthread_mutex_lock(&tw_pool.mutex);
  while (!tw_pool.stop) {
    struct tw_job *job = tw_next_job();
    if (!job) {
      pthread_cond_wait(&tw_pool.work, &tw_pool.mutex);
      continue;
    }
    --job->wanted;
    ++job->inside;
    pthread_mutex_unlock(&tw_pool.mutex);
    tw_work(job);
    pthread_mutex_lock(&tw_pool.mutex);
    if (--job->inside == 0)
      pthread_cond_broadcast(&tw_pool.left);
  }
  pthread_mutex_unlock(&tw_pool.mutex);
  return NULL;
}

/* The child of a fork has none of the workers, and a vanished one may hold the
 * mutex. */
static void tw_forget_pool(void) {
  pthread_mutex_init(&tw_pool.mutex, NULL);
  pthread_cond_init(&tw_pool.work, NULL);
  pthread_cond_init(&tw_pool.left, NULL);
  tw_pool.jobs = NULL;
  tw_pool.workers = 0;
}

/* Requires the mutex. If no more threads are available, continues with the existing
 * ones. Workers block signals, which belong to the program's own threads. */
static void tw_start_workers(unsigned wanted) {
  static int registered;
  sigset_t all, before;
  if (!registered)
    registered = pthread_atfork(NULL, NULL, tw_forget_pool) == 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (tw_pool.workers < wanted &&
         pthread_create(&tw_pool.threads[tw_pool.workers], NULL, tw_worker, NULL) == 0)
    ++tw_pool.workers;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The code of the workers is unloaded with the library. */
__attribute__((destructor)) static void tw_stop_workers(void) {
  pthread_mutex_lock(&tw_pool.mutex);
  tw_pool.stop = 1;
  pthread_cond_broadcast(&tw_pool.work);
  pthread_mutex_unlock(&tw_pool.mutex);
  for (unsigned i = 0; i < tw_pool.workers; ++i)
    pthread_join(tw_pool.threads[i], NULL);
  tw_pool.workers = 0;
  tw_pool.stop = 0;
}

static unsigned tw_default_threads(void) {
  const char *text = getenv("TILEWRIGHT_NUM_THREADS");
  long wanted = text ? strtol(text, NULL, 10) : 0;
  cpu_set_t mask;
  if (wanted > 0 && wanted <= 1024)
    return (unsigned)wanted;
  if (sched_getaffinity(0, sizeof(mask), &mask) != 0)
    return 1;
  return CPU_COUNT(&mask) > 0 ? (unsigned)CPU_COUNT(&mask) : 1;
}

static void tw_run_parallel(struct tw_job *job, unsigned threads) {
  /* Enough ranges to balance unequal ones, few enough to cost nothing. */
  int64_t chunk = job->count / ((int64_t)threads * 16);
  struct tw_job **link;
  job->chunk = chunk > 0 && job->code->order == TW_ANY_ORDER ? chunk : 1;
  job->wanted = threads - 1;
  pthread_mutex_lock(&tw_pool.mutex);
  tw_start_workers(threads - 1);
  for (link = &tw_pool.jobs; *link; link = &(*link)->next)
    ;
  *link = job;
  pthread_cond_broadcast(&tw_pool.work);
  pthread_mutex_unlock(&tw_pool.mutex);
  tw_work(job);
  pthread_mutex_lock(&tw_pool.mutex);
  for (link = &tw_pool.jobs; *link != job; link = &(*link)->next)
    ;
  *link = job->next;
  while (job->inside)
    pthread_cond_wait(&tw_pool.left, &tw_pool.mutex);
  pthread_mutex_unlock(&tw_pool.mutex);
}

/* -- Launches ------------------------------------------------------------------ */

static int tw_run_candidate(const struct tw_function *function,
                            const struct tw_candidate *candidate, const uint64_t *arguments,
                            int64_t grid[3], unsigned threads) {
  static const int64_t kLimits[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
  uint64_t passed[TW_MAX_ARGUMENTS];
  int32_t extents[3];
  unsigned count = 0;
  struct tw_job job = {.code = candidate->host, .arguments = passed, .grid = extents};
  int status = tw_read_grid(function, candidate, arguments, kLimits, grid);
  if (status != TILEWRIGHT_OK)
    return status;
  for (unsigned i = 0; i < function->argument_count; ++i)
    if (tw_is_passed(candidate, i))
      passed[count++] = arguments[i];
  for (int i = 0; i < 3; ++i)
    extents[i] = (int32_t)grid[i];
  if (__builtin_mul_overflow(grid[0] * grid[1], grid[2], &job.count))
    return tw_fail(TILEWRIGHT_INVALID_ARGUMENT, "%s: its grid has more than 2^63 programs",
                   function->name);
  if (job.count == 0)
    return TILEWRIGHT_OK;
  threads = threads ? threads : tw_default_threads();
  if (threads > 1024)
    return tw_fail(TILEWRIGHT_INVALID_ARGUMENT, "%s: %u threads, but at most 1024 are supported", function->name,
                   threads);
  if (job.code->order == TW_WAITING)
    threads = 1024;
  if (job.code->order == TW_IN_ORDER)
    threads = 1;
  if (threads > job.count)
    threads = (unsigned)job.count;
  if (threads == 1)
    job.failed = !tw_run_range(&job, 0, job.count, job.failure);
  else
    tw_run_parallel(&job, threads);
  if (job.failed)
    return tw_fail(TILEWRIGHT_KERNEL_ASSERT, "%s: assertion failed: %s", function->name,
                   job.failure);
  return TILEWRIGHT_OK;
}

static int tw_launch_host(const struct tw_function *function, const uint64_t *arguments,
                          int64_t grid[3], unsigned threads) {
  struct tw_rejection why = {NULL, 0};
  int runnable = 0;
  for (unsigned i = 0; i < function->candidate_count; ++i) {
    const struct tw_candidate *candidate = &function->candidates[i];
    if (!tw_runs_here(candidate->host))
      continue;
    runnable = 1;
    int takes = tw_takes(function, candidate, arguments, &why);
    if (takes < 0)
      return tw_fail_condition(function);
    if (takes)
      return tw_run_candidate(function, candidate, arguments, grid, threads);
  }
  return runnable ? tw_fail_rejected(function, &why) : tw_fail_target(function, "this processor");
}
