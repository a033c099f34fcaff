#include "runtime/cpu/Print.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace tilewright::runtime::cpu {

static std::string join(const int32_t *numbers, int32_t count) {
  std::string text;
  for (int32_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text;
}

std::string formatIndices(PrintKind kind, const int32_t *indices,
                          int32_t rank) {
  std::string text = "pid (" + join(indices, 3) + ") ";
  if (kind != PrintKind::Nothing)
    text += "idx (" + join(indices + 3, rank) + ") ";
  return text;
}

std::string formatValue(PrintKind kind, uint64_t bits) {
  char text[64];
  switch (kind) {
  case PrintKind::Signed:
    std::snprintf(text, sizeof(text), "%" PRId64, static_cast<int64_t>(bits));
    return text;
  case PrintKind::Unsigned:
    std::snprintf(text, sizeof(text), "%" PRIu64, bits);
    return text;
  case PrintKind::Float: {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    if (value != value)
      return "nan"; // Without its sign, which printf may print.
    // A double may have 309 digits before the decimal point.
    char digits[330];
    std::snprintf(digits, sizeof(digits), "%f", value);
    return digits;
  }
  case PrintKind::Nothing:
    return "";
  case PrintKind::Pointer:
    std::snprintf(text, sizeof(text), "0x%" PRIx64, bits);
    return text;
  default: // Hex1 to Hex16: the number of digits doubles.
    const int digits =
        1 << (static_cast<int>(kind) - static_cast<int>(PrintKind::Hex1));
    std::snprintf(text, sizeof(text), "0x%0*" PRIx64, digits, bits);
    return text;
  }
}

void printLine(const std::string &line) {
  const std::string text = line + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

} // namespace tilewright::runtime::cpu
