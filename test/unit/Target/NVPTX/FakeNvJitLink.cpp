// nvJitLink like its first release: names with the version, and no function for
// the version. It accepts only sm_80 and returns the PTX as the cubin. With
// FAKE_CACHE like later releases: plain names, a version function, and a cache
// that hits always and reports no resources.
#include <cstdint>
#include <cstring>
#include <string>

#define FAKE extern "C" __attribute__((visibility("default"))) int
#ifdef FAKE_CACHE
#define NAME(name) nvJitLink##name
#else
#define NAME(name) __nvJitLink##name##_12_0
#endif

namespace {
struct Link {
  std::string cubin;
  std::string error;
  std::string info;
};
enum Result { kUnknownOption = 1, kPtxCompile = 4, kUnknownArch = 16 };
} // namespace

FAKE NAME(Create)(Link **handle, uint32_t count, const char **options) {
  *handle = new Link;
  for (uint32_t i = 0; i < count; ++i) {
    const std::string option = options[i];
    if (option == "-no-cache") {
#ifdef FAKE_CACHE
      (*handle)->info = "ptxas info    : Used 8 registers\n";
#else
      return kUnknownOption;
#endif
    }
    if (option.compare(0, 6, "-arch=") == 0 && option != "-arch=sm_80")
      return kUnknownArch;
  }
  return 0;
}

FAKE NAME(Destroy)(Link **handle) {
  delete *handle;
  *handle = nullptr;
  return 0;
}

FAKE NAME(AddData)(Link *link, int, const void *data, size_t size,
                   const char *) {
  link->cubin.assign(static_cast<const char *>(data), size);
  if (link->cubin.find("wrong") == std::string::npos)
    return 0;
  link->error = "words of the assembler";
  return kPtxCompile;
}

FAKE NAME(Complete)(Link *) { return 0; }

FAKE NAME(GetLinkedCubinSize)(Link *link, size_t *size) {
  *size = link->cubin.size();
  return 0;
}

FAKE NAME(GetLinkedCubin)(Link *link, void *cubin) {
  std::memcpy(cubin, link->cubin.data(), link->cubin.size());
  return 0;
}

FAKE NAME(GetErrorLogSize)(Link *link, size_t *size) {
  *size = link->error.size() + 1;
  return 0;
}

FAKE NAME(GetErrorLog)(Link *link, char *log) {
  std::memcpy(log, link->error.c_str(), link->error.size() + 1);
  return 0;
}

FAKE NAME(GetInfoLogSize)(Link *link, size_t *size) {
  *size = link->info.size();
  return 0;
}

FAKE NAME(GetInfoLog)(Link *link, char *log) {
  std::memcpy(log, link->info.data(), link->info.size());
  return 0;
}

#ifdef FAKE_CACHE
FAKE NAME(Version)(unsigned *major, unsigned *minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
#endif
