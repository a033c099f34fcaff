// What the host adds to a launch of a kernel: tensor maps of the arrays that
// the tensor memory accelerator copies, and the size of the grid where a kernel
// runs with fewer programs than were asked for.
//
// The compiler writes a recipe as numbers:
//
//     parameters grid maps
//     then, of each map,
//       element elementBytes swizzle padding rank box[rank]
//       base, shape[rank], strides[rank - 1], each a program:
//         steps, then (kind, value) of each
//
// `parameters` is how many the caller gives; those that the recipe adds follow:
// the three 32-bit sizes of a grid that is not launched as it was given, or the
// place at which programs count their turns, then the maps.
// `grid` is a GridKind.
// `element` is a CUtensorMapDataType. Dimensions are listed outermost first.
// The steps of a program are those of lib/Analysis/Facts/HostValues.h.
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
  /// Fails on what is no program over so many parameters.
  static Result<HostProgram> create(std::vector<Step> steps,
                                    size_t numParameters);

  /// `parameters[i]` points to the i-th parameter, extended to 64 bits.
  int64_t run(void *const *parameters) const;

  /// Marks the parameters that it reads.
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

/// How one tensor map is made.
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
  /// Marks the parameters that the array is described by.
  void markParameters(std::vector<bool> &isUsed) const;
  /// Fails where the hardware can not copy from `view`.
  Status encode(const Driver &driver, const ArrayView &view,
                TensorMap &map) const;
};

/// What a launch makes of the grid that it is given.
enum class GridKind {
  /// It is the grid.
  Given,
  /// As many programs run as fit the device.
  Persistent,
  /// The first side is rounded up to a multiple of the cluster's.
  Padded,
  /// It is the grid, and its programs take turns.
  Ordered,
};

struct LaunchRecipe {
  /// What a launch has room for without asking for memory.
  static constexpr size_t kMaxParameters = 1024, kMaxMaps = 32;
  static constexpr int64_t kMostSharedBytes = 1 << 20;

  size_t numParameters = 0;
  GridKind grid = GridKind::Given;
  std::vector<TensorMapRecipe> maps;
  /// Shared memory that a program uses where it has a multiprocessor on its
  /// own.
  unsigned extraSharedBytes = 0;

  static Result<LaunchRecipe> parse(const int64_t *numbers, size_t count);
};

} // namespace tilewright::runtime::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_LAUNCHRECIPE_H
