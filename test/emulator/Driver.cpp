// The functions of the CUDA driver that the runtime calls, for an emulated
// device. Its memory is that of the process, its streams run everything at
// once, and its kernels are PTX.

#include "test/emulator/EmulatedDevice.h"
#include "test/emulator/TensorMap.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tilewright::runtime::cuda;
using namespace emulator;

namespace {

struct Kernel {
  const Program *program;
  const Function *function;
};

struct Module {
  std::unique_ptr<Program> program;
  /// The kernels that were requested.
  std::vector<std::unique_ptr<Kernel>> kernels;
};

unsigned setting(const char *name, unsigned otherwise) {
  const char *text = std::getenv(name);
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10))
              : otherwise;
}

/// Few, so that tests see programs that share a multiprocessor.
unsigned multiprocessors() {
  return setting("TILEWRIGHT_EMULATED_MULTIPROCESSORS", 4);
}
unsigned capability() { return setting("TILEWRIGHT_EMULATED_CAPABILITY", 90); }

constexpr int kSharedOfMultiprocessor = 233472, kSharedOfBlock = 232448,
              kThreadsOfMultiprocessor = 2048, kReservedShared = 1024;

int fail(int error, const std::string &words) {
  device().failure = error;
  device().words = words;
  return error;
}

unsigned blocksOfMultiprocessor(const Kernel &kernel, unsigned threads,
                                size_t dynamicBytes) {
  const size_t shared = kernel.program->staticSharedBytes + dynamicBytes;
  return static_cast<unsigned>(
      std::min<size_t>(kThreadsOfMultiprocessor / std::max(threads, 1u),
                       kSharedOfMultiprocessor / std::max<size_t>(shared, 1)));
}

Dimensions clusterOf(const Kernel &kernel,
                     const LaunchDescription &description) {
  const unsigned *fixed = kernel.function->cluster;
  Dimensions found = {fixed[0], fixed[1], fixed[2]};
  for (unsigned i = 0; i < description.attributeCount; ++i) {
    const LaunchAttribute &attribute = description.attributes[i];
    if (attribute.id == LaunchAttributeId::ClusterDimension)
      found = {attribute.value.cluster.x, attribute.value.cluster.y,
               attribute.value.cluster.z};
  }
  return found;
}

int run(const Kernel &kernel, const Configuration &configuration,
        const std::vector<char> &parameters) {
  Device &d = device();
  const unsigned seed = setting("TILEWRIGHT_EMULATOR_SEED", 1);
  try {
    Launch launch(*kernel.program, *kernel.function, configuration, parameters,
                  d.allocations, seed * 1000003ull + d.launches++);
    launch.run();
  } catch (const Failure &failure) {
    const bool isAssert = std::strstr(failure.what(), ": assertion");
    return fail(isAssert ? kErrorAssert : kErrorIllegalAddress, failure.what());
  }
  return kSuccess;
}

int launch(const LaunchDescription &description, const Kernel &kernel,
           void **given) {
  Configuration c;
  c.grid = {description.gridX, description.gridY, description.gridZ};
  c.threads = {description.blockX, description.blockY, description.blockZ};
  c.cluster = clusterOf(kernel, description);
  c.dynamicSharedBytes = description.dynamicSharedBytes;
  if (!c.grid.count() || !c.threads.count() || c.grid.x % c.cluster.x ||
      c.grid.y % c.cluster.y || c.grid.z % c.cluster.z)
    return kErrorInvalidValue;
  const unsigned fitting = blocksOfMultiprocessor(
      kernel, static_cast<unsigned>(c.threads.count()), c.dynamicSharedBytes);
  if (!fitting)
    return kErrorInvalidValue;
  const auto clusterSize = static_cast<unsigned>(c.cluster.count());
  c.clustersAtOnce = std::max(1u, fitting * multiprocessors() / clusterSize);
  c.mostInstructions =
      uint64_t(1000000) * setting("TILEWRIGHT_EMULATOR_MILLIONS", 1000);
  std::vector<char> parameters(kernel.function->parameterBytes + 8);
  size_t i = 0;
  for (const Parameter &parameter : kernel.function->parameters)
    std::memcpy(parameters.data() + parameter.offset, given[i++],
                parameter.bytes);
  return inStream(description.stream,
                  [=] { return run(kernel, c, parameters); });
}

} // namespace

EMULATED cuDriverGetVersion(int *version) {
  *version = 13000;
  return kSuccess;
}
EMULATED cuInit(unsigned) { return kSuccess; }

