// Launches of a loaded kernel. All code here is on the path of each launch: it
// formats text and allocates memory only if a launch fails.

#include "runtime/core/Environment.h"
#include "runtime/cuda/Context.h"
#include "runtime/cuda/Graph.h"
#include "runtime/cuda/Kernel.h"
#include "runtime/cuda/ProfilerRange.h"

#include <algorithm>

namespace tilewright::runtime::cuda {

/// TILEWRIGHT_SYNC: whether each launch waits for its kernel, so that an error
/// of the kernel is that of its launch. Read once.
static bool waitsForKernels() {
  static const bool waits = environmentFlag("TILEWRIGHT_SYNC");
  return waits;
}

Kernel::Kernel(const Driver &driver, std::string name, const LaunchShape &shape)
    : driver(driver), isWatched(ProfilerRange::isWanted() || waitsForKernels()),
      shape(shape), name(std::move(name)) {}

static constexpr uint64_t kGridLimits[3] = {INT32_MAX, 65535, 65535};

static Status badDim(const std::string &name, int axis, int64_t size,
                     const std::string &problem) {
  return Status(StatusCode::InvalidArgument,
                "grid of kernel '" + name + "' along " + "xyz"[axis] + " is " +
                    std::to_string(size) + problem);
}

/// Returns the reason why a grid cannot be launched.
Status Kernel::rejectGrid(const std::array<int64_t, 3> &grid) const {
  for (int i = 0; i < 3; ++i) {
    if (grid[i] < 0)
      return badDim(name, i, grid[i], ", a negative number");
    if (static_cast<uint64_t>(grid[i]) > kGridLimits[i])
      return badDim(name, i, grid[i],
                    ", but at most " + std::to_string(kGridLimits[i]) +
                        " programs are allowed there");
    if (grid[i] % shape.cluster[i])
      return badDim(name, i, grid[i],
                    ", which is not a multiple of its cluster of " +
                        std::to_string(shape.cluster[i]));
  }
  return Status::success();
}

bool Kernel::canLaunch(const std::array<int64_t, 3> &grid) const {
  for (int i = 0; i < 3; ++i)
    if (static_cast<uint64_t>(grid[i]) > kGridLimits[i])
      return false;
  // A recipe for another grid handles the divisibility by clusters.
  if (!isClustered() || hasGrid(GridKind::Persistent) ||
      hasGrid(GridKind::Padded))
    return true;
  return grid[0] % shape.cluster[0] == 0 && grid[1] % shape.cluster[1] == 0 &&
         grid[2] % shape.cluster[2] == 0;
}

/// With at most one program per multiprocessor, each runs alone on one.
unsigned Kernel::sharedBytes(const std::array<int64_t, 3> &grid) const {
  const bool isAlone = grid[0] <= processors && grid[1] <= processors &&
                       grid[0] * grid[1] * grid[2] <= processors;
  return shape.dynamicSharedBytes + (isAlone ? extraSharedBytes : 0);
}

LaunchDescription Kernel::describe(const std::array<int64_t, 3> &grid,
                                   StreamHandle stream) const {
  // The driver takes these arguments as not constant, but only reads them.
  return {static_cast<unsigned>(grid[0]),
          static_cast<unsigned>(grid[1]),
          static_cast<unsigned>(grid[2]),
          shape.threads,
          1,
          1,
          sharedBytes(grid),
          stream,
          const_cast<LaunchAttribute *>(attributes.data()),
          attributeCount};
}

DriverResult Kernel::submit(const std::array<int64_t, 3> &grid,
                            StreamHandle stream, void **parameters) const {
  LaunchDescription description = describe(grid, stream);
  if (driver.launchKernelEx)
    return driver.launchKernelEx(&description, function, parameters, nullptr);
  return driver.launchKernel(function, description.gridX, description.gridY,
                             description.gridZ, shape.threads, 1, 1,
                             description.dynamicSharedBytes, stream, parameters,
                             nullptr);
}

Status Kernel::waitFor(StreamHandle stream) const {
  // Work recorded in a graph has not run.
  if (isCaptured(driver, stream))
    return Status::success();
  return driver.check(driver.streamSynchronize(stream), "cuStreamSynchronize");
}

/// Submits the launch.
Status Kernel::queue(const std::array<int64_t, 3> &grid, StreamHandle stream,
                     void **parameters) const {
  if (isWatched)
    return queueWatched(grid, stream, parameters);
  const DriverResult result = submit(grid, stream, parameters);
  return result == kSuccess ? Status::success() : failure(result);
}

/// Submits the launch in a range of a profiler, and waits for the kernel if
/// requested.
Status Kernel::queueWatched(const std::array<int64_t, 3> &grid,
                            StreamHandle stream, void **parameters) const {
  ProfilerRange range(name.c_str());
  if (DriverResult result = submit(grid, stream, parameters);
      result != kSuccess)
    return failure(result);
  if (!waitsForKernels())
    return Status::success();
  Status done = waitFor(stream);
  if (done.ok())
    return done;
  return Status(done.code(), "kernel '" + name +
                                 "' failed, or work before it "
                                 "on its stream: " +
                                 done.message());
}

Status Kernel::failure(DriverResult result) const {
  return failure(driver.check(
      result, driver.launchKernelEx ? "cuLaunchKernelEx" : "cuLaunchKernel"));
}

Status Kernel::failure(const Status &status) const {
  return Status(status.code(),
                "cannot launch kernel '" + name + "': " + status.message());
}

/// An array without elements has no map. One element with the value zero
/// replaces it, which is the padding of all loads that may use the map.
ArrayView Kernel::viewOf(const TensorMapRecipe &map,
                         void *const *parameters) const {
  ArrayView view = map.view(parameters);
  bool isEmpty =
      std::any_of(view.shape.begin(), view.shape.begin() + map.rank(),
                  [](int64_t size) { return size <= 0; });
  if (!isEmpty)
    return view;
  view.base = zeros;
  for (size_t i = 0; i < map.rank(); ++i)
    view.shape[i] = 1;
  for (size_t i = 0; i + 1 < map.rank(); ++i)
    view.strides[i] = kZerosBytes / map.elementBytes;
  return view;
}

Status Kernel::addMaps(void *const *given, LaunchParameters &parameters) const {
  if (mapSets->find(given, parameters.maps))
    return Status::success();
  const std::vector<TensorMapRecipe> &maps = shape.recipe->maps;
  for (size_t i = 0; i < maps.size(); ++i)
    if (Status s = caches[i].get(driver, maps[i], viewOf(maps[i], given),
                                 parameters.maps[i]);
        !s.ok())
      return failure(s);
  mapSets->keep(given, parameters.maps);
  return Status::success();
}

/// Changes the requested grid into the launched one.
Status Kernel::chooseGrid(std::array<int64_t, 3> &grid) const {
  const bool isPersistent = shape.recipe->grid == GridKind::Persistent;
  // The extents are at most 2^31, 2^16 and 2^16: no overflow.
  const int64_t programs = isPersistent ? grid[0] * grid[1] * grid[2] : grid[0];
  const int64_t size = clusterSize();
  const int64_t rounded = (programs + size - 1) / size * size;
  if (rounded > INT32_MAX)
    return Status(StatusCode::Unsupported,
                  "a grid of " + std::to_string(programs) +
                      " programs, but at most " +
                      std::to_string(INT32_MAX / size * size) + " are counted");
  grid = isPersistent
             ? std::array<int64_t, 3>{std::min(rounded, residentPrograms), 1, 1}
             : std::array<int64_t, 3>{rounded, grid[1], grid[2]};
  return Status::success();
}

/// Fills in the parameters that the recipe adds to the `given` ones.
Status Kernel::complete(const std::array<int64_t, 3> &grid, void *const *given,
                        LaunchParameters &parameters) const {
  const LaunchRecipe &recipe = *shape.recipe;
  void **next =
      std::copy(given, given + recipe.numParameters, parameters.pointers);
  parameters.grid = grid;
  if (recipe.grid == GridKind::Ordered) {
    *next++ = &parameters.ticketSlot;
  } else if (recipe.grid != GridKind::Given) {
    for (size_t i = 0; i < 3; ++i) {
      parameters.extents[i] = static_cast<int32_t>(grid[i]);
      *next++ = &parameters.extents[i];
    }
    if (Status s = chooseGrid(parameters.grid); !s.ok())
      return failure(s);
  }
  for (size_t i = 0; i < recipe.maps.size(); ++i)
    *next++ = &parameters.maps[i];
  return addMaps(given, parameters);
}

static bool isEmpty(const std::array<int64_t, 3> &grid) {
  return grid[0] == 0 || grid[1] == 0 || grid[2] == 0;
}

/// Runs `body` with the copy of the kernel in the current context, usually this
/// one. If that is no context of the device, enters the context of this kernel.
template <typename Body> Status Kernel::inContext(Body body) const {
  ContextHandle current = nullptr;
  if (driver.contextGetCurrent(&current) == kSuccess && current == context)
    return body(*this);
  Result<const Kernel *> copy = copies->get(*this, current);
  if (!copy.ok() || *copy)
    return copy.ok() ? body(**copy) : copy.status();
  Result<ContextScope> scope = ContextScope::enter(driver, context);
  return scope.ok() ? body(*this) : scope.status();
}

Status Kernel::launch(const std::array<int64_t, 3> &grid, StreamHandle stream,
                      void **parameters) const {
  if (!canLaunch(grid))
    return rejectGrid(grid);
  if (isEmpty(grid))
    return Status::success();
  return inContext([&](const Kernel &kernel) -> Status {
    if (!shape.recipe)
      return kernel.queue(grid, stream, parameters);
    LaunchParameters all;
    if (Status s = kernel.complete(grid, parameters, all); !s.ok())
      return s;
    if (hasGrid(GridKind::Ordered))
      all.ticketSlot =
          kernel.ticketSlots.get(stream, isCaptured(driver, stream));
    return kernel.queue(all.grid, stream, all.pointers);
  });
}

Result<std::unique_ptr<const BoundLaunch>>
Kernel::bind(const std::array<int64_t, 3> &grid, const uint64_t *slots,
             size_t count) const {
  if (!canLaunch(grid))
    return rejectGrid(grid);
  if (count > LaunchRecipe::kMaxParameters ||
      (shape.recipe && count != shape.recipe->numParameters))
    return Status(StatusCode::InvalidArgument,
                  "kernel '" + name + "' does not have " +
                      std::to_string(count) + " parameters");
  std::unique_ptr<BoundLaunch> bound(new BoundLaunch(slots, count));
  LaunchParameters &parameters = bound->parameters;
  void *given[LaunchRecipe::kMaxParameters];
  for (size_t i = 0; i < count; ++i)
    given[i] = &bound->values[i];
  Result<ContextScope> scope = ContextScope::enter(driver, context);
  if (!scope.ok())
    return scope.status();
  parameters.grid = grid;
  std::copy(given, given + count, parameters.pointers);
  if (shape.recipe && !isEmpty(grid))
    if (Status s = complete(grid, given, parameters); !s.ok())
      return s;
  return std::unique_ptr<const BoundLaunch>(std::move(bound));
}

/// The ticket slot of a launch depends on its stream. Several threads may read
/// `bound`, so the launch has its own list of parameters.
Status Kernel::launchOrdered(const BoundLaunch &bound,
                             StreamHandle stream) const {
  const LaunchParameters &parameters = bound.parameters;
  const size_t count =
      shape.recipe->numParameters + 1 + shape.recipe->maps.size();
  std::vector<void *> pointers(parameters.pointers,
                               parameters.pointers + count);
  int32_t slot = ticketSlots.get(stream, isCaptured(driver, stream));
  pointers[shape.recipe->numParameters] = &slot;
  return queue(parameters.grid, stream, pointers.data());
}

Status Kernel::launch(const BoundLaunch &bound, StreamHandle stream) const {
  const LaunchParameters &parameters = bound.parameters;
  if (isEmpty(parameters.grid))
    return Status::success();
  return inContext([&](const Kernel &kernel) {
    if (hasGrid(GridKind::Ordered))
      return kernel.launchOrdered(bound, stream);
    return kernel.queue(parameters.grid, stream,
                        const_cast<void **>(parameters.pointers));
  });
}

} // namespace tilewright::runtime::cuda
