#include "tilewright-c/runtime.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

/// Writes the value's text to `out`.
static void formatValue(char *out, size_t size, int32_t kind, uint64_t bits) {
  switch (kind) {
  case TW_PRINT_SIGNED:
    std::snprintf(out, size, "%" PRId64, static_cast<int64_t>(bits));
    return;
  case TW_PRINT_UNSIGNED:
    std::snprintf(out, size, "%" PRIu64, bits);
    return;
  case TW_PRINT_FLOAT: {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    std::snprintf(out, size, "%.9g", value);
    return;
  }
  case TW_PRINT_BOOL:
    std::snprintf(out, size, "%s", bits ? "True" : "False");
    return;
  default:
    std::snprintf(out, size, "0x%" PRIx64, bits);
  }
}

void tw_host_print(const char *prefix, int32_t kind, uint64_t bits) {
  char value[64];
  formatValue(value, sizeof(value), kind, bits);
  // One call, so that lines of concurrent programs stay whole.
  std::fprintf(stdout, "%s%s\n", prefix, value);
  std::fflush(stdout);
}