EMULATED cuGetErrorName(int error, const char **text) {
  *text = error == kErrorIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == kErrorAssert       ? "CUDA_ERROR_ASSERT"
          : error == kErrorOutOfMemory  ? "CUDA_ERROR_OUT_OF_MEMORY"
                                        : "CUDA_ERROR";
  return kSuccess;
}
EMULATED cuGetErrorString(int error, const char **text) {
  *text = error == device().failure    ? device().words.c_str()
          : error == kErrorOutOfMemory ? "out of memory"
                                       : "emulated";
  return kSuccess;
}

EMULATED cuDeviceGetCount(int *count) {
  *count = 1;
  return kSuccess;
}
EMULATED cuDeviceGet(int *found, int ordinal) {
  *found = ordinal;
  return kSuccess;
}
EMULATED cuDeviceGetName(char *name, int size, int) {
  std::snprintf(name, static_cast<size_t>(size), "Emulated GPU");
  return kSuccess;
}
EMULATED cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = kMemory;
  return kSuccess;
}

EMULATED cuDeviceGetAttribute(int *value, int attribute, int) {
  switch (static_cast<DeviceAttribute>(attribute)) {
  case DeviceAttribute::MaxThreadsPerBlock:
    *value = 1024;
    return kSuccess;
  case DeviceAttribute::WarpSize:
    *value = kLanes;
    return kSuccess;
  case DeviceAttribute::RegistersPerBlock:
    *value = 65536;
    return kSuccess;
  case DeviceAttribute::ClockKilohertz:
    *value = 1980000;
    return kSuccess;
  case DeviceAttribute::MultiprocessorCount:
    *value = static_cast<int>(multiprocessors());
    return kSuccess;
  case DeviceAttribute::MemoryClockKilohertz:
    *value = 2619000;
    return kSuccess;
  case DeviceAttribute::MemoryBusBits:
    *value = 5120;
    return kSuccess;
  case DeviceAttribute::L2Bytes:
    *value = 50 << 20;
    return kSuccess;
  case DeviceAttribute::ComputeCapabilityMajor:
    *value = static_cast<int>(capability() / 10);
    return kSuccess;
  case DeviceAttribute::ComputeCapabilityMinor:
    *value = static_cast<int>(capability() % 10);
    return kSuccess;
  case DeviceAttribute::SharedBytesPerMultiprocessor:
    *value = kSharedOfMultiprocessor;
    return kSuccess;
  case DeviceAttribute::SharedBytesPerBlockOptIn:
    *value = kSharedOfBlock;
    return kSuccess;
  case DeviceAttribute::MemoryPoolsSupported:
    *value = 1;
    return kSuccess;
  }
  return kErrorInvalidValue;
}

EMULATED cuDevicePrimaryCtxRetain(void **context, int) {
  *context = &device();
  return kSuccess;
}
EMULATED cuCtxGetCurrent(void **context) {
  const auto &stack = device().contexts;
  *context = stack.empty() ? nullptr : stack.back();
  return kSuccess;
}
EMULATED cuCtxGetDevice(int *found) {
  *found = 0;
  return kSuccess;
}
EMULATED cuCtxPushCurrent_v2(void *context) {
  device().contexts.push_back(context);
  return kSuccess;
}
EMULATED cuCtxPopCurrent_v2(void **context) {
  *context = device().contexts.back();
  device().contexts.pop_back();
  return kSuccess;
}
EMULATED cuCtxSynchronize() { return kSuccess; }

