#include "runtime/core/File.h"

#include <cerrno>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tilewright::runtime {

UniqueFd::~UniqueFd() {
  if (fd >= 0)
    close(fd);
}

Status ioError(StatusCode code, const std::string &what, int errorNumber) {
  // strerror is not thread-safe.
  return Status(code,
                what + ": " + std::generic_category().message(errorNumber));
}

Result<std::string> readAll(int fd, uint64_t limit) {
  struct stat info;
  if (fstat(fd, &info) != 0)
    return ioError(StatusCode::Io, "cannot read", errno);
  if (!S_ISREG(info.st_mode))
    return Status(StatusCode::Io, "cannot read: not a regular file");
  const uint64_t size = static_cast<uint64_t>(info.st_size);
  if (size > limit)
    return Status(StatusCode::Io,
                  "cannot read: file of " + std::to_string(size) +
                      " bytes is over the limit of " + std::to_string(limit));
  std::string bytes(size, '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t got = read(fd, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return ioError(StatusCode::Io, "cannot read", errno);
    if (got == 0)
      break; // Shortened under us: what is there is all there is.
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

Status writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t put = write(fd, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return ioError(StatusCode::Io, "cannot write", errno);
    bytes.remove_prefix(static_cast<size_t>(put));
  }
  return Status::success();
}

} // namespace tilewright::runtime
