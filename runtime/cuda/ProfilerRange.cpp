#include "runtime/cuda/ProfilerRange.h"

#include "runtime/core/Environment.h"

#include <dlfcn.h>

namespace tilewright::runtime::cuda {

namespace {
struct Nvtx {
  int (*push)(const char *name) = nullptr;
  int (*pop)() = nullptr;
};
} // namespace

static void *openLibrary(const std::string &named) {
  if (named.find('/') != std::string::npos)
    return dlopen(named.c_str(), RTLD_NOW | RTLD_LOCAL);
  for (const char *name : {"libnvToolsExt.so.1", "libnvtx3interop.so.1",
                           "libnvtx3interop.so", "libnvToolsExt.so"})
    if (void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL))
      return library;
  return nullptr;
}

static Nvtx openNvtx() {
  Nvtx nvtx;
  if (!environmentFlag("TILEWRIGHT_NVTX"))
    return nvtx;
  void *library = openLibrary(*environment("TILEWRIGHT_NVTX"));
  if (!library)
    return nvtx;
  nvtx.push =
      reinterpret_cast<int (*)(const char *)>(dlsym(library, "nvtxRangePushA"));
  nvtx.pop = reinterpret_cast<int (*)()>(dlsym(library, "nvtxRangePop"));
  return nvtx.push && nvtx.pop ? nvtx : Nvtx();
}

static const Nvtx &nvtx() {
  static const Nvtx opened = openNvtx();
  return opened;
}

bool ProfilerRange::isWanted() { return nvtx().push; }

ProfilerRange::ProfilerRange(const char *name) {
  if (!isWanted())
    return;
  nvtx().push(name);
  pop = nvtx().pop;
}

ProfilerRange::~ProfilerRange() {
  if (pop)
    pop();
}

} // namespace tilewright::runtime::cuda
