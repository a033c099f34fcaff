// A loaded kernel and its launch.
#ifndef TILEWRIGHT_RUNTIME_CUDA_KERNEL_H
#define TILEWRIGHT_RUNTIME_CUDA_KERNEL_H

#include "runtime/cuda/KernelCopies.h"
#include "runtime/cuda/LaunchRecipe.h"
#include "runtime/cuda/TensorMapCache.h"
#include "runtime/cuda/TensorMapSets.h"
#include "runtime/cuda/TicketSlots.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tilewright::runtime::cuda {

/// The launch properties that a kernel was compiled for, fixed at load time.
struct LaunchShape {
  unsigned threads = 0;
  unsigned dynamicSharedBytes = 0;
  /// CTAs of a cluster along each dimension.
  std::array<unsigned, 3> cluster = {1, 1, 1};
  /// All programs run at once, so that they may wait for each other.
  bool isCooperative = false;
  /// It may start before earlier kernels on its stream end, and waits for them
  /// itself.
  bool isDependent = false;
  /// The grid and the parameters that the host adds to each launch, if any.
  std::optional<LaunchRecipe> recipe = std::nullopt;
};

/// Resources of a loaded kernel, as the driver reports them.
struct KernelResources {
  int registers = 0;
  /// Local memory per thread, which holds spilled registers.
  int localBytes = 0;
  int staticSharedBytes = 0;
  int maxThreads = 0;
};

/// The parameters that a launch passes to the driver: the caller's and those of
/// the kernel's recipe. Not initialised because of its size, and nothing is
/// allocated.
struct LaunchParameters {
  std::array<int64_t, 3> grid;
  void *pointers[LaunchRecipe::kMaxParameters + 3 + LaunchRecipe::kMaxMaps];
  int32_t extents[3];
  int32_t ticketSlot;
  TensorMap maps[LaunchRecipe::kMaxMaps];

  // Not defaulted: `make_unique` would zero the whole object.
  LaunchParameters() {}
};

/// A launch with fixed grid and arguments, which can be queued many times.
class BoundLaunch {
public:
  BoundLaunch(const BoundLaunch &) = delete;
  BoundLaunch &operator=(const BoundLaunch &) = delete;

private:
  friend class Kernel;
  BoundLaunch(const uint64_t *slots, size_t count)
      : values(slots, slots + count) {}

  std::vector<uint64_t> values;
  LaunchParameters parameters;
};

class Kernel {
public:
  /// Loads `image`, a cubin or zero-terminated PTX, which the driver then
  /// assembles. Fails for a shape that the device cannot run.
  static Result<std::unique_ptr<const Kernel>>
  load(const Driver &driver, int ordinal, const std::string &image,
       const std::string &name, const LaunchShape &shape);

  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  /// Same for the current context of the device.
  Result<std::unique_ptr<const Kernel>>
  loadAgain(int ordinal, const std::string &image) const {
    return load(driver, ordinal, image, name, shape);
  }

  /// Queues one run over `grid` programs. Uses the caller's context if that is
  /// one of the device, else that of the module. `parameters[i]` points at the
  /// value of the i-th parameter. If the kernel has a recipe, values have 8
  /// bytes and are sign-extended. An empty grid launches nothing.
  Status launch(const std::array<int64_t, 3> &grid, StreamHandle stream,
                void **parameters) const;

  /// Same in two steps. `slots` holds the values of all parameters, in 8 bytes
  /// each. The kernel must outlive the bound launch.
  Result<std::unique_ptr<const BoundLaunch>>
  bind(const std::array<int64_t, 3> &grid, const uint64_t *slots,
       size_t count) const;
  Status launch(const BoundLaunch &bound, StreamHandle stream) const;

  const KernelResources &resources() const { return used; }

  /// The log of the driver's assembler; empty for a cubin.
  const std::string &log() const { return assemblerLog; }

private:
  /// Size of the zeros that replace an array without elements.
  static constexpr size_t kZerosBytes = 256;

  Kernel(const Driver &driver, std::string name, const LaunchShape &shape);

  Status loadModule(const std::string &image);
  Status readResources();
  Status checkShape(int ordinal) const;
  Status applyShape() const;
  bool canLaunch(const std::array<int64_t, 3> &grid) const;
  Status rejectGrid(const std::array<int64_t, 3> &grid) const;
  Status prepareRecipe(int ordinal);
  Status prepareExtra(int ordinal);
  Status choosePrograms(int ordinal);
  Status chooseClusters();
  unsigned sharedBytes(const std::array<int64_t, 3> &grid) const;
  LaunchDescription describe(const std::array<int64_t, 3> &grid,
                             StreamHandle stream) const;
  ArrayView viewOf(const TensorMapRecipe &map, void *const *parameters) const;
  void prepareAttributes();
  Status addMaps(void *const *given, LaunchParameters &parameters) const;
  Status chooseGrid(std::array<int64_t, 3> &grid) const;
  Status complete(const std::array<int64_t, 3> &grid, void *const *given,
                  LaunchParameters &parameters) const;
  bool hasGrid(GridKind kind) const {
    return shape.recipe && shape.recipe->grid == kind;
  }
  Status launchOrdered(const BoundLaunch &bound, StreamHandle stream) const;
  DriverResult submit(const std::array<int64_t, 3> &grid, StreamHandle stream,
                      void **parameters) const;
  template <typename Body> Status inContext(Body body) const;
  Status queue(const std::array<int64_t, 3> &grid, StreamHandle stream,
               void **parameters) const;
  Status queueWatched(const std::array<int64_t, 3> &grid, StreamHandle stream,
                      void **parameters) const;
  Status waitFor(StreamHandle stream) const;
  Status failure(const Status &status) const;
  Status failure(DriverResult result) const;
  bool isClustered() const { return shape.cluster != LaunchShape().cluster; }
  int64_t clusterSize() const {
    return int64_t(shape.cluster[0]) * shape.cluster[1] * shape.cluster[2];
  }

  // Members that each launch reads come first, in few cache lines.
  const Driver &driver;
  ContextHandle context = nullptr;
  FunctionHandle function = nullptr;
  /// The number of multiprocessors and the shared memory of a lone CTA, for a
  /// kernel that can use more shared memory if a CTA is alone on one.
  int64_t processors = 0;
  unsigned extraSharedBytes = 0;
  unsigned attributeCount = 0;
  /// Launches are synchronous or marked for a profiler.
  const bool isWatched;
  LaunchShape shape;
  std::array<LaunchAttribute, 3> attributes;
  /// Programs of a persistent kernel that run at once.
  int64_t residentPrograms = 0;
  /// Zeros that replace arrays without elements.
  DevicePointer zeros = 0;
  /// The maps of the recipe: sets for whole launches, and one cache per map.
  mutable std::optional<TensorMapSets> mapSets;
  mutable std::vector<TensorMapCache> caches;
  mutable TicketSlots ticketSlots;
  std::unique_ptr<KernelCopies> copies;
  std::string name;
  ModuleHandle module = nullptr;
  KernelResources used;
  std::string assemblerLog;
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_KERNEL_H
