#include "reference.h"

#include "half.h"

#include <algorithm>

static std::vector<double> toDoubles(const std::vector<uint16_t> &bits) {
  std::vector<double> values(bits.size());
  std::transform(bits.begin(), bits.end(), values.begin(), toDouble);
  return values;
}

std::vector<double> gemmReference(const GemmSizes &sizes,
                                  const std::vector<uint16_t> &a,
                                  const std::vector<uint16_t> &b) {
  const std::vector<double> x = toDoubles(a), y = toDoubles(b);
  std::vector<double> out(size_t(sizes.m) * sizes.n);
  for (int i = 0; i < sizes.m; ++i)
    for (int k = 0; k < sizes.k; ++k) {
      const double factor = x[size_t(i) * sizes.strideA + k];
      for (int j = 0; j < sizes.n; ++j)
        out[size_t(i) * sizes.n + j] += factor * y[size_t(k) * sizes.n + j];
    }
  return out;
}

/// Computes one row of attention over `seen` keys.
static void attendRow(const double *q, const double *k, const double *v,
                      int seen, int size, double *out) {
  std::vector<double> weights(seen);
  for (int j = 0; j < seen; ++j)
    for (int d = 0; d < size; ++d)
      weights[j] += q[d] * k[size_t(j) * size + d] / std::sqrt(double(size));
  const double highest = *std::max_element(weights.begin(), weights.end());
  double total = 0;
  for (double &weight : weights)
    total += weight = std::exp(weight - highest);
  for (int j = 0; j < seen; ++j)
    for (int d = 0; d < size; ++d)
      out[d] += weights[j] / total * v[size_t(j) * size + d];
}

std::vector<double> attentionReference(const AttentionSizes &sizes,
                                       const std::vector<uint16_t> &q,
                                       const std::vector<uint16_t> &k,
                                       const std::vector<uint16_t> &v) {
  const std::vector<double> x = toDoubles(q), y = toDoubles(k),
                            z = toDoubles(v);
  std::vector<double> out(q.size());
  for (int head = 0; head < sizes.batch * sizes.heads; ++head)
    for (int i = 0; i < sizes.rows; ++i) {
      const int seen = std::min(i + sizes.keys - sizes.rows + 1, sizes.keys);
      const size_t row = (size_t(head) * sizes.rows + i) * sizes.size;
      const size_t keys = size_t(head) * sizes.keys * sizes.size;
      if (seen > 0)
        attendRow(&x[row], &y[keys], &z[keys], seen, sizes.size, &out[row]);
    }
  return out;
}
