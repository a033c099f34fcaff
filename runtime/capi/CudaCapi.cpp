#include "runtime/capi/CudaGuard.h"
#include "runtime/cuda/Context.h"
#include "runtime/cuda/Device.h"
#include "runtime/cuda/Kernel.h"

#include <cstdio>

using namespace tilewright::runtime;
using namespace tilewright::runtime::capi;
using namespace tilewright::runtime::cuda;

struct tw_cuda_kernel {
  std::unique_ptr<const Kernel> kernel;
};

struct tw_cuda_bound {
  const Kernel &kernel;
  std::unique_ptr<const BoundLaunch> launch;
};

tw_status tw_cuda_driver_version(int *version) {
  return withDriverInto(version, [](const Driver &driver) {
    return Result<int>(driver.version());
  });
}

tw_status tw_cuda_device_count(int *count) {
  return withDriverInto(count, [](const Driver &driver) {
    return Result<int>(driver.deviceCount());
  });
}

tw_status tw_cuda_current_device(int *device) {
  return withDriverInto(device, currentDevice);
}

tw_status tw_cuda_device_name(int device, char *name, size_t size) {
  return withDriver([&](const Driver &driver) -> Status {
    Result<std::string> text = deviceName(driver, device);
    if (!text.ok())
      return text.status();
    std::snprintf(name, size, "%s", text->c_str());
    return Status::success();
  });
}

/// Returns the driver's attribute with the same meaning; nothing if there is
/// none.
static std::optional<DeviceAttribute>
plainAttribute(tw_cuda_device_attribute attribute) {
  switch (attribute) {
  case TW_DEVICE_MULTIPROCESSORS:
    return DeviceAttribute::MultiprocessorCount;
  case TW_DEVICE_SHARED_BYTES_PER_PROGRAM:
    return DeviceAttribute::SharedBytesPerBlockOptIn;
  case TW_DEVICE_SHARED_BYTES_PER_MULTIPROCESSOR:
    return DeviceAttribute::SharedBytesPerMultiprocessor;
  case TW_DEVICE_L2_BYTES:
    return DeviceAttribute::L2Bytes;
  case TW_DEVICE_CLOCK_KILOHERTZ:
    return DeviceAttribute::ClockKilohertz;
  case TW_DEVICE_MEMORY_CLOCK_KILOHERTZ:
    return DeviceAttribute::MemoryClockKilohertz;
  case TW_DEVICE_MEMORY_BUS_BITS:
    return DeviceAttribute::MemoryBusBits;
  case TW_DEVICE_WARP_SIZE:
    return DeviceAttribute::WarpSize;
  case TW_DEVICE_REGISTERS_PER_PROGRAM:
    return DeviceAttribute::RegistersPerBlock;
  default:
    return std::nullopt;
  }
}

static Result<int64_t> readAttribute(const Driver &driver, int device,
                                     tw_cuda_device_attribute attribute) {
  if (attribute == TW_DEVICE_GLOBAL_BYTES) {
    Result<uint64_t> bytes = deviceMemory(driver, device);
    return bytes.ok() ? Result<int64_t>(static_cast<int64_t>(*bytes))
                      : bytes.status();
  }
  if (attribute == TW_DEVICE_COMPUTE_CAPABILITY) {
    Result<int> capability = computeCapability(driver, device);
    return capability.ok() ? Result<int64_t>(*capability) : capability.status();
  }
  std::optional<DeviceAttribute> plain = plainAttribute(attribute);
  if (!plain)
    return Status(StatusCode::InvalidArgument,
                  "there is no device attribute " +
                      std::to_string(static_cast<int>(attribute)));
  Result<int> value = deviceAttribute(driver, device, *plain);
  return value.ok() ? Result<int64_t>(*value) : value.status();
}

tw_status tw_cuda_device_attribute_get(int device,
                                       tw_cuda_device_attribute attribute,
                                       int64_t *value) {
  return withDriverInto(value, [&](const Driver &driver) {
    return readAttribute(driver, device, attribute);
  });
}

tw_status tw_cuda_kernel_load(int device, const void *image, size_t size,
                              const char *name, uint32_t threads,
                              uint32_t dynamic_shared, const uint32_t *cluster,
                              const int64_t *recipe, size_t recipe_size,
                              uint32_t flags, tw_cuda_kernel **kernel) {
  return withDriver([&](const Driver &driver) -> Status {
    LaunchShape shape;
    shape.threads = threads;
    shape.dynamicSharedBytes = dynamic_shared;
    shape.isCooperative = flags & TW_LAUNCH_COOPERATIVE;
    shape.isDependent = flags & TW_LAUNCH_DEPENDENT;
    if (cluster)
      shape.cluster = {cluster[0], cluster[1], cluster[2]};
    if (recipe_size != 0) {
      Result<LaunchRecipe> parsed = LaunchRecipe::parse(recipe, recipe_size);
      if (!parsed.ok())
        return parsed.status();
      shape.recipe = std::move(*parsed);
    }
    std::string bytes(static_cast<const char *>(image), size);
    Result<std::unique_ptr<const Kernel>> loaded =
        Kernel::load(driver, device, bytes, name, shape);
    if (!loaded.ok())
      return loaded.status();
    *kernel = new tw_cuda_kernel{std::move(*loaded)};
    return Status::success();
  });
}

void tw_cuda_kernel_free(tw_cuda_kernel *kernel) { delete kernel; }

int64_t tw_cuda_kernel_attribute_get(const tw_cuda_kernel *kernel,
                                     tw_cuda_kernel_attribute attribute) {
  const KernelResources &resources = kernel->kernel->resources();
  switch (attribute) {
  case TW_KERNEL_REGISTERS:
    return resources.registers;
  case TW_KERNEL_LOCAL_BYTES:
    return resources.localBytes;
  case TW_KERNEL_STATIC_SHARED_BYTES:
    return resources.staticSharedBytes;
  case TW_KERNEL_MAX_THREADS:
    return resources.maxThreads;
  }
  return 0;
}

const char *tw_cuda_kernel_log(const tw_cuda_kernel *kernel) {
  return kernel->kernel->log().c_str();
}

/// Runs `body` on a kernel if this process loaded it, not its parent.
template <typename Body> static tw_status withKernel(Body body) noexcept {
  return guarded([&]() -> Status {
    return Driver::isForked() ? Driver::forkedStatus() : body();
  });
}

tw_status tw_cuda_launch(const tw_cuda_kernel *kernel, const int64_t grid[3],
                         void *stream, void **parameters) {
  return withKernel([&] {
    return kernel->kernel->launch({grid[0], grid[1], grid[2]}, streamOf(stream),
                                  parameters);
  });
}

tw_status tw_cuda_bind(const tw_cuda_kernel *kernel, const int64_t grid[3],
                       const uint64_t *values, size_t count,
                       tw_cuda_bound **bound) {
  return withKernel([&]() -> Status {
    Result<std::unique_ptr<const BoundLaunch>> made =
        kernel->kernel->bind({grid[0], grid[1], grid[2]}, values, count);
    if (!made.ok())
      return made.status();
    *bound = new tw_cuda_bound{*kernel->kernel, std::move(*made)};
    return Status::success();
  });
}

tw_status tw_cuda_bound_launch(const tw_cuda_bound *bound, void *stream) {
  return withKernel(
      [&] { return bound->kernel.launch(*bound->launch, streamOf(stream)); });
}

void tw_cuda_bound_free(tw_cuda_bound *bound) { delete bound; }
