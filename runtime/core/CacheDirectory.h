// The directory of the disk cache, and whether it may be trusted.
#ifndef TILEWRIGHT_RUNTIME_CORE_CACHEDIRECTORY_H
#define TILEWRIGHT_RUNTIME_CORE_CACHEDIRECTORY_H

#include "runtime/core/File.h"
#include "runtime/core/Status.h"

#include <string>

namespace tilewright::runtime {

/// TILEWRIGHT_CACHE_DIR, else XDG_CACHE_HOME/tilewright, else
/// ~/.cache/tilewright.
Result<std::string> defaultCacheDirectory();

/// Creates `path` and its missing parents, readable by the user alone.
Status createPrivateDirectory(const std::string &path);

/// Opens `path` for operations relative to it. Fails unless it belongs to this
/// user and nobody else may write to it. Host objects in the cache are
/// executed, so a writer could run code as this user.
Result<UniqueFd> openTrustedDirectory(const std::string &path);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_CACHEDIRECTORY_H
