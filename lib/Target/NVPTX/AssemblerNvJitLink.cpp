#include "lib/Target/NVPTX/AssemblerNvJitLink.h"

#include "lib/Target/NVPTX/AssemblerLog.h"

#include "llvm/Support/Path.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

using namespace llvm;

namespace tilewright {

namespace {
/// The part of the library's documented binary interface that is used here.
enum Result : int {
  kSuccess = 0,
  kUnknownOption = 1,
  kUnknownArch = 16,
  kUnsupportedArch = 17
};
enum InputType : int { kPtxInput = 2 };
using Handle = struct HandleOpaque *;

struct Functions {
  int (*create)(Handle *, uint32_t, const char **) = nullptr;
  int (*destroy)(Handle *) = nullptr;
  int (*addData)(Handle, InputType, const void *, size_t,
                 const char *) = nullptr;
  int (*complete)(Handle) = nullptr;
  int (*getLinkedCubinSize)(Handle, size_t *) = nullptr;
  int (*getLinkedCubin)(Handle, void *) = nullptr;
  int (*getErrorLogSize)(Handle, size_t *) = nullptr;
  int (*getErrorLog)(Handle, char *) = nullptr;
  int (*getInfoLogSize)(Handle, size_t *) = nullptr;
  int (*getInfoLog)(Handle, char *) = nullptr;
};

class NvJitLink : public Assembler {
public:
  NvJitLink(std::string path, unsigned major, unsigned minor, Functions call)
      : libraryPath(std::move(path)), major(major), minor(minor), call(call) {}

  AssemblerKind kind() const override { return AssemblerKind::NvJitLink; }
  std::string name() const override {
    return "nvJitLink " + std::to_string(major) + "." + std::to_string(minor);
  }
  std::string path() const override { return libraryPath; }
  unsigned maxPtxVersion() const override {
    return ptxVersionOfCuda(major, minor);
  }
  Expected<Assembly> assemble(StringRef ptx, StringRef arch,
                              const AssemblerOptions &options) const override;

private:
  Error link(Handle handle, StringRef ptx, Assembly &assembly) const;
  std::string readLog(Handle handle, int (*getSize)(Handle, size_t *),
                      int (*get)(Handle, char *)) const;
  Error failure(Handle handle, StringRef step, int result) const;

  std::string libraryPath;
  unsigned major, minor;
  Functions call;
};
} // namespace

std::string NvJitLink::readLog(Handle handle, int (*getSize)(Handle, size_t *),
                               int (*get)(Handle, char *)) const {
  size_t size = 0;
  if (getSize(handle, &size) != kSuccess || size == 0)
    return "";
  std::string text(size, '\0');
  if (get(handle, text.data()) != kSuccess)
    return "";
  text.resize(StringRef(text).find('\0') == StringRef::npos
                  ? text.size()
                  : StringRef(text).find('\0'));
  return text;
}

Error NvJitLink::failure(Handle handle, StringRef step, int result) const {
  std::string log = readLog(handle, call.getErrorLogSize, call.getErrorLog);
  return createStringError(name() + " failed to " + step.str() + " (error " +
                           std::to_string(result) + ")" +
                           (log.empty() ? "" : ":\n" + log));
}

Error NvJitLink::link(Handle handle, StringRef ptx, Assembly &assembly) const {
  // Checks each step: after a failed one the next steps succeed and return a
  // cubin without kernels.
  if (int result =
          call.addData(handle, kPtxInput, ptx.data(), ptx.size(), "kernel.ptx"))
    return failure(handle, "assemble", result);
  if (int result = call.complete(handle))
    return failure(handle, "link", result);
  size_t size = 0;
  if (int result = call.getLinkedCubinSize(handle, &size))
    return failure(handle, "give the cubin", result);
  assembly.cubin.resize(size);
  if (int result = call.getLinkedCubin(handle, assembly.cubin.data()))
    return failure(handle, "give the cubin", result);
  return Error::success();
}

Expected<Assembly> NvJitLink::assemble(StringRef ptx, StringRef arch,
                                       const AssemblerOptions &options) const {
  const std::string archOption = "-arch=" + arch.str();
  // A cubin from the driver's cache comes without a report of registers and
  // spills. So the cache is bypassed in releases that have an option for that.
  std::vector<const char *> arguments = {archOption.c_str(), "-O3", "-verbose"};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  arguments.push_back("-no-cache");
  Handle handle = nullptr;
  int created = call.create(&handle, arguments.size(), arguments.data());
  if (created == kUnknownOption) {
    if (handle)
      call.destroy(&handle);
    arguments.pop_back();
    created = call.create(&handle, arguments.size(), arguments.data());
  }
  // nvJitLink creates a handle even if it refuses the options.
  std::unique_ptr<Handle, int (*)(Handle *)> owner(handle ? &handle : nullptr,
                                                   call.destroy);
  if (created == kUnknownArch || created == kUnsupportedArch)
    return make_error<UnknownArchError>(name() + " does not know " +
                                        arch.str());
  if (created != kSuccess)
    return createStringError(name() + " refused its options (error " +
                             std::to_string(created) + ")");
  Assembly assembly;
  assembly.kind = kind();
  assembly.assembler = name();
  if (Error failed = link(handle, ptx, assembly))
    return std::move(failed);
  assembly.log = readLog(handle, call.getInfoLogSize, call.getInfoLog);
  readAssemblerLog(assembly.log, assembly);
  return assembly;
}

/// Returns the address of `name`. Some releases export the plain name, others a
/// name with their version.
static void *findSymbol(void *library, const std::string &name, unsigned major,
                        unsigned minor) {
  if (void *address = dlsym(library, ("nvJitLink" + name).c_str()))
    return address;
  const std::string versioned = "__nvJitLink" + name + "_" +
                                std::to_string(major) + "_" +
                                std::to_string(minor);
  return dlsym(library, versioned.c_str());
}

static bool findFunctions(void *library, unsigned major, unsigned minor,
                          Functions &functions) {
  const auto find = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        findSymbol(library, name, major, minor));
    return function != nullptr;
  };
  return find("Create", functions.create) &&
         find("Destroy", functions.destroy) &&
         find("AddData", functions.addData) &&
         find("Complete", functions.complete) &&
         find("GetLinkedCubinSize", functions.getLinkedCubinSize) &&
         find("GetLinkedCubin", functions.getLinkedCubin) &&
         find("GetErrorLogSize", functions.getErrorLogSize) &&
         find("GetErrorLog", functions.getErrorLog) &&
         find("GetInfoLogSize", functions.getInfoLogSize) &&
         find("GetInfoLog", functions.getInfoLog);
}

