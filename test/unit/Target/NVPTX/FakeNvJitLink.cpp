// nvJitLink as its first release was: names with the version, and no function
// that tells it. Knows sm_80 alone, and gives the PTX back as the cubin.
#include <cstdint>
#include <cstring>
#include <string>

#define FAKE extern "C" __attribute__((visibility("default"))) int

namespace {
struct Link {
  std::string cubin;
  std::string error;
};
constexpr int kPtxCompile = 4, kUnknownArch = 16;
} // namespace

FAKE __nvJitLinkCreate_12_0(Link **handle, uint32_t count,
                            const char **options) {
  *handle = new Link;
  for (uint32_t i = 0; i < count; ++i)
    if (std::strncmp(options[i], "-arch=", 6) == 0 &&
        std::strcmp(options[i] + 6, "sm_80") != 0)
      return kUnknownArch;
  return 0;
}

FAKE __nvJitLinkDestroy_12_0(Link **handle) {
  delete *handle;
  *handle = nullptr;
  return 0;
}

FAKE __nvJitLinkAddData_12_0(Link *link, int, const void *data, size_t size,
                             const char *) {
  link->cubin.assign(static_cast<const char *>(data), size);
  if (link->cubin.find("wrong") == std::string::npos)
    return 0;
  link->error = "words of the assembler";
  return kPtxCompile;
}

FAKE __nvJitLinkComplete_12_0(Link *) { return 0; }

FAKE __nvJitLinkGetLinkedCubinSize_12_0(Link *link, size_t *size) {
  *size = link->cubin.size();
  return 0;
}

FAKE __nvJitLinkGetLinkedCubin_12_0(Link *link, void *cubin) {
  std::memcpy(cubin, link->cubin.data(), link->cubin.size());
  return 0;
}

FAKE __nvJitLinkGetErrorLogSize_12_0(Link *link, size_t *size) {
  *size = link->error.size() + 1;
  return 0;
}

FAKE __nvJitLinkGetErrorLog_12_0(Link *link, char *log) {
  std::memcpy(log, link->error.c_str(), link->error.size() + 1);
  return 0;
}

FAKE __nvJitLinkGetInfoLogSize_12_0(Link *, size_t *size) {
  *size = 0;
  return 0;
}

FAKE __nvJitLinkGetInfoLog_12_0(Link *, char *) { return 0; }
