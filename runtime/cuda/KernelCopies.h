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

/// A kernel as it is loaded in the contexts that it was first launched from
/// later, beside the one that it was loaded in first.
class KernelCopies {
public:
  KernelCopies(const Driver &driver, int ordinal, std::string image)
      : driver(driver), ordinal(ordinal), image(std::move(image)) {}
  ~KernelCopies();

  /// The copy of `kernel` in the context `current`, loaded if it is not there;
  /// null where that is no context of the device.
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
