/* -- Recipes ---------------------------------------------------------------- */

/* Grid and parameters that the host adds to a launch, as numbers:
 *
 *     parameters persistent maps
 *     then, for each map,
 *       element elementBytes swizzle padding rank box[rank]
 *       base, shape[rank], strides[rank - 1], each a program:
 *         steps, then (kind, value) of each
 *
 * The added parameters follow the caller's: three 32-bit extents of the grid of a
 * persistent kernel, then the maps. Dimensions are listed outermost first. */
enum { TW_STEP_ARGUMENT, TW_STEP_CONSTANT, TW_STEP_ADD, TW_STEP_SUB, TW_STEP_MUL, TW_STEP_MIN };

/* The address, the sizes and the strides (in elements) of an array. */
struct tw_view {
  uint64_t base;
  int64_t shape[5], strides[4];
};

struct tw_map_entry {
  struct tw_tensor_map map;
  struct tw_view view;
  int used;
};

/* Enough for the arrays of a program's calls of a kernel. A collision costs the
 * time to make the map again. */
enum { TW_MAP_ENTRIES = 16 };

static int64_t tw_combine(int64_t kind, int64_t a, int64_t b) {
  uint64_t x = (uint64_t)a, y = (uint64_t)b;
  switch (kind) {
  case TW_STEP_ADD:
    return (int64_t)(x + y);
  case TW_STEP_SUB:
    return (int64_t)(x - y);
  case TW_STEP_MUL:
    return (int64_t)(x * y);
  case TW_STEP_MIN:
    return a < b ? a : b;
  default:
    return a > b ? a : b;
  }
}

/* Runs the program at `*at` and advances `*at` to its end. The compiler limits the
 * stack to sixteen values. */
static int64_t tw_run_program(const int64_t **at, void *const *parameters) {
  int64_t stack[16], steps = *(*at)++;
  int depth = 0;
  for (; steps > 0; --steps, *at += 2) {
    int64_t kind = (*at)[0], value = (*at)[1];
    if (kind == TW_STEP_ARGUMENT) {
      stack[depth++] = *(const int64_t *)parameters[value];
    } else if (kind == TW_STEP_CONSTANT) {
      stack[depth++] = value;
    } else {
      --depth;
      stack[depth - 1] = tw_combine(kind, stack[depth - 1], stack[depth]);
    }
  }
  return stack[0];
}

static struct tw_view tw_read_view(const int64_t **at, int rank, int64_t element_bytes,
                                   void *const *parameters, uint64_t zeros) {
  struct tw_view view;
  int empty = 0;
  memset(&view, 0, sizeof(view));
  view.base = (uint64_t)tw_run_program(at, parameters);
  for (int i = 0; i < rank; ++i) {
    view.shape[i] = tw_run_program(at, parameters);
    empty |= view.shape[i] <= 0;
  }
  for (int i = 0; i + 1 < rank; ++i)
    view.strides[i] = tw_run_program(at, parameters);
  if (!empty)
    return view;
  /* An array without elements has no map. One element with the value zero
   * replaces it, which is the padding of all loads that may use the map. */
  view.base = zeros;
  for (int i = 0; i < rank; ++i)
    view.shape[i] = 1;
  for (int i = 0; i + 1 < rank; ++i)
    view.strides[i] = 256 / element_bytes;
  return view;
}

/* Returns 0 if the hardware cannot copy from the array. */
static int tw_encode_map(const int64_t *head, const struct tw_view *view,
                         struct tw_tensor_map *map) {
  uint64_t sizes[5], strides[4];
  uint32_t box_sizes[5], steps[5];
  int rank = (int)head[4];
  uint64_t alignment = view->base;
  /* The driver lists the innermost dimension first. */
  for (int i = 0; i < rank; ++i) {
    int from = rank - 1 - i;
    sizes[i] = (uint64_t)view->shape[from];
    box_sizes[i] = (uint32_t)head[5 + from];
    steps[i] = 1;
    if (i > 0)
      alignment |= strides[i - 1] = (uint64_t)view->strides[from] * (uint64_t)head[1];
  }
  int swizzle = head[2] == 32 ? 1 : head[2] == 64 ? 2 : head[2] == 128 ? 3 : 0;
  /* Whole blocks of 256 bytes would fetch far more than needed for a row within a block. */
  enum { NoInterleave = 0, Promotion128 = 2, Promotion256 = 3 };
  int promotion = alignment % 256 == 0 ? Promotion256 : Promotion128;
  return tw_cu.cuTensorMapEncodeTiled(map, (int)head[0], (uint32_t)rank, view->base, sizes, strides,
                                      box_sizes, steps, NoInterleave, swizzle, promotion,
                                      (int)head[3]) == 0;
}

static unsigned tw_hash_view(const struct tw_view *view) {
  uint64_t words[sizeof(*view) / 8], hash = 0;
  memcpy(words, view, sizeof(words));
  for (size_t i = 0; i < sizeof(words) / 8; ++i) {
    hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
  }
  return (unsigned)(hash % TW_MAP_ENTRIES);
}

/* Copies the map that the numbers at `*at` describe, from `entries` if it was made
 * before. Requires the lock of the entries. */
static int tw_make_map(const int64_t **at, void *const *parameters, uint64_t zeros,
                       struct tw_map_entry *entries, struct tw_tensor_map *map) {
  const int64_t *head = *at;
  int rank = (int)head[4];
  *at += 5 + rank;
  struct tw_view view = tw_read_view(at, rank, head[1], parameters, zeros);
  struct tw_map_entry *entry = &entries[tw_hash_view(&view)];
  if (!entry->used || memcmp(&entry->view, &view, sizeof(view)) != 0) {
    entry->used = 0;
    if (!tw_encode_map(head, &view, &entry->map))
      return 0;
    entry->view = view;
    entry->used = 1;
  }
  *map = entry->map;
  return 1;
}
