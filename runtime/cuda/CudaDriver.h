// The CUDA driver, opened at first use. Only launches on a GPU need it, so
// nothing links against it.
#ifndef TILEWRIGHT_RUNTIME_CUDA_CUDADRIVER_H
#define TILEWRIGHT_RUNTIME_CUDA_CUDADRIVER_H

#include "runtime/core/Status.h"
#include "runtime/cuda/DriverTypes.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright::runtime::cuda {

class Driver {
public:
  /// CUDA 11.0: the first that knows sm_80, the oldest target.
  static constexpr int kMinimumVersion = 11000;

  /// The driver of this process: TILEWRIGHT_LIBCUDA, else libcuda.so.1. It is
  /// opened once; a failure is remembered too.
  static Result<const Driver *> get();

  /// Whether this process was forked from one that had opened the driver. It
  /// has no context then, and locks around the state of contexts may stay
  /// locked. Functions that only query devices, as a compiler does, work if the
  /// driver permits.
  static bool isForked() { return forked.load(std::memory_order_relaxed); }

  static Status forkedStatus();

  /// Opens and initialises the driver library at `path`.
  static Result<std::unique_ptr<const Driver>> open(const std::string &path);

  ~Driver();
  Driver(const Driver &) = delete;
  Driver &operator=(const Driver &) = delete;

  const std::string &path() const { return libraryPath; }

  /// The newest CUDA version it supports, 1000 * major + 10 * minor.
  int version() const { return libraryVersion; }

  /// Converts a result of `call` to a status with the driver's message.
  Status check(DriverResult result, const char *call) const;

  int deviceCount() const { return static_cast<int>(devices.size()); }

  /// The driver's handle of device number `ordinal`.
  Result<DeviceHandle> device(int ordinal) const;

  /// The context that the CUDA runtime, and so every framework, uses on this
  /// device. Retained once and kept until the process ends.
  Result<ContextHandle> primaryContext(int ordinal) const;

#define TILEWRIGHT_CUDA_SYMBOL(member, symbol, since, parameters)              \
  DriverResult(*member) parameters = nullptr;
#include "runtime/cuda/DriverSymbols.def"

private:
  Driver() = default;

  Status resolveSymbols();
  Status initialize();
  Status missingSymbol(const char *symbol, int since) const;

  static inline std::atomic<bool> forked{false};

  void *library = nullptr;
  std::string libraryPath;
  int libraryVersion = 0;
  std::vector<DeviceHandle> devices;
  mutable std::mutex primaryContextsMutex;
  mutable std::vector<ContextHandle> primaryContexts;
};

/// "12.4" for 12040.
std::string formatDriverVersion(int version);

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_CUDADRIVER_H
