// Whole-file reads and writes on descriptors, restarted after signals.
#ifndef TILEWRIGHT_RUNTIME_CORE_FILE_H
#define TILEWRIGHT_RUNTIME_CORE_FILE_H

#include "runtime/core/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tilewright::runtime {

/// Owns a file descriptor.
class UniqueFd {
public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd(fd) {}
  UniqueFd(UniqueFd &&other) noexcept : fd(std::exchange(other.fd, -1)) {}
  UniqueFd &operator=(UniqueFd &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  ~UniqueFd();

  int get() const { return fd; }
  bool valid() const { return fd >= 0; }

private:
  int fd = -1;
};

/// Reads from the current position to the end. A file longer than `limit` is an
/// error.
Result<std::string> readAll(int fd, uint64_t limit);
Status writeAll(int fd, std::string_view bytes);

/// "what: message of errno".
Status ioError(StatusCode code, const std::string &what, int errorNumber);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_FILE_H
