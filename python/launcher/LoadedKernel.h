// A kernel that is ready for launches, on a GPU or on the CPU.
#ifndef TILEWRIGHT_PYTHON_LAUNCHER_LOADEDKERNEL_H
#define TILEWRIGHT_PYTHON_LAUNCHER_LOADEDKERNEL_H

#include "python/launcher/Argument.h"
#include "python/launcher/Grid.h"
#include "tilewright-c/runtime.h"

#include <memory>
#include <optional>
#include <vector>

namespace tilewright::python {

class LoadedKernel {
public:
  /// Code at `address` in this process, which `owner` keeps alive.
  static std::unique_ptr<LoadedKernel>
  host(uintptr_t address, pybind11::object owner, tw_host_order order);

  /// Loads a cubin or PTX on a device. Throws on failure.
  static std::unique_ptr<LoadedKernel>
  cuda(int device, const pybind11::bytes &image, const std::string &name,
       uint32_t threads, uint32_t dynamicShared,
       std::array<uint32_t, 3> cluster, const std::vector<int64_t> &recipe,
       bool isCooperative, bool isDependent);

  ~LoadedKernel();
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  /// Queues (GPU) or runs (CPU) the kernel; `slots` holds the bits of its
  /// arguments in order. Releases the interpreter lock during a CPU run.
  tw_status launch(const Grid &grid, void *stream, uint64_t *slots,
                   size_t count) const;

  /// Sets for each argument of a launch whether the kernel has a parameter for
  /// it. Before that, all are passed.
  void passOnly(const std::vector<bool> &arguments);

  /// Returns the driver's kernel, for queries; null on the CPU.
  const tw_cuda_kernel *cudaKernel() const { return onGpu; }

private:
  LoadedKernel() = default;

  tw_status launchOnCpu(const Grid &grid, uint64_t *slots, size_t count) const;

  tw_host_kernel onCpu = nullptr;
  tw_host_order order = TW_HOST_ANY_ORDER;
  tw_cuda_kernel *onGpu = nullptr;
  pybind11::object owner;
  /// The arguments that the kernel has parameters for, if not all.
  std::optional<std::vector<uint16_t>> passed;
};

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_LAUNCHER_LOADEDKERNEL_H
