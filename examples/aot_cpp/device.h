// Where the kernels run: on the CPU or on a GPU. The build chooses one.
#ifndef TILEWRIGHT_EXAMPLES_AOT_CPP_DEVICE_H
#define TILEWRIGHT_EXAMPLES_AOT_CPP_DEVICE_H

#include "reference.h"

#include <cmath>
#include <cstddef>
#include <memory>

/// Functions other than the kernels throw std::runtime_error on failure.
class Device {
public:
  virtual ~Device() = default;

  /// Returns memory with a copy of `values`; the device owns it.
  virtual void *upload(const std::vector<uint16_t> &values) = 0;
  /// Waits for queued work, then copies.
  virtual std::vector<uint16_t> download(const void *from, size_t count) = 0;
  /// Waits for queued work.
  virtual void synchronize() = 0;

  /// The functions of the library; they return its status.
  virtual int gemm(void *out, const void *a, const void *b,
                   const GemmSizes &sizes) = 0;
  virtual int attention(void *out, const void *q, const void *k, const void *v,
                        const AttentionSizes &sizes) = 0;

  /// Returns the device that this program was built for.
  static std::unique_ptr<Device> make();
};

/// Strides of a contiguous array (batch, heads, length, size).
struct Strides {
  Strides(const AttentionSizes &sizes, int length)
      : batch(sizes.heads * length * sizes.size), head(length * sizes.size),
        row(sizes.size) {}
  int batch, head, row;
};

/// Returns the factor of the scores; the kernel computes powers of two.
inline float scaleOf(const AttentionSizes &sizes) {
  constexpr double kLog2E = 1.4426950408889634;
  return static_cast<float>(kLog2E / std::sqrt(double(sizes.size)));
}

#endif // TILEWRIGHT_EXAMPLES_AOT_CPP_DEVICE_H
