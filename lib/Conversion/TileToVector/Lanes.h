// A chunk is the result of one step of an inner loop: `lanes` neighbouring
// elements of a tile, held in one vector. This header defines the values of an
// expression in the lanes of a chunk, and the coordinates of a chunk in a tile.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_LANES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_LANES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace tilewright::cpu {

/// The coordinate of a chunk along one dimension (i64). It is `base` in every
/// lane, or, if it varies, `base` plus the number of the lane. At most one
/// dimension of a chunk varies.
struct Index {
  mlir::Value base;
  bool varies = false;

  bool operator==(const Index &other) const {
    return base == other.base && varies == other.varies;
  }
};

using Indices = llvm::SmallVector<Index, 4>;

/// The values of one expression in the lanes of a chunk. Uniform and affine
/// values stay scalars as long as possible, because contiguous loads need
/// affine addresses.
struct Lanes {
  enum class Kind {
    Uniform, ///< `value` (a scalar) in every lane
    Affine,  ///< `value + lane * stride`, scalars of one integer type
    Vector   ///< lane i of the vector `value`
  };

  Kind kind = Kind::Uniform;
  mlir::Value value;
  mlir::Value stride;

  static Lanes uniform(mlir::Value value) {
    return {Kind::Uniform, value, nullptr};
  }
  static Lanes affine(mlir::Value start, mlir::Value stride) {
    return {Kind::Affine, start, stride};
  }
  static Lanes vector(mlir::Value value) {
    return {Kind::Vector, value, nullptr};
  }

  bool isUniform() const { return kind == Kind::Uniform; }
  bool isAffine() const { return kind == Kind::Affine; }
  bool isVector() const { return kind == Kind::Vector; }
};

/// Addresses in the lanes of a chunk: one base and byte offsets of type i64.
/// With a null base, the offsets are the addresses.
struct PointerLanes {
  mlir::Value base;
  Lanes offset;
};

} // namespace tilewright::cpu

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_LANES_H
