#include "runtime/cuda/Kernel.h"

#include "runtime/cuda/Context.h"
#include "runtime/cuda/Device.h"

#include <algorithm>
#include <cstring>

namespace tilewright::runtime::cuda {

/// The largest cluster that every device with clusters can run.
static constexpr uint64_t kPortableClusterSize = 8;
static constexpr size_t kZerosBytes = 256;

Result<std::unique_ptr<const Kernel>>
Kernel::load(const Driver &driver, int ordinal, const std::string &image,
             const std::string &name, const LaunchShape &shape) {
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  std::unique_ptr<Kernel> kernel(new Kernel(driver, name, shape));
  kernel->context = scope->context();
  if (Status s = kernel->loadModule(image); !s.ok())
    return s;
  if (Status s = kernel->readResources(); !s.ok())
    return s;
  if (Status s = kernel->checkShape(ordinal); !s.ok())
    return s;
  if (Status s = kernel->applyShape(); !s.ok())
    return s;
  if (Status s = kernel->prepareRecipe(ordinal); !s.ok())
    return s;
  return std::unique_ptr<const Kernel>(std::move(kernel));
}

Kernel::~Kernel() {
  if (!module)
    return;
  // A context that is gone has taken its modules and its memory along.
  Result<ContextScope> scope = ContextScope::enter(driver, context);
  if (!scope.ok())
    return;
  (void)driver.moduleUnload(module);
  if (zeros)
    (void)driver.memFree(zeros);
}

/// The text in a buffer that the driver may have left without a terminator.
static std::string bufferText(const std::string &buffer) {
  return buffer.substr(0, buffer.find('\0'));
}

Status Kernel::loadModule(const std::string &image) {
  std::string info(8192, '\0'), error(8192, '\0');
  // Sizes are passed in the pointer itself, as the driver wants them.
  auto sizeValue = [](const std::string &buffer) {
    return reinterpret_cast<void *>(buffer.size());
  };
  JitOption options[] = {JitOption::InfoLog, JitOption::InfoLogBytes,
                         JitOption::ErrorLog, JitOption::ErrorLogBytes};
  void *values[] = {info.data(), sizeValue(info), error.data(),
                    sizeValue(error)};
  DriverResult result =
      driver.moduleLoadDataEx(&module, image.c_str(), 4, options, values);
  assemblerLog = bufferText(info);
  if (Status s = driver.check(result, "cuModuleLoadDataEx"); !s.ok()) {
    module = nullptr;
    std::string log = bufferText(error);
    return Status(s.code(), "cannot load kernel '" + name + "': " +
                                s.message() + (log.empty() ? "" : "\n" + log));
  }
  DriverResult found =
      driver.moduleGetFunction(&function, module, name.c_str());
  if (found == kErrorNotFound)
    return Status(StatusCode::NotFound,
                  "the module has no kernel '" + name + "'");
  return driver.check(found, "cuModuleGetFunction");
}

Status Kernel::readResources() {
  const std::pair<FunctionAttribute, int *> wanted[] = {
      {FunctionAttribute::Registers, &used.registers},
      {FunctionAttribute::LocalBytes, &used.localBytes},
      {FunctionAttribute::SharedBytes, &used.staticSharedBytes},
      {FunctionAttribute::MaxThreadsPerBlock, &used.maxThreads},
  };
  for (auto [attribute, value] : wanted)
    if (Status s = driver.check(
            driver.functionGetAttribute(value, attribute, function),
            "cuFuncGetAttribute");
        !s.ok())
      return s;
  return Status::success();
}

Status Kernel::checkShape(int ordinal) const {
  Result<int> limit = deviceAttribute(
      driver, ordinal, DeviceAttribute::SharedBytesPerBlockOptIn);
  if (!limit.ok())
    return limit.status();
  const int64_t shared =
      int64_t(used.staticSharedBytes) + int64_t(shape.dynamicSharedBytes);
  if (shared > *limit) {
    Result<std::string> device = deviceName(driver, ordinal);
    return Status(StatusCode::Unsupported,
                  "kernel '" + name + "' needs " + std::to_string(shared) +
                      " bytes of shared memory, but device " +
                      std::to_string(ordinal) +
                      (device.ok() ? " (" + *device + ")" : "") +
                      " has at most " + std::to_string(*limit) +
                      " for a program; use smaller blocks or fewer stages");
  }
  if (int64_t(shape.threads) > used.maxThreads)
    return Status(StatusCode::Unsupported,
                  "kernel '" + name + "' was compiled for " +
                      std::to_string(shape.threads) +
                      " threads, but with its " +
                      std::to_string(used.registers) +
                      " registers a thread the device runs at most " +
                      std::to_string(used.maxThreads));
  if (isClustered() && !driver.launchKernelEx)
    return Status(
        StatusCode::Unsupported,
        "CUDA driver too old: have " + formatDriverVersion(driver.version()) +
            ", need 11.8 to launch kernel '" + name + "' in clusters");
  return Status::success();
}

Status Kernel::applyShape() const {
  const auto set = [&](FunctionAttribute attribute, int value) {
    return driver.check(driver.functionSetAttribute(function, attribute, value),
                        "cuFuncSetAttribute");
  };
  if (shape.dynamicSharedBytes)
    if (Status s = set(FunctionAttribute::MaxDynamicSharedBytes,
                       static_cast<int>(shape.dynamicSharedBytes));
        !s.ok())
      return s;
  const auto [x, y, z] = shape.cluster;
  if (uint64_t(x) * y * z > kPortableClusterSize)
    return set(FunctionAttribute::NonPortableClusterSizeAllowed, 1);
  return Status::success();
}

Status Kernel::prepareRecipe(int ordinal) {
  if (!shape.recipe)
    return Status::success();
  caches = std::vector<TensorMapCache>(shape.recipe->maps.size());
  if (!caches.empty()) {
    if (Status s =
            driver.check(driver.memAlloc(&zeros, kZerosBytes), "cuMemAlloc");
        !s.ok())
      return s;
    if (Status s =
            driver.check(driver.fillBytes(zeros, 0, kZerosBytes, nullptr),
                         "cuMemsetD8Async");
        !s.ok())
      return s;
  }
  return shape.recipe->isPersistent ? choosePrograms(ordinal)
                                    : Status::success();
}

/// How many programs of a persistent kernel the device runs at once.
Status Kernel::choosePrograms(int ordinal) {
  Result<int> processors =
      deviceAttribute(driver, ordinal, DeviceAttribute::MultiprocessorCount);
  if (!processors.ok())
    return processors.status();
  int blocks = 0;
  if (Status s = driver.check(
          driver.occupancyMaxBlocks(&blocks, function, int(shape.threads),
                                    shape.dynamicSharedBytes),
          "cuOccupancyMaxActiveBlocksPerMultiprocessor");
      !s.ok())
    return s;
  residentPrograms = int64_t(*processors) * std::max(blocks, 1);
  return Status::success();
}

Status Kernel::checkGrid(const std::array<int64_t, 3> &grid) const {
  static constexpr int64_t kLimits[3] = {INT32_MAX, 65535, 65535};
  for (int i = 0; i < 3; ++i) {
    const std::string where = std::string("grid of kernel '") + name +
                              "' along " + "xyz"[i] + " is " +
                              std::to_string(grid[i]);
    if (grid[i] < 0)
      return Status(StatusCode::InvalidArgument, where + ", a negative number");
    if (grid[i] > kLimits[i])
      return Status(StatusCode::InvalidArgument,
                    where + ", but at most " + std::to_string(kLimits[i]) +
                        " programs are allowed there");
    if (grid[i] % shape.cluster[i])
      return Status(StatusCode::InvalidArgument,
                    where + ", which is not a multiple of its cluster of " +
                        std::to_string(shape.cluster[i]));
  }
  return Status::success();
}

Status Kernel::submit(const std::array<int64_t, 3> &grid, StreamHandle stream,
                      void **parameters) const {
  const auto x = static_cast<unsigned>(grid[0]);
  const auto y = static_cast<unsigned>(grid[1]);
  const auto z = static_cast<unsigned>(grid[2]);
  if (!driver.launchKernelEx)
    return driver.check(driver.launchKernel(function, x, y, z, shape.threads, 1,
                                            1, shape.dynamicSharedBytes, stream,
                                            parameters, nullptr),
                        "cuLaunchKernel");
  LaunchAttribute cluster;
  std::memset(&cluster, 0, sizeof(cluster));
  cluster.id = LaunchAttributeId::ClusterDimension;
  cluster.value.cluster = {shape.cluster[0], shape.cluster[1],
                           shape.cluster[2]};
  LaunchDescription description = {x,
                                   y,
                                   z,
                                   shape.threads,
                                   1,
                                   1,
                                   shape.dynamicSharedBytes,
                                   stream,
                                   &cluster,
                                   isClustered() ? 1u : 0u};
  return driver.check(
      driver.launchKernelEx(&description, function, parameters, nullptr),
      "cuLaunchKernelEx");
}

/// An array without elements has no map: one element of zeros, the padding of
/// all loads that may come from it, takes its place.
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

Status Kernel::submitWithRecipe(const std::array<int64_t, 3> &grid,
                                StreamHandle stream, void **parameters) const {
  const LaunchRecipe &recipe = *shape.recipe;
  std::vector<void *> all(parameters, parameters + recipe.numParameters);
  std::array<int64_t, 3> launched = grid;
  std::array<int32_t, 3> sides;
  if (recipe.isPersistent) {
    // Sides are at most 2^31 and two times 2^16: no overflow.
    if (grid[0] * grid[1] * grid[2] > INT32_MAX)
      return Status(StatusCode::Unsupported,
                    "a grid of " + std::to_string(grid[0] * grid[1] * grid[2]) +
                        " programs, but at most 2147483647 are counted");
    for (size_t i = 0; i < 3; ++i) {
      sides[i] = static_cast<int32_t>(grid[i]);
      all.push_back(&sides[i]);
    }
    launched = {std::min(grid[0] * grid[1] * grid[2], residentPrograms), 1, 1};
  }
  std::vector<TensorMap> maps(recipe.maps.size());
  for (size_t i = 0; i < maps.size(); ++i) {
    const TensorMapRecipe &map = recipe.maps[i];
    if (Status s = caches[i].get(driver, map, viewOf(map, parameters), maps[i]);
        !s.ok())
      return s;
    all.push_back(&maps[i]);
  }
  return submit(launched, stream, all.data());
}

Status Kernel::launch(const std::array<int64_t, 3> &grid, StreamHandle stream,
                      void **parameters) const {
  if (Status s = checkGrid(grid); !s.ok())
    return s;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return Status::success();
  Result<ContextScope> scope = ContextScope::enter(driver, context);
  if (!scope.ok())
    return scope.status();
  Status submitted = shape.recipe ? submitWithRecipe(grid, stream, parameters)
                                  : submit(grid, stream, parameters);
  if (submitted.ok())
    return submitted;
  return Status(submitted.code(),
                "cannot launch kernel '" + name + "': " + submitted.message());
}

} // namespace tilewright::runtime::cuda
