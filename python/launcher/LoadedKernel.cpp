#include "python/launcher/LoadedKernel.h"

#include "python/launcher/Ending.h"
#include "python/launcher/Limits.h"
#include "python/launcher/StatusErrors.h"

#include <algorithm>

namespace py = pybind11;

namespace tilewright::python {

std::unique_ptr<LoadedKernel>
LoadedKernel::host(uintptr_t address, py::object owner, tw_host_order order) {
  if (!address)
    throw py::value_error("the address of a host kernel is 0");
  std::unique_ptr<LoadedKernel> kernel(new LoadedKernel);
  kernel->onCpu = reinterpret_cast<tw_host_kernel>(address);
  kernel->order = order;
  kernel->owner = std::move(owner);
  return kernel;
}

std::unique_ptr<LoadedKernel> LoadedKernel::cuda(
    int device, const py::bytes &image, const std::string &name,
    uint32_t threads, uint32_t dynamicShared, std::array<uint32_t, 3> cluster,
    const std::vector<int64_t> &recipe, bool isCooperative, bool isDependent) {
  std::unique_ptr<LoadedKernel> kernel(new LoadedKernel);
  const std::string_view bytes = image;
  tw_status status;
  {
    // The driver may assemble PTX here, which takes long.
    const Unlocked unlocked;
    status = tw_cuda_kernel_load(device, bytes.data(), bytes.size(),
                                 name.c_str(), threads, dynamicShared,
                                 cluster.data(), recipe.data(), recipe.size(),
                                 (isCooperative ? TW_LAUNCH_COOPERATIVE : 0) |
                                     (isDependent ? TW_LAUNCH_DEPENDENT : 0),
                                 &kernel->onGpu);
  }
  // The device exists, so it lacks resources for this kernel.
  check(status == TW_UNSUPPORTED ? TW_OUT_OF_MEMORY : status);
  return kernel;
}

LoadedKernel::~LoadedKernel() { tw_cuda_kernel_free(onGpu); }

void LoadedKernel::passOnly(const std::vector<bool> &arguments) {
  passed.emplace();
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i])
      passed->push_back(static_cast<uint16_t>(i));
}

tw_status LoadedKernel::launchOnCpu(const Grid &grid, uint64_t *slots,
                                    size_t count) const {
  uint64_t kept[kMaxSlots];
  if (passed) {
    for (size_t i = 0; i < passed->size() && (*passed)[i] < count; ++i)
      kept[i] = slots[(*passed)[i]];
    slots = kept;
  }
  Unlocked unlocked;
  return tw_host_launch_interruptible(
      onCpu, slots, grid.data(), 0, order,
      [](void *user) -> int {
        return static_cast<Unlocked *>(user)->isInterrupted();
      },
      &unlocked);
}

tw_status LoadedKernel::launch(const Grid &grid, void *stream, uint64_t *slots,
                               size_t count) const {
  if (!onGpu)
    return launchOnCpu(grid, slots, count);
  // Little-endian: a parameter narrower than its slot starts at the slot.
  void *parameters[kMaxSlots];
  if (passed)
    for (size_t i = 0; i < passed->size() && (*passed)[i] < count; ++i)
      parameters[i] = &slots[(*passed)[i]];
  else
    for (size_t i = 0; i < count; ++i)
      parameters[i] = &slots[i];
  return tw_cuda_launch(onGpu, grid.data(), stream, parameters);
}

} // namespace tilewright::python
