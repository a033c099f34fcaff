/* -- Errors ---------------------------------------------------------------- */

static __thread char tw_message[1024];

__attribute__((format(printf, 2, 3))) static int tw_fail(int status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(tw_message, sizeof(tw_message), format, arguments);
  va_end(arguments);
  return status;
}

/* -- Arguments --------------------------------------------------------------- */

__attribute__((unused)) static uint64_t tw_float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

__attribute__((unused)) static uint64_t tw_double_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/* -- Expressions ----------------------------------------------------------- */

/* The arithmetic of grids and conditions: 64 bits, rounding down. Undefined
 * results set `failed`. */
__attribute__((unused)) static int64_t tw_add(int64_t a, int64_t b, int *failed) {
  int64_t result;
  *failed |= __builtin_add_overflow(a, b, &result);
  return result;
}

__attribute__((unused)) static int64_t tw_sub(int64_t a, int64_t b, int *failed) {
  int64_t result;
  *failed |= __builtin_sub_overflow(a, b, &result);
  return result;
}

__attribute__((unused)) static int64_t tw_mul(int64_t a, int64_t b, int *failed) {
  int64_t result;
  *failed |= __builtin_mul_overflow(a, b, &result);
  return result;
}

__attribute__((unused)) static int64_t tw_floordiv(int64_t a, int64_t b, int *failed) {
  if (b == 0 || (a == INT64_MIN && b == -1)) {
    *failed = 1;
    return 0;
  }
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

__attribute__((unused)) static int64_t tw_mod(int64_t a, int64_t b, int *failed) {
  if (b == -1)
    return 0;
  int64_t quotient = tw_floordiv(a, b, failed);
  return b == 0 ? 0 : a - quotient * b;
}

__attribute__((unused)) static int64_t tw_cdiv(int64_t a, int64_t b, int *failed) {
  int64_t below = tw_floordiv(a, b, failed);
  return b == 0 || b == -1 ? below : below + (a % b != 0);
}

__attribute__((unused)) static int64_t tw_min(int64_t a, int64_t b, int *failed) {
  (void)failed;
  return a < b ? a : b;
}

__attribute__((unused)) static int64_t tw_max(int64_t a, int64_t b, int *failed) {
  (void)failed;
  return a > b ? a : b;
}

/* -- Functions and their candidates -------------------------------------------- */

/* One compilation of a function for one target. */
struct tw_candidate {
  const char *symbol, *target;
  /* For each argument: 16, a multiple of 16; 0, any value; 1, the int 1, which is
   * not passed; 2, only for expressions, not passed. */
  const unsigned char *hints;
  /* `when` NULL: always. `grid` NULL: the caller passes it. */
  int64_t (*when)(const uint64_t *arguments, int *failed);
  void (*grid)(const uint64_t *arguments, int64_t *grid, int *failed);
  /* One of the two is NULL. */
  const struct tw_cuda_code *cuda;
  const struct tw_host_code *host;
};

/* Candidates are tried in their order. */
struct tw_function {
  const char *name;
  const char *const *argument_names;
  unsigned argument_count;
  const struct tw_candidate *candidates;
  unsigned candidate_count;
};

static int tw_is_passed(const struct tw_candidate *candidate, unsigned argument) {
  return candidate->hints[argument] != 1 && candidate->hints[argument] != 2;
}

/* Returns the first argument that violates a hint of the candidate; -1 if none does. */
static int tw_misfit(const struct tw_function *function, const struct tw_candidate *candidate,
                     const uint64_t *arguments) {
  for (unsigned i = 0; i < function->argument_count; ++i) {
    unsigned char hint = candidate->hints[i];
    if ((hint >= 8 && arguments[i] % hint != 0) || (hint == 1 && arguments[i] != 1))
      return (int)i;
  }
  return -1;
}

/* Why no candidate of this machine accepts the call. */
struct tw_rejection {
  const struct tw_candidate *candidate;
  int argument;
};

/* Whether the candidate accepts the call; a negative number is the failure of its
 * condition. Records the reason of a rejection in `why`. */
static int tw_takes(const struct tw_function *function, const struct tw_candidate *candidate,
                    const uint64_t *arguments, struct tw_rejection *why) {
  int failed = 0;
  if (candidate->when && !candidate->when(arguments, &failed))
    return failed ? -1 : 0;
  int argument = tw_misfit(function, candidate, arguments);
  if (argument >= 0) {
    why->candidate = candidate;
    why->argument = argument;
  }
  return failed ? -1 : argument < 0;
}

static int tw_fail_condition(const struct tw_function *function) {
  return tw_fail(TILEWRIGHT_INVALID_ARGUMENT,
                 "%s: a condition of a variant overflows or divides by zero", function->name);
}

/* After all candidates were rejected. */
static int tw_fail_rejected(const struct tw_function *function, const struct tw_rejection *why) {
  if (!why->candidate)
    return tw_fail(TILEWRIGHT_INVALID_ARGUMENT, "%s: the conditions of all variants are false",
                   function->name);
  unsigned hint = why->candidate->hints[why->argument];
  return tw_fail(TILEWRIGHT_INVALID_ARGUMENT,
                 "%s: argument '%s' is not %s%u, as it was compiled for", function->name,
                 function->argument_names[why->argument], hint > 1 ? "a multiple of " : "", hint);
}

/* Computes the grid if the candidate does, and checks it. */
static int tw_read_grid(const struct tw_function *function, const struct tw_candidate *candidate,
                        const uint64_t *arguments, const int64_t limits[3], int64_t grid[3]) {
  int failed = 0;
  if (candidate->grid)
    candidate->grid(arguments, grid, &failed);
  if (failed)
    return tw_fail(TILEWRIGHT_INVALID_ARGUMENT, "%s: its grid overflows or divides by zero",
                   function->name);
  for (int i = 0; i < 3; ++i)
    if (grid[i] < 0 || grid[i] > limits[i])
      return tw_fail(TILEWRIGHT_INVALID_ARGUMENT,
                     "%s: the grid along %c is %lld, not between 0 and %lld", function->name,
                     "xyz"[i], (long long)grid[i], (long long)limits[i]);
  return TILEWRIGHT_OK;
}

/* For messages: "sm_80, sm_90a". */
static void tw_list_targets(const struct tw_function *function, char *text, size_t size) {
  const char *last = "";
  size_t used = 0;
  text[0] = 0;
  for (unsigned i = 0; i < function->candidate_count && used < size; ++i) {
    const char *target = function->candidates[i].target;
    if (strcmp(target, last) != 0)
      used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", target);
    last = target;
  }
}

static int tw_fail_target(const struct tw_function *function, const char *machine) {
  char targets[256];
  tw_list_targets(function, targets, sizeof(targets));
  return tw_fail(TILEWRIGHT_UNSUPPORTED, "%s: no code for %s; it was compiled for %s",
                 function->name, machine, targets);
}
