// Where the disk cache lies and whether it may be trusted.
#ifndef TILEWRIGHT_RUNTIME_CORE_CACHEDIRECTORY_H
#define TILEWRIGHT_RUNTIME_CORE_CACHEDIRECTORY_H

#include "runtime/core/File.h"
#include "runtime/core/Status.h"

#include <string>

namespace tilewright::runtime {

/// TILEWRIGHT_CACHE_DIR, else XDG_CACHE_HOME/tilewright, else
/// ~/.cache/tilewright.
Result<std::string> defaultCacheDirectory();

/// Creates `path` and what is missing above it, readable by the user alone.
Status createPrivateDirectory(const std::string &path);

/// Opens `path` for operations relative to it. Refused unless it belongs to
/// this user and nobody else may write to it: host objects in the cache are
/// executed, so whoever can write there can run code as this user.
Result<UniqueFd> openTrustedDirectory(const std::string &path);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_CACHEDIRECTORY_H
