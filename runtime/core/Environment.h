// Reads the process environment, with errors that name the variable.
//
// Variables of the runtime:
//
//   TILEWRIGHT_CACHE_DIR    directory of the disk cache;
//   TILEWRIGHT_CACHE_SIZE   its bound in bytes, suffix K, M or G allowed;
//   TILEWRIGHT_LIBCUDA      path of the CUDA driver library;
//   TILEWRIGHT_NUM_THREADS  threads of a CPU launch;
//   TILEWRIGHT_SYNC         1: a launch waits for its kernel;
//   TILEWRIGHT_NVTX         1, or the path of the NVTX library: mark launches.
#ifndef TILEWRIGHT_RUNTIME_CORE_ENVIRONMENT_H
#define TILEWRIGHT_RUNTIME_CORE_ENVIRONMENT_H

#include "runtime/core/Status.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::runtime {

/// The variable's value; an empty value counts as not set.
std::optional<std::string> environment(const char *name);

/// Whether the variable is set to a value other than 0, false, off and no.
bool environmentFlag(const char *name);

/// Returns the variable as a count, `fallback` if it is not set. `K`, `M` and
/// `G` multiply by powers of 1024.
Result<uint64_t> environmentCount(const char *name, uint64_t fallback);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CORE_ENVIRONMENT_H
