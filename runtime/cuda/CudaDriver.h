// The CUDA driver, opened at first use. Everything but launching on a GPU works
// without it, so nothing links against it.
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

  /// The driver of this process: TILEWRIGHT_LIBCUDA, else libcuda.so.1. Opened
  /// once; a failure is remembered as well.
  static Result<const Driver *> get();

  /// Whether this process was forked from one that had opened it. There is no
  /// context there, and locks around what a context has may stay locked; what
  /// only asks for devices, as a compiler does, works as far as the driver lets
  /// it.
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

  /// A result of `call` as a status with the driver's own words.
  Status check(DriverResult result, const char *call) const;

  int deviceCount() const { return static_cast<int>(devices.size()); }

  /// The driver's handle of the device with this number.
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