/// Reads the library's release. The first release has no function for that.
static void findVersion(void *library, unsigned &major, unsigned &minor) {
  major = 12;
  minor = 0;
  if (void *address = dlsym(library, "nvJitLinkVersion"))
    reinterpret_cast<int (*)(unsigned *, unsigned *)>(address)(&major, &minor);
}

/// Opens the library `name`, which stays loaded; null if that fails.
static std::shared_ptr<const Assembler> openLibrary(const std::string &name,
                                                    int flags) {
  void *library = dlopen(name.c_str(), flags);
  if (!library)
    return nullptr;
  unsigned major = 0, minor = 0;
  Functions functions;
  findVersion(library, major, minor);
  if (!findFunctions(library, major, minor, functions)) {
    dlclose(library);
    return nullptr;
  }
  Dl_info info;
  std::string path = name;
  if (dladdr(reinterpret_cast<void *>(functions.create), &info) &&
      info.dli_fname)
    path = info.dli_fname;
  return std::make_shared<NvJitLink>(path, major, minor, functions);
}

/// Prefers a library that this process has already loaded: a second one costs a
/// hundred megabytes.
static std::shared_ptr<const Assembler> openUsualLibrary() {
  static constexpr const char *kNames[] = {"libnvJitLink.so.13",
                                           "libnvJitLink.so.12"};
  static std::mutex mutex;
  static std::shared_ptr<const Assembler> found;
  std::lock_guard<std::mutex> lock(mutex);
  for (int flags : {RTLD_NOW | RTLD_NOLOAD, RTLD_NOW | RTLD_LOCAL})
    for (const char *name : kNames)
      if (!found)
        found = openLibrary(name, flags);
  for (const char *name : kNames)
    if (!found)
      found = openLibrary("/usr/local/cuda/lib64/" + std::string(name),
                          RTLD_NOW | RTLD_LOCAL);
  return found;
}

Expected<std::shared_ptr<const Assembler>>
findNvJitLink(ArrayRef<std::string> paths) {
  const char *chosen = std::getenv("TILEWRIGHT_NVJITLINK");
  if (chosen && *chosen) {
    if (auto library = openLibrary(chosen, RTLD_NOW | RTLD_LOCAL))
      return library;
    return createStringError("TILEWRIGHT_NVJITLINK='" + std::string(chosen) +
                             "' is not an nvJitLink library");
  }
  for (const std::string &path : paths)
    if (sys::path::filename(path).starts_with("libnvJitLink"))
      if (auto library = openLibrary(path, RTLD_NOW | RTLD_LOCAL))
        return library;
  return openUsualLibrary();
}

} // namespace tilewright
