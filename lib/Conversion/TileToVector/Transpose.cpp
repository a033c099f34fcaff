#include "lib/Conversion/TileToVector/Transpose.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

/// Splits the matrix into quarters recursively. Each step swaps the
/// off-diagonal blocks of `block` x `block` elements, by one shuffle of two
/// rows per row.
SmallVector<Value> transposeRows(OpBuilder &builder, Location loc,
                                 ValueRange rows) {
  SmallVector<Value> current(rows);
  const int64_t size = current.size();
  for (int64_t block = size / 2; block > 0; block /= 2) {
    SmallVector<int64_t> upper(size), lower(size);
    for (int64_t i = 0; i < size; ++i) {
      const bool right = (i & block) != 0;
      upper[i] = right ? size + i - block : i;
      lower[i] = right ? size + i : i + block;
    }
    for (int64_t row = 0; row < size; ++row) {
      if (row & block)
        continue;
      Value a = current[row], b = current[row + block];
      current[row] = vector::ShuffleOp::create(builder, loc, a, b, upper);
      current[row + block] =
          vector::ShuffleOp::create(builder, loc, a, b, lower);
    }
  }
  return current;
}

} // namespace tilewright::cpu
