#include "runtime/cuda/CudaDriver.h"

#include "runtime/core/Environment.h"

#include <algorithm>
#include <dlfcn.h>
#include <pthread.h>

namespace tilewright::runtime::cuda {

static constexpr const char *kDefaultLibrary = "libcuda.so.1";

std::string formatDriverVersion(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

Result<const Driver *> Driver::get() {
  // Never destroyed: modules may be unloaded after static destructors ran.
  static const auto *shared = [] {
    auto *opened = new Result<std::unique_ptr<const Driver>>(
        open(environment("TILEWRIGHT_LIBCUDA").value_or(kDefaultLibrary)));
    if (opened->ok())
      pthread_atfork(nullptr, nullptr, [] { forked = true; });
    return opened;
  }();
  if (!shared->ok())
    return shared->status();
  return (*shared)->get();
}

Status Driver::forkedStatus() {
  return Status(StatusCode::Driver,
                "this process was forked from one that had used CUDA, and so "
                "cannot use it; start such processes with the method 'spawn' "
                "or 'forkserver' of multiprocessing");
}

Result<std::unique_ptr<const Driver>> Driver::open(const std::string &path) {
  std::unique_ptr<Driver> driver(new Driver);
  driver->libraryPath = path;
  driver->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!driver->library) {
    const char *reason = dlerror();
    return Status(StatusCode::Unavailable,
                  "no CUDA driver found: " +
                      std::string(reason ? reason : path));
  }
  if (Status resolved = driver->resolveSymbols(); !resolved.ok())
    return resolved;
  if (Status ready = driver->initialize(); !ready.ok())
    return ready;
  return std::unique_ptr<const Driver>(std::move(driver));
}

Driver::~Driver() {
  if (library)
    dlclose(library);
}

Status Driver::missingSymbol(const char *symbol, int since) const {
  if (libraryVersion == 0)
    return Status(StatusCode::Unavailable,
                  "'" + libraryPath + "' is not a CUDA driver: it has no " +
                      symbol);
  return Status(StatusCode::Unsupported,
                "CUDA driver too old: have " +
                    formatDriverVersion(libraryVersion) + ", need " +
                    formatDriverVersion(std::max(since, kMinimumVersion)) +
                    " (" + symbol + " is missing in '" + libraryPath + "')");
}

Status Driver::resolveSymbols() {
  // The version first: it explains the absence of other functions.
  if (void *address = dlsym(library, "cuDriverGetVersion")) {
    auto getVersion = reinterpret_cast<DriverResult (*)(int *)>(address);
    if (getVersion(&libraryVersion) != kSuccess)
      libraryVersion = 0;
  }
#define TILEWRIGHT_CUDA_SYMBOL(member, symbol, since, parameters)              \
  member =                                                                     \
      reinterpret_cast<DriverResult(*) parameters>(dlsym(library, #symbol));   \
  if (!member && since <= kMinimumVersion)                                     \
    return missingSymbol(#symbol, since);
#include "runtime/cuda/DriverSymbols.def"
  if (libraryVersion < kMinimumVersion)
    return Status(StatusCode::Unsupported,
                  "CUDA driver too old: have " +
                      formatDriverVersion(libraryVersion) + ", need " +
                      formatDriverVersion(kMinimumVersion));
  return Status::success();
}

Status Driver::initialize() {
  if (Status s = check(init(0), "cuInit"); !s.ok())
    return s;
  int count = 0;
  if (Status s = check(deviceGetCount(&count), "cuDeviceGetCount"); !s.ok())
    return s;
  devices.resize(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i)
    if (Status s = check(deviceGet(&devices[i], i), "cuDeviceGet"); !s.ok())
      return s;
  primaryContexts.resize(devices.size());
  return Status::success();
}

static StatusCode codeOf(DriverResult result) {
  switch (result) {
  case kErrorOutOfMemory:
    return StatusCode::OutOfMemory;
  case kErrorNoDevice:
  case kErrorInvalidDevice:
    return StatusCode::Unavailable;
  case kErrorNotFound:
    return StatusCode::NotFound;
  case kErrorNoBinaryForGpu:
  case kErrorUnsupportedPtxVersion:
  case kErrorNotSupported:
    return StatusCode::Unsupported;
  case kErrorAssert:
    return StatusCode::KernelAssert;
  default:
    return StatusCode::Driver;
  }
}

/// Returns advice that complements the driver's own message.
static const char *adviceFor(DriverResult result) {
  switch (result) {
  case kErrorNotInitialized:
    return "; a process forked after the first use of CUDA cannot use it, "
           "start such processes with the method 'spawn' or 'forkserver' of "
           "multiprocessing";
  case kErrorNoBinaryForGpu:
    return "; the kernel was compiled for another architecture";
  case kErrorUnsupportedPtxVersion:
    return "; the driver is older than the PTX, update it or install an "
           "assembler (nvJitLink or ptxas)";
  case kErrorIllegalAddress:
    return "; a kernel accessed memory out of bounds, and this context cannot "
           "be used any more";
  case kErrorCooperativeLaunchTooLarge:
    return "; a cooperative grid has at most as many programs as the device "
           "runs at once";
  default:
    return "";
  }
}

Status Driver::check(DriverResult result, const char *call) const {
  if (result == kSuccess)
    return Status::success();
  const char *name = nullptr, *words = nullptr;
  if (getErrorName(result, &name) != kSuccess || !name)
    name = "unknown error";
  if (getErrorString(result, &words) != kSuccess || !words)
    words = "no description";
  return Status(codeOf(result), std::string(call) + " failed: " + name + " (" +
                                    std::to_string(result) + "): " + words +
                                    adviceFor(result));
}

Result<DeviceHandle> Driver::device(int ordinal) const {
  if (ordinal < 0 || ordinal >= deviceCount())
    return Status(StatusCode::InvalidArgument,
                  "there is no CUDA device " + std::to_string(ordinal) +
                      ": this machine has " + std::to_string(deviceCount()));
  return devices[static_cast<size_t>(ordinal)];
}

Result<ContextHandle> Driver::primaryContext(int ordinal) const {
  Result<DeviceHandle> handle = device(ordinal);
  if (!handle.ok())
    return handle.status();
  if (isForked())
    return forkedStatus();
  std::lock_guard<std::mutex> lock(primaryContextsMutex);
  ContextHandle &context = primaryContexts[static_cast<size_t>(ordinal)];
  if (!context)
    if (Status s = check(primaryContextRetain(&context, *handle),
                         "cuDevicePrimaryCtxRetain");
        !s.ok())
      return s;
  return context;
}

} // namespace tilewright::runtime::cuda
