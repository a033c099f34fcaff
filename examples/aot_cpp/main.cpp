// Runs matmul and attention from the library that `tilewright compile` made,
// and compares them with a reference in double precision.

#include "device.h"
#include "half.h"
#include "kernels.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>

static std::vector<uint16_t> randomF16(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution;
  std::vector<uint16_t> values(count);
  for (uint16_t &value : values)
    value = toHalf(distribution(generator));
  return values;
}

/// Returns the seconds of one call of a library function, the best of several.
static double timeOf(Device &device, const std::function<int()> &run) {
  double best = 1e30;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (run() != TILEWRIGHT_OK)
      throw std::runtime_error(kernels_error());
    device.synchronize();
    const std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    best = std::min(best, time.count());
  }
  return best;
}

/// Prints a line; returns whether the result is within the tolerance.
static bool report(const std::string &what, const std::vector<uint16_t> &found,
                   const std::vector<double> &wanted, double flops,
                   double seconds) {
  // Half a unit of f16's last digit is 5e-4; attention also rounds its
  // probabilities.
  constexpr double kTolerance = 3e-3;
  double worst = 0;
  bool good = found.size() == wanted.size();
  for (size_t i = 0; i < wanted.size(); ++i) {
    const double error =
        std::fabs(toDouble(found[i]) - wanted[i]) / (1 + std::fabs(wanted[i]));
    worst = std::max(worst, error);
    good &= error <= kTolerance;
  }
  std::printf("%-52s %9.1f GFLOP/s   error %.1e   %s\n", what.c_str(),
              flops / seconds * 1e-9, worst, good ? "ok" : "WRONG");
  return good;
}

static bool runGemm(Device &device, const GemmSizes &s) {
  const auto a = randomF16(size_t(s.m) * s.strideA, 1);
  const auto b = randomF16(size_t(s.k) * s.n, 2);
  const size_t count = size_t(s.m) * s.n;
  void *out = device.upload(std::vector<uint16_t>(count));
  const void *x = device.upload(a), *y = device.upload(b);
  const double seconds =
      timeOf(device, [&] { return device.gemm(out, x, y, s); });
  std::string what = "gemm " + std::to_string(s.m) + " x " +
                     std::to_string(s.n) + " x " + std::to_string(s.k);
  if (s.strideA % 16 != 0)
    what += ", rows not aligned";
  return report(what, device.download(out, count), gemmReference(s, a, b),
                2.0 * s.m * s.n * s.k, seconds);
}

static bool runAttention(Device &device, const AttentionSizes &s) {
  const size_t heads = size_t(s.batch) * s.heads;
  const auto q = randomF16(heads * s.rows * s.size, 3);
  const auto k = randomF16(heads * s.keys * s.size, 4);
  const auto v = randomF16(heads * s.keys * s.size, 5);
  void *out = device.upload(std::vector<uint16_t>(q.size()));
  const void *x = device.upload(q), *y = device.upload(k),
             *z = device.upload(v);
  const double seconds =
      timeOf(device, [&] { return device.attention(out, x, y, z, s); });
  const std::string what =
      "attention " + std::to_string(s.batch) + " x " + std::to_string(s.heads) +
      " x " + std::to_string(s.rows) + " x " + std::to_string(s.size) + ", " +
      std::to_string(s.keys) + " keys";
  // Two matmuls; the causal mask leaves half of each.
  return report(what, device.download(out, q.size()),
                attentionReference(s, q, k, v),
                2.0 * heads * s.rows * s.keys * s.size, seconds);
}

int main() {
  try {
    const std::unique_ptr<Device> device = Device::make();
    bool good = true;
    for (const GemmSizes &sizes :
         {GemmSizes{256, 256, 256, 256}, GemmSizes{200, 136, 72, 80},
          GemmSizes{200, 136, 72, 73}, GemmSizes{1024, 2560, 128, 128}})
      good &= runGemm(*device, sizes);
    for (const AttentionSizes &sizes : {AttentionSizes{2, 3, 128, 128, 64},
                                        AttentionSizes{1, 2, 100, 170, 64},
                                        AttentionSizes{1, 2, 192, 192, 128}})
      good &= runAttention(*device, sizes);
    return good ? 0 : 1;
  } catch (const std::runtime_error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
