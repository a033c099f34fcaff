#include "runtime/core/Environment.h"

#include <charconv>
#include <cstdlib>

namespace tilewright::runtime {

std::optional<std::string> environment(const char *name) {
  const char *value = std::getenv(name);
  if (!value || !*value)
    return std::nullopt;
  return std::string(value);
}

/// Returns the power of two of a unit suffix; nothing if it is no unit.
static std::optional<unsigned> unitShift(const char *begin, const char *end) {
  if (begin == end)
    return 0;
  if (end - begin != 1)
    return std::nullopt;
  switch (*begin) {
  case 'K':
    return 10;
  case 'M':
    return 20;
  case 'G':
    return 30;
  default:
    return std::nullopt;
  }
}

bool environmentFlag(const char *name) {
  std::optional<std::string> text = environment(name);
  return text && *text != "0" && *text != "false" && *text != "off" &&
         *text != "no";
}

Result<uint64_t> environmentCount(const char *name, uint64_t fallback) {
  std::optional<std::string> text = environment(name);
  if (!text)
    return fallback;
  uint64_t value = 0;
  const char *end = text->data() + text->size();
  auto [rest, error] = std::from_chars(text->data(), end, value);
  std::optional<unsigned> shift = unitShift(rest, end);
  if (error != std::errc() || !shift || value > (UINT64_MAX >> *shift))
    return Status(StatusCode::InvalidArgument,
                  std::string(name) + "='" + *text +
                      "' is not a number, optionally followed by K, M or G");
  return value << *shift;
}

} // namespace tilewright::runtime
