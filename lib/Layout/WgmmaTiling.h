// A product of tiles as the `wgmma` instructions of Hopper.
//
// Four warps, a *warpgroup*, multiply a 64 x k tile of A, in their registers or
// in shared memory, by a k x n tile of B in shared memory, k being 256 bits and
// n a multiple of 8 up to 256. Warp w of the group holds rows 16 w to 16 w + 15
// of the result, in registers like those of `mma.sync`.
//
// # Shared memory
//
// The instruction finds an operand through a *matrix descriptor*: an address,
// two strides and the name of a swizzle. With the swizzle over S bytes (32, 64
// or 128), address bits 4.. are those of the *plain* offset xor its bits 7..,
// as many as number the 16-byte chunks of S bytes. In plain offsets, with m the
// dimension of the result and k the contracted one:
//
//     K-major    32 bytes along k in a row; 8 rows along m, S bytes apart;
//                further groups of 8 rows `stride` bytes apart
//     M-major    S bytes along m in a row; 8 rows along k, S bytes apart;
//                the upper 8 of k `stride` bytes behind; further S bytes along
//                m `leading` bytes apart
//
// All these are statements about bits: take the inverse of the tile's layout,
// undo the swizzle, and look where each bit of m and of k goes. If every bit of
// the tile goes to one bit of the plain offset and those of one instruction go
// where a line above says, then a descriptor expresses the tile, and every
// other bit is a constant to add to the address. Nothing depends on how the
// layout was made: panels as the tensor memory accelerator writes them,
// transposes and slices of larger tiles are all recognised, or not, by this
// alone.
//
// See "Asynchronous warpgroup level matrix shared memory layout" in the PTX
// ISA.

#pragma once

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

inline constexpr unsigned kWarpsPerGroup = 4;
inline constexpr int64_t kWgmmaRows = 64, kWgmmaMaxColumns = 256;

/// Whether there is the layout of `wgmmaLayout`, which takes longer to make.
bool hasWgmmaLayout(llvm::ArrayRef<int64_t> shape, int64_t numWarps);

/// The layout of a result of `shape` over `numWarps` warps: the warpgroups
/// stand along the rows as far as there are 64 for each, then along the
/// columns. Nothing if there are no whole warpgroups or not enough rows and
/// columns.
std::optional<LinearLayout> wgmmaLayout(llvm::ArrayRef<int64_t> shape,
                                        int64_t numWarps);

/// The layout of A in registers, M x K, for a result in `acc`.
LinearLayout wgmmaOperandLayout(const LinearLayout &acc, int64_t contractedSize,
                                unsigned elementBits);

/// How instructions find an operand in shared memory.
struct WgmmaDescriptor {
  /// 32, 64 or 128.
  unsigned swizzleBytes;
  /// Whether the dimension of the result is the contiguous one.
  bool transposed;
  int64_t leadingBytes, strideBytes;

  /// The 64 bits of the descriptor, of an operand at address 0.
  uint64_t getBits() const;
};

/// One instruction.
struct WgmmaStep {
  /// Its part of the result: as many registers each, one part after the other.
  unsigned part;
  /// The number of its part of A in registers, four 32-bit registers each.
  unsigned aRegisters;
  /// Where its parts of operands in shared memory start, in bytes.
  int64_t aOffset, bOffset;
  /// Whether it is the first one on this part of the result.
  bool first;
};

struct WgmmaPlan {
  /// n of the instructions, and how many of them make up the result.
  int64_t columns;
  unsigned parts;
  /// Nothing: A is in registers.
  std::optional<WgmmaDescriptor> a;
  WgmmaDescriptor b;
  /// In order of the contracted dimension.
  llvm::SmallVector<WgmmaStep> steps;
  /// What each bit of the number of the warpgroup adds to the address of an
  /// operand in shared memory, in bytes.
  llvm::SmallVector<uint64_t> aOffsets, bOffsets;
};

/// What keeps a product from being computed by wgmma.
enum class WgmmaObstacle { A, B, Accumulator };

/// Instructions for acc += a . b. `aInShared` says whether `a` lays out
/// registers or shared memory. `obstacle` is set where there are none.
std::optional<WgmmaPlan> planWgmma(const LinearLayout &a, bool aInShared,
                                   const LinearLayout &b,
                                   const LinearLayout &acc,
                                   unsigned elementBits,
                                   WgmmaObstacle &obstacle);

/// A product by one of several right sides that lie in shared memory one behind
/// the other.
struct WgmmaNeighbour {
  WgmmaPlan plan;
  /// Those of its right side.
  int64_t bytes;
};

/// Instructions that compute all `products`, which have the left side in
/// common: their columns side by side in each part of the result. Nothing where
/// no descriptor expresses the right sides as one.
std::optional<WgmmaPlan>
joinWgmmaPlans(llvm::ArrayRef<WgmmaNeighbour> products);

} // namespace tilewright
