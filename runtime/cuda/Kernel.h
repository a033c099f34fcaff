// A loaded kernel and its launch.
#ifndef TILEWRIGHT_RUNTIME_CUDA_KERNEL_H
#define TILEWRIGHT_RUNTIME_CUDA_KERNEL_H

#include "runtime/cuda/LaunchRecipe.h"
#include "runtime/cuda/TensorMapCache.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tilewright::runtime::cuda {

/// How a kernel was compiled to be launched; fixed when it is loaded.
struct LaunchShape {
  unsigned threads = 0;
  unsigned dynamicSharedBytes = 0;
  /// CTAs of a cluster along each dimension.
  std::array<unsigned, 3> cluster = {1, 1, 1};
  /// What the host adds to each launch, if anything.
  std::optional<LaunchRecipe> recipe = std::nullopt;
};

/// What the driver says of a loaded kernel.
struct KernelResources {
  int registers = 0;
  /// Local memory of a thread, which is where spilled registers live.
  int localBytes = 0;
  int staticSharedBytes = 0;
  int maxThreads = 0;
};

class Kernel {
public:
  /// Loads `image`, a cubin or zero-terminated PTX, which the driver then
  /// assembles. A shape that the device cannot run is refused here.
  static Result<std::unique_ptr<const Kernel>>
  load(const Driver &driver, int ordinal, const std::string &image,
       const std::string &name, const LaunchShape &shape);

  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  /// Queues one run over `grid` programs; `parameters[i]` points at the value
  /// of the i-th parameter, in 8 bytes and sign-extended where the kernel has a
  /// recipe. A grid without programs launches nothing.
  Status launch(const std::array<int64_t, 3> &grid, StreamHandle stream,
                void **parameters) const;

  const KernelResources &resources() const { return used; }

  /// What the driver's assembler said; empty for a cubin.
  const std::string &log() const { return assemblerLog; }

private:
  Kernel(const Driver &driver, std::string name, const LaunchShape &shape)
      : driver(driver), name(std::move(name)), shape(shape) {}

  Status loadModule(const std::string &image);
  Status readResources();
  Status checkShape(int ordinal) const;
  Status applyShape() const;
  Status checkGrid(const std::array<int64_t, 3> &grid) const;
  Status prepareRecipe(int ordinal);
  Status choosePrograms(int ordinal);
  ArrayView viewOf(const TensorMapRecipe &map, void *const *parameters) const;
  Status submitWithRecipe(const std::array<int64_t, 3> &grid,
                          StreamHandle stream, void **parameters) const;
  Status submit(const std::array<int64_t, 3> &grid, StreamHandle stream,
                void **parameters) const;
  bool isClustered() const { return shape.cluster != LaunchShape().cluster; }

  const Driver &driver;
  std::string name;
  LaunchShape shape;
  KernelResources used;
  std::string assemblerLog;
  ContextHandle context = nullptr;
  ModuleHandle module = nullptr;
  FunctionHandle function = nullptr;
  /// Programs of a persistent kernel that run at once.
  int64_t residentPrograms = 0;
  /// What stands in for arrays without elements.
  DevicePointer zeros = 0;
  /// One cache for each map of the recipe.
  mutable std::vector<TensorMapCache> caches;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_KERNEL_H
