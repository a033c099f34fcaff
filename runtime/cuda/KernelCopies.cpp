#include "runtime/cuda/KernelCopies.h"

#include "runtime/cuda/Kernel.h"

namespace tilewright::runtime::cuda {

KernelCopies::~KernelCopies() = default;

bool KernelCopies::isOfDevice(ContextHandle current) const {
  DeviceHandle device = 0;
  Result<DeviceHandle> own = driver.device(ordinal);
  return current && own.ok() && driver.contextGetDevice(&device) == kSuccess &&
         device == *own;
}

Result<const Kernel *> KernelCopies::get(const Kernel &kernel,
                                         ContextHandle current) {
  if (!isOfDevice(current))
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<const Kernel> &copy = copies[current];
  if (!copy) {
    auto loaded = kernel.loadAgain(ordinal, image);
    if (!loaded.ok())
      return loaded.status();
    copy = std::move(*loaded);
  }
  return copy.get();
}

} // namespace tilewright::runtime::cuda
