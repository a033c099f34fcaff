// Facts about integer and pointer tiles, dimension by dimension: contiguity,
// constancy and divisibility. Wide memory accesses rely on these facts, so each
// must hold in every run.
//
// # The facts
//
// Along one dimension a tile is cut into aligned groups of 2^k elements.
//
//   contiguity C    in each group of C elements each is its left neighbour + 1
//                   (a pointer: + one element)
//   constancy K     the elements of each group of K elements are equal
//   divisibility D  D divides the first element of each group of C elements
//                   (a pointer: its address in bytes)
//
// All three are powers of two.
//
//     range(0, 8) + 16:        16 17 18 ... 23:     C 8  K 1  D 16
//     range(0, 8) / 4:         0 0 0 0 1 1 1 1:     C 1  K 4  D 1
//     range(0, 8) % 4 + 4:     4 5 6 7 4 5 6 7:     C 4  K 1  D 4
//
// A scalar has one dimension of one element.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_AXISINFO_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_AXISINFO_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace tilewright {

/// The facts along one dimension.
struct AxisFacts {
  int64_t contiguity = 1;
  int64_t divisibility = 1;
  int64_t constancy = 1;

  bool operator==(const AxisFacts &other) const {
    return contiguity == other.contiguity &&
           divisibility == other.divisibility && constancy == other.constancy;
  }
};

/// The facts of one value. A lattice with bottom "not seen yet" and top
/// "nothing is known".
class AxisInfo {
public:
  /// The divisibility of values that are known to be zero.
  static constexpr int64_t kMaxDivisibility = int64_t(1) << 40;

  /// Not seen yet.
  AxisInfo() = default;
  explicit AxisInfo(llvm::ArrayRef<AxisFacts> dims, bool nonNegative = false,
                    std::optional<int64_t> constant = std::nullopt)
      : dims(dims), constant(constant), nonNegative(nonNegative) {}

  /// Nothing is known of a value of this type.
  static AxisInfo getUnknown(mlir::Type type);
  /// Every element of a value of this type is `value`.
  static AxisInfo getConstant(mlir::Type type, int64_t value);
  /// The facts that the attributes of a function argument promise. Unknown for
  /// other values.
  static AxisInfo getOfArgument(mlir::Value value);
  /// Adds the facts that the attributes of `op`, which defines the value,
  /// promise.
  void addPromises(mlir::Operation *op);

  bool isSeen() const { return !dims.empty(); }
  unsigned getRank() const { return dims.size(); }
  llvm::ArrayRef<AxisFacts> getDims() const { return dims; }
  const AxisFacts &operator[](unsigned dim) const { return dims[dim]; }
  /// The common value of all elements, if it is known.
  std::optional<int64_t> getConstant() const { return constant; }
  /// Whether no element is negative as a signed integer.
  bool isNonNegative() const { return nonNegative; }

  /// A power of two that divides every element at a multiple of `group`, a
  /// power of two, along `dim`. `unit` is the difference of consecutive
  /// elements.
  int64_t getDivisibility(unsigned dim, int64_t group, int64_t unit = 1) const;
  /// A power of two that divides every element.
  int64_t getDivisibility(int64_t unit = 1) const;

  bool operator==(const AxisInfo &other) const {
    return dims == other.dims && constant == other.constant &&
           nonNegative == other.nonNegative;
  }
  /// The facts that hold for both.
  static AxisInfo join(const AxisInfo &lhs, const AxisInfo &rhs);
  void print(llvm::raw_ostream &os) const;

private:
  llvm::SmallVector<AxisFacts, 2> dims;
  std::optional<int64_t> constant;
  bool nonNegative = false;
};

/// The facts of the result of `op`, given those of its operands. `op` has one
/// result, of integers or pointers.
AxisInfo inferAxisInfo(mlir::Operation *op, llvm::ArrayRef<AxisInfo> operands);

/// The facts of every value below an operation.
class AxisInfoAnalysis {
public:
  explicit AxisInfoAnalysis(mlir::Operation *root);

  AxisInfo get(mlir::Value value) const;

  /// The number of consecutive elements along `dim` that one access through
  /// `ptr` may take, at most 16 bytes. `mask` (null: always true) is constant
  /// on the elements of an access.
  int64_t getVectorSize(mlir::Value ptr, mlir::Value mask, unsigned dim) const;

private:
  llvm::DenseMap<mlir::Value, AxisInfo> infos;
};

/// The size in bytes of the pointee of a pointer or of a tile of pointers.
int64_t getPointeeBytes(mlir::Type type);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_AXISINFO_H