EMULATED cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                            int *options, void **values) {
  const std::lock_guard<std::mutex> lock(device().mutex);
  const auto writeLog = [&](const std::string &text) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == static_cast<int>(JitOption::ErrorLog))
        std::strcpy(static_cast<char *>(values[i]), text.c_str());
  };
  const char *text = static_cast<const char *>(image);
  if (std::strncmp(text,
                   "\x7f"
                   "ELF",
                   4) == 0) {
    writeLog("the emulator takes PTX: set TILEWRIGHT_ASSEMBLER=driver");
    return kErrorNoBinaryForGpu;
  }
  try {
    auto made = std::make_unique<Module>();
    made->program = parse(text);
    bind(*made->program);
    *module = made.release();
  } catch (const Failure &failure) {
    writeLog(failure.what());
    return kErrorInvalidPtx;
  }
  return kSuccess;
}
EMULATED cuModuleUnload(void *module) {
  delete static_cast<Module *>(module);
  return kSuccess;
}
EMULATED cuModuleGetFunction(void **function, void *module, const char *name) {
  const std::lock_guard<std::mutex> lock(device().mutex);
  Module &from = *static_cast<Module *>(module);
  const Program &program = *from.program;
  auto found = program.functions.find(name);
  if (found == program.functions.end() || !found->second.isKernel)
    return kErrorNotFound;
  from.kernels.push_back(
      std::make_unique<Kernel>(Kernel{&program, &found->second}));
  *function = from.kernels.back().get();
  return kSuccess;
}
EMULATED cuFuncGetAttribute(int *value, int attribute, void *function) {
  const Kernel &kernel = *static_cast<Kernel *>(function);
  switch (static_cast<FunctionAttribute>(attribute)) {
  case FunctionAttribute::MaxThreadsPerBlock: {
    const unsigned *threads = kernel.function->requiredThreads;
    *value = threads[0] ? static_cast<int>(threads[0] * threads[1] * threads[2])
                        : 1024;
    return kSuccess;
  }
  case FunctionAttribute::SharedBytes:
    *value =
        static_cast<int>(kernel.program->staticSharedBytes) - kReservedShared;
    return kSuccess;
  case FunctionAttribute::LocalBytes:
    *value = 0;
    return kSuccess;
  case FunctionAttribute::Registers:
    *value = 128;
    return kSuccess;
  default:
    return kErrorInvalidValue;
  }
}
EMULATED cuFuncSetAttribute(void *, int, int) { return kSuccess; }

EMULATED cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                     void *function,
                                                     int threads,
                                                     size_t bytes) {
  *blocks = static_cast<int>(blocksOfMultiprocessor(
      *static_cast<Kernel *>(function), static_cast<unsigned>(threads), bytes));
  return kSuccess;
}
EMULATED cuOccupancyMaxActiveClusters(int *clusters, void *function,
                                      const LaunchDescription *description) {
  const Kernel &kernel = *static_cast<Kernel *>(function);
  const unsigned blocks =
      blocksOfMultiprocessor(kernel, description->blockX,
                             description->dynamicSharedBytes) *
      multiprocessors();
  *clusters =
      static_cast<int>(blocks / clusterOf(kernel, *description).count());
  return kSuccess;
}

EMULATED cuTensorMapEncodeTiled(void *to, int element, uint32_t rank,
                                uint64_t base, const uint64_t *sizes,
                                const uint64_t *strides, const uint32_t *box,
                                const uint32_t *, int, int swizzle, int,
                                int outOfBoundsFill) {
  emulator::TensorMap map = {};
  if (rank < 1 || rank > 5 || base % 16)
    return kErrorInvalidValue;
  map.mark = emulator::TensorMap::kMark;
  map.base = base;
  map.element = static_cast<uint8_t>(element);
  map.rank = static_cast<uint8_t>(rank);
  map.swizzle = static_cast<uint8_t>(swizzle);
  map.fill = static_cast<uint8_t>(outOfBoundsFill);
  for (uint32_t i = 0; i < rank; ++i) {
    if (sizes[i] == 0 || sizes[i] > uint64_t(1) << 32 || box[i] == 0 ||
        box[i] > 256)
      return kErrorInvalidValue;
    map.sizes[i] = sizes[i];
    map.box[i] = box[i];
    if (i && (strides[i - 1] % 16 || strides[i - 1] >= uint64_t(1) << 40))
      return kErrorInvalidValue;
    if (i)
      map.strides[i - 1] = strides[i - 1];
  }
  std::memset(to, 0, 128);
  std::memcpy(to, &map, sizeof(map));
  return kSuccess;
}

EMULATED cuLaunchKernelEx(const LaunchDescription *description, void *function,
                          void **parameters, void **) {
  const std::lock_guard<std::mutex> lock(device().mutex);
  return launch(*description, *static_cast<Kernel *>(function), parameters);
}
EMULATED cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                        unsigned gridZ, unsigned blockX, unsigned blockY,
                        unsigned blockZ, unsigned sharedBytes, void *stream,
                        void **parameters, void **) {
  const LaunchDescription description = {
      gridX,   gridY,  gridZ,       blockX,
      blockY,  blockZ, sharedBytes, static_cast<StreamHandle>(stream),
      nullptr, 0};
  return cuLaunchKernelEx(&description, function, parameters, nullptr);
}
