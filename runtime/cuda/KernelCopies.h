// One kernel in several contexts of a device: modules belong to a context.
#ifndef TILEWRIGHT_RUNTIME_CUDA_KERNELCOPIES_H
#define TILEWRIGHT_RUNTIME_CUDA_KERNELCOPIES_H

#include "runtime/cuda/CudaDriver.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace tilewright::runtime::cuda {

class Kernel;

/// The copies of a kernel in other contexts than the one that it was first
/// loaded in. A launch from such a context loads a copy.
class KernelCopies {
public:
  KernelCopies(const Driver &driver, int ordinal, std::string image)
      : driver(driver), ordinal(ordinal), image(std::move(image)) {}
  ~KernelCopies();

  /// Returns the copy of `kernel` in the context `current` and loads it if
  /// missing. Returns null if that is no context of the device.
  Result<const Kernel *> get(const Kernel &kernel, ContextHandle current);

private:
  bool isOfDevice(ContextHandle current) const;

  const Driver &driver;
  const int ordinal;
  const std::string image;
  std::mutex mutex;
  std::map<ContextHandle, std::unique_ptr<const Kernel>> copies;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_KERNELCOPIES_H
