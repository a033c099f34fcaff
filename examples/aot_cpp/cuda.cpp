// A GPU. The driver is opened at run time, so that no CUDA toolkit is needed.

#include "device.h"
#include "kernels.h"

#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace {

class Cuda final : public Device {
public:
  Cuda() : library(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (!library)
      throw std::runtime_error(std::string("no CUDA driver: ") + dlerror());
    int device = 0;
    void *context = nullptr;
    call<int(unsigned)>("cuInit", 0u);
    call<int(int *, int)>("cuDeviceGet", &device, 0);
    call<int(void **, int)>("cuDevicePrimaryCtxRetain", &context, device);
    call<int(void *)>("cuCtxSetCurrent", context);
  }

  // Memory is freed when the process ends.
  void *upload(const std::vector<uint16_t> &values) override {
    uint64_t to = 0;
    const size_t bytes = values.size() * sizeof(uint16_t);
    call<int(uint64_t *, size_t)>("cuMemAlloc_v2", &to, bytes);
    call<int(uint64_t, const void *, size_t)>("cuMemcpyHtoD_v2", to,
                                              values.data(), bytes);
    return reinterpret_cast<void *>(to);
  }
  std::vector<uint16_t> download(const void *from, size_t count) override {
    std::vector<uint16_t> values(count);
    synchronize();
    call<int(void *, uint64_t, size_t)>("cuMemcpyDtoH_v2", values.data(),
                                        reinterpret_cast<uint64_t>(from),
                                        count * sizeof(uint16_t));
    return values;
  }
  void synchronize() override { call<int()>("cuCtxSynchronize"); }

  int gemm(void *out, const void *a, const void *b,
           const GemmSizes &s) override {
    return gemm_cuda(kDefaultStream, out, a, b, s.m, s.n, s.k, s.n, s.strideA,
                     s.n);
  }
  int attention(void *out, const void *q, const void *k, const void *v,
                const AttentionSizes &s) override {
    const Strides rows(s, s.rows), keys(s, s.keys);
    return attention_cuda(kDefaultStream, out, q, k, v, s.heads, s.rows, s.keys,
                          s.size, scaleOf(s), rows.batch, rows.head, rows.row,
                          rows.batch, rows.head, rows.row, keys.batch,
                          keys.head, keys.row, keys.batch, keys.head, keys.row,
                          s.batch);
  }

private:
  static constexpr void *kDefaultStream = nullptr;

  template <typename Signature, typename... Arguments>
  void call(const char *name, Arguments... arguments) {
    auto *function = reinterpret_cast<Signature *>(dlsym(library, name));
    const int result = function ? function(arguments...) : -1;
    if (result != 0)
      throw std::runtime_error(std::string(name) + " failed with error " +
                               std::to_string(result));
  }

  void *library;
};

} // namespace

std::unique_ptr<Device> Device::make() { return std::make_unique<Cuda>(); }
