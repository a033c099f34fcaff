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

/// How a kernel was compiled to be launched; fixed when it is loaded.
struct LaunchShape {
  unsigned threads = 0;
  unsigned dynamicSharedBytes = 0;
  /// CTAs of a cluster along each dimension.
  std::array<unsigned, 3> cluster = {1, 1, 1};
  /// All programs run at once, so that they may wait for each other.
  bool isCooperative = false;
  /// It may start before the kernels in front of it on its stream end, and
  /// waits for them itself.
  bool isDependent = false;
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

/// What a launch hands to the driver: the caller's parameters and those that
/// the kernel's recipe adds. Larger than a launch should initialise: nothing
/// here is, and nothing is allocated.
struct LaunchParameters {
  std::array<int64_t, 3> grid;
  void *pointers[LaunchRecipe::kMaxParameters + 3 + LaunchRecipe::kMaxMaps];
  int32_t sides[3];
  int32_t ticketSlot;
  TensorMap maps[LaunchRecipe::kMaxMaps];

  // Not defaulted, which would zero it all where it is made by `make_unique`.
  LaunchParameters() {}
};

/// A launch whose grid and arguments are fixed, ready to be queued many times.
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
  /// assembles. A shape that the device cannot run is refused here.
  static Result<std::unique_ptr<const Kernel>>
  load(const Driver &driver, int ordinal, const std::string &image,
       const std::string &name, const LaunchShape &shape);

  ~Kernel();
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  /// The same for the current context of the device.
  Result<std::unique_ptr<const Kernel>>
  loadAgain(int ordinal, const std::string &image) const {
    return load(driver, ordinal, image, name, shape);
  }

  /// Queues one run over `grid` programs in the caller's context where that is
  /// one of the device, else in that of the module; `parameters[i]` points at
  /// the value of the i-th parameter, in 8 bytes and sign-extended where the
  /// kernel has a recipe. A grid without programs launches nothing.
  Status launch(const std::array<int64_t, 3> &grid, StreamHandle stream,
                void **parameters) const;

  /// The same in two steps. `slots` holds the values of all parameters, in 8
  /// bytes each. The kernel must outlive what is bound.
  Result<std::unique_ptr<const BoundLaunch>>
  bind(const std::array<int64_t, 3> &grid, const uint64_t *slots,
       size_t count) const;
  Status launch(const BoundLaunch &bound, StreamHandle stream) const;

  const KernelResources &resources() const { return used; }

  /// What the driver's assembler said; empty for a cubin.
  const std::string &log() const { return assemblerLog; }

private:
  /// What stands in for an array without elements.
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

  // What each launch reads comes first, on few lines of the cache.
  const Driver &driver;
  ContextHandle context = nullptr;
  FunctionHandle function = nullptr;
  /// The multiprocessors, of a kernel that has a use for more shared memory if
  /// a program is alone on one, and so much memory.
  int64_t processors = 0;
  unsigned extraSharedBytes = 0;
  unsigned attributeCount = 0;
  /// Launches are waited for, or shown to a profiler.
  const bool isWatched;
  LaunchShape shape;
  std::array<LaunchAttribute, 3> attributes;
  /// Programs of a persistent kernel that run at once.
  int64_t residentPrograms = 0;
  /// What stands in for arrays without elements.
  DevicePointer zeros = 0;
  /// The maps of the recipe: of whole launches, and one cache for each.
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
