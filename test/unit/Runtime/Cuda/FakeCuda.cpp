// Devices, contexts, modules and launches of the driver's test double.

#include "test/unit/Runtime/Cuda/FakeDriver.h"

#include <algorithm>
#include <cstring>

using namespace tilewright::runtime::cuda;

FakeCuda *fakeCudaState() {
  static FakeCuda state;
  return &state;
}

static void *currentContext() {
  return fake().contextStack.empty() ? nullptr : fake().contextStack.back();
}

FAKE cuDriverGetVersion(int *version) {
  FAIL_IF_ORDERED;
  *version = fake().version;
  return kSuccess;
}

FAKE cuInit(unsigned) {
  FAIL_IF_ORDERED;
  return kSuccess;
}

FAKE cuGetErrorName(int error, const char **text) {
  if (!fake().hasWords)
    return kErrorInvalidValue;
  *text = error == kErrorOutOfMemory ? "FAKE_OUT_OF_MEMORY" : "FAKE_ERROR";
  return kSuccess;
}

FAKE cuGetErrorString(int, const char **text) {
  if (!fake().hasWords)
    return kErrorInvalidValue;
  *text = "words of the driver";
  return kSuccess;
}

FAKE cuDeviceGetCount(int *count) {
  FAIL_IF_ORDERED;
  *count = static_cast<int>(fake().devices.size());
  return kSuccess;
}

// Handles differ from ordinals, so that confusing them is detected.
FAKE cuDeviceGet(int *device, int ordinal) {
  *device = 70 + ordinal;
  return kSuccess;
}

FAKE cuDeviceGetName(char *name, int size, int device) {
  std::strncpy(name, fake().devices[static_cast<size_t>(device - 70)].c_str(),
               static_cast<size_t>(size));
  return kSuccess;
}

FAKE cuDeviceGetAttribute(int *value, int attribute, int device) {
  FAIL_IF_ORDERED;
  switch (static_cast<DeviceAttribute>(attribute)) {
  case DeviceAttribute::ComputeCapabilityMajor:
    *value = fake().majors[device - 70];
    return kSuccess;
  case DeviceAttribute::ComputeCapabilityMinor:
    *value = 0;
    return kSuccess;
  case DeviceAttribute::SharedBytesPerBlockOptIn:
    *value = fake().sharedLimit;
    return kSuccess;
  default:
    *value = 1000 + attribute;
    return kSuccess;
  }
}

FAKE cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = size_t(80) << 30;
  return kSuccess;
}

#ifndef FAKE_CUDA_ANCIENT
FAKE cuDevicePrimaryCtxRetain(void **context, int device) {
  FAIL_IF_ORDERED;
  ++fake().primaryRetained[device - 70];
  *context = fakePrimaryContext(device - 70);
  return kSuccess;
}
#endif

FAKE cuCtxGetCurrent(void **context) {
  FAIL_IF_ORDERED;
  *context = currentContext();
  return kSuccess;
}

FAKE cuCtxGetDevice(int *device) {
  const auto context = reinterpret_cast<uintptr_t>(currentContext());
  *device = 70 + static_cast<int>(context & 0xf);
  return kSuccess;
}

FAKE cuCtxPushCurrent_v2(void *context) {
  FAIL_IF_ORDERED;
  fake().contextStack.push_back(context);
  return kSuccess;
}

FAKE cuCtxPopCurrent_v2(void **context) {
  *context = currentContext();
  fake().contextStack.pop_back();
  return kSuccess;
}

FAKE cuCtxSynchronize() {
  FAIL_IF_ORDERED;
  doCopies();
  return kSuccess;
}

FAKE cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                        int *options, void **values) {
  const auto writeLog = [&](JitOption buffer, const std::string &text) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == static_cast<int>(buffer))
        std::memcpy(values[i], text.data(), text.size());
  };
  writeLog(JitOption::InfoLog, fake().jitInfoLog);
  writeLog(JitOption::ErrorLog, fake().jitErrorLog);
  FAIL_IF_ORDERED;
  fake().loadedImage = static_cast<const char *>(image);
  ++fake().modulesLoaded;
  *module = fakeHandle(0x3000);
  return kSuccess;
}

FAKE cuModuleUnload(void *) {
  ++fake().modulesUnloaded;
  return kSuccess;
}

FAKE cuModuleGetFunction(void **function, void *, const char *name) {
  FAIL_IF_ORDERED;
  if (std::strcmp(name, "kernel") != 0)
    return kErrorNotFound;
  *function = fakeHandle(0x4000);
  return kSuccess;
}

FAKE cuFuncGetAttribute(int *value, int attribute, void *) {
  FAIL_IF_ORDERED;
  switch (static_cast<FunctionAttribute>(attribute)) {
  case FunctionAttribute::Registers:
    *value = fake().registers;
    return kSuccess;
  case FunctionAttribute::LocalBytes:
    *value = fake().localBytes;
    return kSuccess;
  case FunctionAttribute::SharedBytes:
    *value = fake().staticSharedBytes;
    return kSuccess;
  case FunctionAttribute::MaxThreadsPerBlock:
    *value = fake().maxThreads;
    return kSuccess;
  default:
    return kErrorInvalidValue;
  }
}

