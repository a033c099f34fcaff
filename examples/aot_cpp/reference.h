// References of the kernels in double precision.
#ifndef TILEWRIGHT_EXAMPLES_AOT_CPP_REFERENCE_H
#define TILEWRIGHT_EXAMPLES_AOT_CPP_REFERENCE_H

#include <cstdint>
#include <vector>

/// Sizes of an f16 matmul, M x K by K x N; `strideA` is the row stride of a.
struct GemmSizes {
  int m, n, k, strideA;
};

std::vector<double> gemmReference(const GemmSizes &sizes,
                                  const std::vector<uint16_t> &a,
                                  const std::vector<uint16_t> &b);

/// Sizes of contiguous f16 arrays (batch, heads, length, size). Query i sees
/// key j if j <= i + keys - rows.
struct AttentionSizes {
  int batch, heads, rows, keys, size;
};

std::vector<double> attentionReference(const AttentionSizes &sizes,
                                       const std::vector<uint16_t> &q,
                                       const std::vector<uint16_t> &k,
                                       const std::vector<uint16_t> &v);

#endif // TILEWRIGHT_EXAMPLES_AOT_CPP_REFERENCE_H
