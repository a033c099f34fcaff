// The CPU: arrays are host memory, and functions are synchronous.

#include "device.h"
#include "kernels.h"

#include <algorithm>
#include <list>

namespace {

class Cpu final : public Device {
public:
  void *upload(const std::vector<uint16_t> &values) override {
    arrays.emplace_back((values.size() + 31) / 32);
    auto *to = reinterpret_cast<uint16_t *>(arrays.back().data());
    std::copy(values.begin(), values.end(), to);
    return to;
  }
  std::vector<uint16_t> download(const void *from, size_t count) override {
    const auto *values = static_cast<const uint16_t *>(from);
    return {values, values + count};
  }
  void synchronize() override {}

  int gemm(void *out, const void *a, const void *b,
           const GemmSizes &s) override {
    return gemm_cpu(kAllThreads, out, a, b, s.m, s.n, s.k, s.n, s.strideA, s.n);
  }
  int attention(void *out, const void *q, const void *k, const void *v,
                const AttentionSizes &s) override {
    const Strides rows(s, s.rows), keys(s, s.keys);
    return attention_cpu(kAllThreads, out, q, k, v, s.heads, s.rows, s.keys,
                         s.size, scaleOf(s), rows.batch, rows.head, rows.row,
                         rows.batch, rows.head, rows.row, keys.batch, keys.head,
                         keys.row, keys.batch, keys.head, keys.row, s.batch);
  }

private:
  static constexpr unsigned kAllThreads = 0;
  /// Aligned like GPU memory.
  struct alignas(64) Line {
    uint16_t values[32];
  };
  std::list<std::vector<Line>> arrays;
};

} // namespace

std::unique_ptr<Device> Device::make() { return std::make_unique<Cpu>(); }
