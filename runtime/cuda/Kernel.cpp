#include "runtime/cuda/Kernel.h"

#include "runtime/cuda/Context.h"
#include "runtime/cuda/Device.h"

#include <algorithm>
#include <cstring>

namespace tilewright::runtime::cuda {

/// The largest cluster that every device with clusters runs.
static constexpr uint64_t kPortableClusterSize = 8;

Result<std::unique_ptr<const Kernel>>
Kernel::load(const Driver &driver, int ordinal, const std::string &image,
             const std::string &name, const LaunchShape &shape) {
  Result<ContextScope> scope = ContextScope::enter(driver, ordinal);
  if (!scope.ok())
    return scope.status();
  std::unique_ptr<Kernel> kernel(new Kernel(driver, name, shape));
  kernel->context = scope->context();
  kernel->copies = std::make_unique<KernelCopies>(driver, ordinal, image);
  if (Status s = kernel->loadModule(image); !s.ok())
    return s;
  if (Status s = kernel->readResources(); !s.ok())
    return s;
  if (Status s = kernel->checkShape(ordinal); !s.ok())
    return s;
  if (Status s = kernel->applyShape(); !s.ok())
    return s;
  kernel->prepareAttributes();
  if (Status s = kernel->prepareRecipe(ordinal); !s.ok())
    return s;
  return std::unique_ptr<const Kernel>(std::move(kernel));
}

Kernel::~Kernel() {
  if (!module || Driver::isForked())
    return;
  // A destroyed context has freed its modules and memory.
  Result<ContextScope> scope = ContextScope::enter(driver, context);
  if (!scope.ok())
    return;
  (void)driver.moduleUnload(module);
  if (zeros)
    (void)driver.memFree(zeros);
}

/// Returns the text in a buffer that the driver may have left without a
/// terminator.
static std::string bufferText(const std::string &buffer) {
  return buffer.substr(0, buffer.find('\0'));
}

Status Kernel::loadModule(const std::string &image) {
  std::string info(8192, '\0'), error(8192, '\0');
  // The driver takes sizes in the pointer itself.
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
  if ((isClustered() || shape.isCooperative) && !driver.launchKernelEx)
    return Status(
        StatusCode::Unsupported,
        "CUDA driver too old: have " + formatDriverVersion(driver.version()) +
            ", need 11.8 to launch kernel '" + name +
            (isClustered() ? "' in clusters" : "' with a cooperative grid"));
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

void Kernel::prepareAttributes() {
  std::memset(attributes.data(), 0, sizeof(attributes));
  if (isClustered()) {
    LaunchAttribute &attribute = attributes[attributeCount++];
    attribute.id = LaunchAttributeId::ClusterDimension;
    attribute.value.cluster = {shape.cluster[0], shape.cluster[1],
                               shape.cluster[2]};
  }
  if (shape.isCooperative) {
    LaunchAttribute &attribute = attributes[attributeCount++];
    attribute.id = LaunchAttributeId::Cooperative;
    attribute.value.cooperative = 1;
  }
  // Every driver for devices that overlap kernels has these attributes.
  if (shape.isDependent) {
    LaunchAttribute &attribute = attributes[attributeCount++];
    attribute.id = LaunchAttributeId::ProgrammaticStreamSerialization;
    attribute.value.programmaticStreamSerialization = 1;
  }
}

Status Kernel::prepareRecipe(int ordinal) {
  if (!shape.recipe)
    return Status::success();
  mapSets.emplace(*shape.recipe);
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
  if (shape.recipe->extraSharedBytes)
    if (Status s = prepareExtra(ordinal); !s.ok())
      return s;
  if (shape.recipe->grid != GridKind::Persistent)
    return Status::success();
  return isClustered() && driver.occupancyMaxClusters ? chooseClusters()
                                                      : choosePrograms(ordinal);
}

/// Checks that the device has the shared memory that a lone CTA uses.
Status Kernel::prepareExtra(int ordinal) {
  Result<int> limit = deviceAttribute(
      driver, ordinal, DeviceAttribute::SharedBytesPerBlockOptIn);
  Result<int> count =
      deviceAttribute(driver, ordinal, DeviceAttribute::MultiprocessorCount);
  if (!limit.ok() || !count.ok())
    return limit.ok() ? count.status() : limit.status();
  const int64_t bytes =
      int64_t(shape.dynamicSharedBytes) + shape.recipe->extraSharedBytes;
  if (used.staticSharedBytes + bytes > *limit)
    return Status::success();
  processors = *count;
  extraSharedBytes = shape.recipe->extraSharedBytes;
  return driver.check(driver.functionSetAttribute(
                          function, FunctionAttribute::MaxDynamicSharedBytes,
                          static_cast<int>(bytes)),
                      "cuFuncSetAttribute");
}

/// Computes how many programs of a persistent kernel the device runs at once.
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
  const int64_t programs = int64_t(*processors) * std::max(blocks, 1);
  residentPrograms =
      std::max<int64_t>(programs / clusterSize(), 1) * clusterSize();
  return Status::success();
}

/// Same for clusters, each of which stays within one part of the device.
Status Kernel::chooseClusters() {
  const auto [x, y, z] = shape.cluster;
  const LaunchDescription description =
      describe({int64_t(x), int64_t(y), int64_t(z)}, /*stream=*/nullptr);
  int clusters = 0;
  if (Status s = driver.check(
          driver.occupancyMaxClusters(&clusters, function, &description),
          "cuOccupancyMaxActiveClusters");
      !s.ok())
    return s;
  residentPrograms = int64_t(std::max(clusters, 1)) * clusterSize();
  return Status::success();
}

} // namespace tilewright::runtime::cuda
