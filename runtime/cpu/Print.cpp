#include "runtime/cpu/Print.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace tilewright::runtime::cpu {

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
    std::snprintf(text, sizeof(text), "%.9g", value);
    return text;
  }
  case PrintKind::Bool:
    return bits ? "True" : "False";
  case PrintKind::Pointer:
    break;
  }
  std::snprintf(text, sizeof(text), "0x%" PRIx64, bits);
  return text;
}

void printLine(const std::string &line) {
  const std::string text = line + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

} // namespace tilewright::runtime::cpu
