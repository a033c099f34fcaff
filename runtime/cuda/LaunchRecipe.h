// Grid and parameters that the host adds to a launch: tensor maps of the arrays
// that TMA copies, and the size of the grid if a kernel runs with fewer
// programs than requested.
//
// The compiler writes a recipe as numbers:
//
//     parameters grid maps
//     then, for each map,
//       element elementBytes swizzle padding rank box[rank]
//       base, shape[rank], strides[rank - 1], each a program:
//         steps, then (kind, value) of each
//
// `parameters` is the number of the caller's parameters. The recipe appends:
//
// 1. the three 32-bit extents of a grid that differs from the launched one, or
//    the ticket slot of ordered programs,
// 2. the maps.
//
// `grid` is a GridKind. `element` is a CUtensorMapDataType. Dimensions are
// listed outermost first. lib/Analysis/Facts/HostValues.h defines the steps of
// a program.
#ifndef TILEWRIGHT_RUNTIME_CUDA_LAUNCHRECIPE_H
#define TILEWRIGHT_RUNTIME_CUDA_LAUNCHRECIPE_H

#include "runtime/cuda/CudaDriver.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tilewright::runtime::cuda {

/// A program for a stack machine on 64-bit integers.
class HostProgram {
public:
  enum Kind { Argument, Constant, Add, Sub, Mul, Min, Max };
  struct Step {
    Kind kind;
    int64_t value;
  };

  HostProgram() = default;
  /// Fails for steps that are no program over so many parameters.
  static Result<HostProgram> create(std::vector<Step> steps,
                                    size_t numParameters);

  /// `parameters[i]` points to the i-th parameter, extended to 64 bits.
  int64_t run(void *const *parameters) const;

  /// Marks the parameters that the program reads.
  void markParameters(std::vector<bool> &isUsed) const;

private:
  std::vector<Step> steps;
};

/// The address, the sizes and the strides (in elements) of an array.
struct ArrayView {
  uint64_t base = 0;
  std::array<int64_t, 5> shape = {};
  std::array<int64_t, 4> strides = {};

  bool operator==(const ArrayView &other) const {
    return base == other.base && shape == other.shape &&
           strides == other.strides;
  }
};

/// The recipe of one tensor map.
struct TensorMapRecipe {
  int element = 0;
  int64_t elementBytes = 1;
  int swizzleBytes = 0;
  bool padsWithNaN = false;
  std::vector<int64_t> box;
  HostProgram base;
  std::vector<HostProgram> shape, strides;

  size_t rank() const { return box.size(); }
  ArrayView view(void *const *parameters) const;
  /// Marks the parameters that describe the array.
  void markParameters(std::vector<bool> &isUsed) const;
  /// Fails if the hardware cannot copy from `view`.
  Status encode(const Driver &driver, const ArrayView &view,
                TensorMap &map) const;
};

/// The relation between the requested and the launched grid.
enum class GridKind {
  /// The requested grid.
  Given,
  /// As many programs as the device runs at once.
  Persistent,
  /// The first dimension is rounded up to a multiple of the cluster's.
  Padded,
  /// The requested grid, whose programs are ordered by tickets.
  Ordered,
};

struct LaunchRecipe {
  /// Capacity of a launch without memory allocation.
  static constexpr size_t kMaxParameters = 1024, kMaxMaps = 32;
  static constexpr int64_t kMostSharedBytes = 1 << 20;

  size_t numParameters = 0;
  GridKind grid = GridKind::Given;
  std::vector<TensorMapRecipe> maps;
  /// Additional shared memory of a CTA that is alone on a multiprocessor.
  unsigned extraSharedBytes = 0;

  static Result<LaunchRecipe> parse(const int64_t *numbers, size_t count);
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_LAUNCHRECIPE_H
