#include "runtime/core/Cache.h"

#include "runtime/core/CacheDirectory.h"
#include "runtime/core/Environment.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/file.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace tilewright::runtime {

static constexpr std::string_view kEntrySuffix = ".twc";
static constexpr std::string_view kTemporaryPrefix = ".tmp-";
/// A writer needs seconds; older files are left by killed processes.
static constexpr time_t kTemporaryLifetime = 3600;

/// Divisor of the bound: the share that a process stores without reading the
/// directory.
static constexpr uint64_t kUnseenShare = 64;

static bool hasPrefix(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

static bool hasSuffix(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() &&
         text.substr(text.size() - suffix.size()) == suffix;
}

static bool isValidKey(std::string_view key) {
  auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  return !key.empty() && key.size() <= 128 &&
         std::all_of(key.begin(), key.end(), allowed);
}

static std::string fileName(const std::string &key) {
  return key + std::string(kEntrySuffix);
}

namespace {
struct StoredFile {
  std::string name;
  uint64_t bytes;
  struct timespec used;
};
} // namespace

/// Returns the regular files of a directory whose names satisfy `wanted`.
template <typename Predicate>
static Result<std::vector<StoredFile>> listFiles(int directoryFd,
                                                 Predicate wanted) {
  // fdopendir takes ownership of the descriptor and moves its position: it
  // needs a descriptor of its own.
  int fd = openat(directoryFd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR *)> stream(fd < 0 ? nullptr : fdopendir(fd),
                                              closedir);
  if (!stream)
    return ioError(StatusCode::Io, "cannot list the cache", errno);
  std::vector<StoredFile> files;
  while (struct dirent *item = readdir(stream.get())) {
    struct stat info;
    if (!wanted(std::string_view(item->d_name)) ||
        fstatat(directoryFd, item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(info.st_mode))
      continue;
    files.push_back(
        {item->d_name, static_cast<uint64_t>(info.st_size), info.st_mtim});
  }
  return files;
}

static bool isEntry(std::string_view name) {
  return hasSuffix(name, kEntrySuffix);
}

static bool isTemporary(std::string_view name) {
  return hasPrefix(name, kTemporaryPrefix);
}

static void removeStaleTemporaries(int directoryFd) {
  Result<std::vector<StoredFile>> files = listFiles(directoryFd, isTemporary);
  if (!files.ok())
    return;
  const time_t now = time(nullptr);
  for (const StoredFile &file : *files)
    if (now - file.used.tv_sec > kTemporaryLifetime)
      unlinkat(directoryFd, file.name.c_str(), 0);
}

/// Creates a file that no other process or thread has; `name` receives its
/// name.
static UniqueFd createTemporary(int directoryFd, std::string &name) {
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = std::string(kTemporaryPrefix) + std::to_string(getpid()) + "-" +
           std::to_string(counter.fetch_add(1));
    int fd = openat(directoryFd, name.c_str(),
                    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    // The name may be left from an earlier process with the same id.
    if (fd >= 0 || errno != EEXIST)
      return UniqueFd(fd);
  }
  return UniqueFd();
}

/// Renames a file to that of an entry, atomically, and replaces an existing
/// one.
static int nameEntry(int directoryFd, const char *temporary, const char *name) {
  // ext4 flushes a file that replaces another before renameat returns, which
  // takes milliseconds (benchmarks/notes/compile-time.md). The checksum already
  // detects torn files. An exchange of two files does not flush.
  if (renameat2(directoryFd, temporary, directoryFd, name, RENAME_EXCHANGE) !=
      0)
    return renameat(directoryFd, temporary, directoryFd, name);
  (void)unlinkat(directoryFd, temporary, 0);
  return 0;
}

Result<Cache> Cache::open(std::string directory, uint64_t maxBytes) {
  if (Status made = createPrivateDirectory(directory); !made.ok())
    return made;
  if (Result<UniqueFd> fd = openTrustedDirectory(directory); !fd.ok())
    return fd.status();
  return Cache(std::move(directory), maxBytes);
}

Result<Cache> Cache::openDefault() {
  Result<std::string> directory = defaultCacheDirectory();
  if (!directory.ok())
    return directory.status();
  Result<uint64_t> bound =
      environmentCount("TILEWRIGHT_CACHE_SIZE", kDefaultMaxBytes);
  if (!bound.ok())
    return bound.status();
  return open(std::move(*directory), *bound);
}

namespace {
/// Held during the removal or replacement of an entry's file. It prevents the
/// removal of a good file that has just replaced a damaged one. The kernel
/// releases it if the process ends. On a file system without locks there is no
/// such protection.
class DirectoryLock {
public:
  explicit DirectoryLock(int directoryFd)
      : fd(openat(directoryFd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (fd.valid() && flock(fd.get(), LOCK_EX) != 0 && errno == EINTR)
      ;
  }

private:
  UniqueFd fd;
};

/// The file of an entry: open, and decoded if it is intact.
struct FoundFile {
  UniqueFd fd;
  struct stat info;
  bool damaged = false;
  std::optional<CacheEntry> entry;
};
} // namespace

static FoundFile readEntry(int directoryFd, const std::string &key,
                           uint64_t limit) {
  FoundFile found;
  // Non-blocking: a FIFO of this name must not block.
  found.fd = UniqueFd(openat(directoryFd, fileName(key).c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!found.fd.valid() || fstat(found.fd.get(), &found.info) != 0 ||
      found.info.st_uid != geteuid())
    return found;
  Result<std::string> bytes = readAll(found.fd.get(), limit);
  if (!bytes.ok())
    return found;
  found.entry = decodeCacheEntry(key, *bytes);
  found.damaged = !found.entry;
  return found;
}

/// Removes the file unless another one has replaced it.
static void removeDamaged(int directoryFd, const std::string &key,
                          const FoundFile &found) {
  DirectoryLock lock(directoryFd);
  const std::string name = fileName(key);
  struct stat now;
  if (fstatat(directoryFd, name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0 &&
      now.st_dev == found.info.st_dev && now.st_ino == found.info.st_ino)
    unlinkat(directoryFd, name.c_str(), 0);
}

std::optional<CacheEntry> Cache::get(const std::string &key) const {
  if (!isValidKey(key))
    return std::nullopt;
  Result<UniqueFd> directory = openTrustedDirectory(path);
  if (!directory.ok())
    return std::nullopt;
  FoundFile found = readEntry(directory->get(), key, bound);
  if (found.damaged)
    removeDamaged(directory->get(), key, found);
  // Fails in a read-only cache, which does not evict either.
  if (found.entry)
    (void)futimens(found.fd.get(), nullptr);
  return std::move(found.entry);
}

std::optional<CacheEntry> Cache::peek(const std::string &key) const {
  if (!isValidKey(key))
    return std::nullopt;
  Result<UniqueFd> directory = openTrustedDirectory(path);
  if (!directory.ok())
    return std::nullopt;
  return readEntry(directory->get(), key, UINT64_MAX).entry;
}

Status Cache::put(const std::string &key, const CacheEntry &entry) const {
  if (!isValidKey(key))
    return Status(StatusCode::InvalidArgument,
                  "cache key '" + key +
                      "' is not 1 to 128 letters, digits, '-' and '_'");
  const std::string bytes = encodeCacheEntry(key, entry);
  if (bytes.size() > bound)
    return Status(StatusCode::Unsupported,
                  "entry of " + std::to_string(bytes.size()) +
                      " bytes is larger than the whole cache (" +
                      std::to_string(bound) + " bytes)");
  Result<UniqueFd> directory = openTrustedDirectory(path);
  if (!directory.ok())
    return directory.status();
  std::string temporary;
  UniqueFd file = createTemporary(directory->get(), temporary);
  if (!file.valid())
    return ioError(StatusCode::Io, "cannot create a file in '" + path + "'",
                   errno);
  Status written = writeAll(file.get(), bytes);
  const std::string name = fileName(key);
  if (written.ok()) {
    DirectoryLock lock(directory->get());
    if (nameEntry(directory->get(), temporary.c_str(), name.c_str()) != 0)
      written =
          ioError(StatusCode::Io, "cannot rename in '" + path + "'", errno);
  }
  if (!written.ok()) {
    unlinkat(directory->get(), temporary.c_str(), 0);
    return written;
  }
  const auto stored = static_cast<int64_t>(bytes.size());
  if (room->fetch_sub(stored) >= stored)
    return Status::success();
  // A tenth below the bound, so that a full cache is not swept at every store.
  return evict(directory->get(), name, bound, bound - bound / 10);
}

static void sortByUse(std::vector<StoredFile> &files) {
  std::sort(files.begin(), files.end(),
            [](const StoredFile &a, const StoredFile &b) {
              return std::tie(a.used.tv_sec, a.used.tv_nsec) <
                     std::tie(b.used.tv_sec, b.used.tv_nsec);
            });
}

/// Removes entries until at most `target` bytes remain, if there are more than
/// `most`.
Status Cache::evict(int directoryFd, const std::string &keep, uint64_t most,
                    uint64_t target) const {
  removeStaleTemporaries(directoryFd);
  Result<std::vector<StoredFile>> files = listFiles(directoryFd, isEntry);
  if (!files.ok())
    return files.status();
  uint64_t total = 0;
  for (const StoredFile &file : *files)
    total += file.bytes;
  if (total > most) {
    sortByUse(*files);
    for (const StoredFile &file : *files) {
      if (total <= target)
        break;
      if (file.name == keep)
        continue;
      unlinkat(directoryFd, file.name.c_str(), 0);
      total -= file.bytes;
    }
  }
  room->store(static_cast<int64_t>(
      std::min(bound / kUnseenShare, bound - std::min(bound, total))));
  return Status::success();
}

Status Cache::prune(uint64_t bytes) const {
  Result<UniqueFd> directory = openTrustedDirectory(path);
  if (!directory.ok())
    return directory.status();
  return evict(directory->get(), "", bytes, bytes);
}

Result<std::vector<CacheItem>> Cache::list() const {
  Result<UniqueFd> directory = openTrustedDirectory(path);
  if (!directory.ok())
    return directory.status();
  Result<std::vector<StoredFile>> files = listFiles(directory->get(), isEntry);
  if (!files.ok())
    return files.status();
  sortByUse(*files);
  std::vector<CacheItem> items;
  for (const StoredFile &file : *files)
    items.push_back(
        {file.name.substr(0, file.name.size() - kEntrySuffix.size()),
         file.bytes, file.used.tv_sec});
  return items;
}

Result<CacheUsage> Cache::usage() const {
  Result<UniqueFd> directory = openTrustedDirectory(path);
  if (!directory.ok())
    return directory.status();
  Result<std::vector<StoredFile>> files = listFiles(directory->get(), isEntry);
  if (!files.ok())
    return files.status();
  CacheUsage usage;
  for (const StoredFile &file : *files) {
    ++usage.entries;
    usage.bytes += file.bytes;
  }
  return usage;
}

Status Cache::remove(const std::string &key) const {
  Result<UniqueFd> directory = openTrustedDirectory(path);
  if (!directory.ok())
    return directory.status();
  if (isValidKey(key) && unlinkat(directory->get(), fileName(key).c_str(), 0) &&
      errno != ENOENT)
    return ioError(StatusCode::Io, "cannot remove '" + path + "/" + key + "'",
                   errno);
  return Status::success();
}

Status Cache::clear() const {
  Result<UniqueFd> directory = openTrustedDirectory(path);
  if (!directory.ok())
    return directory.status();
  Result<std::vector<StoredFile>> files = listFiles(directory->get(), isEntry);
  if (!files.ok())
    return files.status();
  for (const StoredFile &file : *files)
    if (unlinkat(directory->get(), file.name.c_str(), 0) != 0 &&
        errno != ENOENT)
      return ioError(StatusCode::Io,
                     "cannot remove '" + path + "/" + file.name + "'", errno);
  return Status::success();
}

} // namespace tilewright::runtime