FAKE cuFuncSetAttribute(void *, int attribute, int value) {
  FAIL_IF_ORDERED;
  fake().functionSettings[attribute] = value;
  return kSuccess;
}

FAKE cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *,
                                                 int /*threads*/, size_t) {
  FAIL_IF_ORDERED;
  *blocks = fake().blocksPerMultiprocessor;
  return kSuccess;
}

#ifndef FAKE_CUDA_OLD
FAKE cuOccupancyMaxActiveClusters(int *clusters, void *,
                                  const LaunchDescription *description) {
  FAIL_IF_ORDERED;
  const LaunchDescription &d = *description;
  bool isCluster = d.attributeCount > 0 &&
                   d.attributes[0].id == LaunchAttributeId::ClusterDimension &&
                   d.gridX % d.attributes[0].value.cluster.x == 0;
  *clusters = isCluster ? fake().clustersAtOnce : 0;
  return kSuccess;
}

FAKE cuTensorMapEncodeTiled(TensorMap *map, int element, uint32_t rank,
                            uint64_t base, const uint64_t *sizes,
                            const uint64_t *strides, const uint32_t *box,
                            const uint32_t *, int, int swizzle, int promotion,
                            int outOfBoundsFill) {
  FAIL_IF_ORDERED;
  FakeTensorMap made;
  made.element = element;
  made.base = base;
  made.sizes.assign(sizes, sizes + rank);
  made.strides.assign(strides, strides + rank - 1);
  made.box.assign(box, box + rank);
  made.swizzle = swizzle;
  made.promotion = promotion;
  made.outOfBoundsFill = outOfBoundsFill;
  fake().tensorMaps.push_back(made);
  *map = {};
  map->words[0] = fake().tensorMaps.size();
  return kSuccess;
}
#endif

static void record(FakeLaunch launch, void **parameters) {
  launch.context = currentContext();
  if (parameters) {
    std::memcpy(&launch.pointer, parameters[0], sizeof(launch.pointer));
    std::memcpy(&launch.number, parameters[1], sizeof(launch.number));
    for (int i = 0; i < fake().parametersToRecord; ++i)
      launch.words.push_back(*static_cast<uint32_t *>(parameters[i]));
  }
  fake().launches.push_back(launch);
}

FAKE cuLaunchKernel(void *, unsigned gridX, unsigned gridY, unsigned gridZ,
                    unsigned blockX, unsigned blockY, unsigned blockZ,
                    unsigned sharedBytes, void *stream, void **parameters,
                    void **) {
  FAIL_IF_ORDERED;
  FAIL_IF_DESTROYED(stream);
  FakeLaunch launch;
  std::copy_n(std::initializer_list<unsigned>{gridX, gridY, gridZ}.begin(), 3,
              launch.grid);
  std::copy_n(std::initializer_list<unsigned>{blockX, blockY, blockZ}.begin(),
              3, launch.block);
  launch.sharedBytes = sharedBytes;
  launch.stream = stream;
  record(launch, parameters);
  return kSuccess;
}

#ifndef FAKE_CUDA_OLD
FAKE cuLaunchKernelEx(const LaunchDescription *description, void *,
                      void **parameters, void **) {
  FAIL_IF_ORDERED;
  const LaunchDescription &d = *description;
  FAIL_IF_DESTROYED(d.stream);
  ++fake().launchCount;
  if (fake().onlyCountsLaunches)
    return kSuccess;
  FakeLaunch launch;
  launch.extended = true;
  std::copy_n(
      std::initializer_list<unsigned>{d.gridX, d.gridY, d.gridZ}.begin(), 3,
      launch.grid);
  std::copy_n(
      std::initializer_list<unsigned>{d.blockX, d.blockY, d.blockZ}.begin(), 3,
      launch.block);
  launch.sharedBytes = d.dynamicSharedBytes;
  launch.stream = d.stream;
  launch.attributes = d.attributeCount;
  for (unsigned i = 0; i < d.attributeCount; ++i) {
    const LaunchAttribute &attribute = d.attributes[i];
    if (attribute.id == LaunchAttributeId::ClusterDimension)
      std::memcpy(launch.cluster, &attribute.value.cluster,
                  sizeof(launch.cluster));
    else if (attribute.id == LaunchAttributeId::Cooperative)
      launch.isCooperative = attribute.value.cooperative == 1;
    else if (attribute.id == LaunchAttributeId::ProgrammaticStreamSerialization)
      launch.isDependent = attribute.value.programmaticStreamSerialization == 1;
  }
  record(launch, parameters);
  return kSuccess;
}
#endif
