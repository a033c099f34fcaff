#include "runtime/core/CacheDirectory.h"

#include "runtime/core/Environment.h"

#include <cerrno>
#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace tilewright::runtime {

static std::optional<std::string> homeDirectory() {
  if (std::optional<std::string> home = environment("HOME"))
    return home;
  std::vector<char> buffer(16384);
  struct passwd entry, *found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) !=
          0 ||
      !found || !found->pw_dir || !*found->pw_dir)
    return std::nullopt;
  return std::string(found->pw_dir);
}

Result<std::string> defaultCacheDirectory() {
  if (std::optional<std::string> path = environment("TILEWRIGHT_CACHE_DIR"))
    return *path;
  if (std::optional<std::string> base = environment("XDG_CACHE_HOME"))
    return *base + "/tilewright";
  if (std::optional<std::string> home = homeDirectory())
    return *home + "/.cache/tilewright";
  return Status(StatusCode::Unavailable,
                "no directory for the cache: set TILEWRIGHT_CACHE_DIR or HOME");
}

Status createPrivateDirectory(const std::string &path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string prefix = path.substr(0, end);
    struct stat info;
    // stat comes first: on a read-only file system mkdir fails with EROFS even
    // if the directory exists.
    if (stat(prefix.c_str(), &info) != 0 && mkdir(prefix.c_str(), 0700) != 0 &&
        errno != EEXIST)
      return ioError(StatusCode::Unavailable,
                     "cannot create cache directory '" + prefix + "'", errno);
    if (end == std::string::npos)
      return Status::success();
  }
}

Result<UniqueFd> openTrustedDirectory(const std::string &path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid())
    return ioError(StatusCode::Unavailable,
                   "cannot open cache directory '" + path + "'", errno);
  struct stat info;
  if (fstat(fd.get(), &info) != 0)
    return ioError(StatusCode::Unavailable,
                   "cannot examine cache directory '" + path + "'", errno);
  if (info.st_uid != geteuid())
    return Status(StatusCode::Unavailable,
                  "cache directory '" + path + "' belongs to user " +
                      std::to_string(info.st_uid) + ", not to user " +
                      std::to_string(geteuid()) + "; it is not used");
  if (info.st_mode & (S_IWGRP | S_IWOTH))
    return Status(StatusCode::Unavailable,
                  "cache directory '" + path +
                      "' can be written by other users; it is not used (run: "
                      "chmod go-w '" +
                      path + "')");
  return fd;
}

} // namespace tilewright::runtime
