// Plans a dot of tiles as the `wgmma` instructions of Hopper.
//
// Four warps, a *warpgroup*, multiply a 64 x k tile of A by a k x n tile of B.
// A is in their registers or in shared memory, B is in shared memory. k is 256
// bits, and n is a multiple of 8 up to 256. Warp w of the group holds rows 16 w
// to 16 w + 15 of the result, in registers like those of `mma.sync`.
//
// # Shared memory
//
// The instruction reads an operand through a *matrix descriptor*: an address,
// two strides and a swizzle. The swizzle over S bytes (32, 64 or 128) applies
// to the *plain* offset. It combines bits from 4 on by xor with bits from 7 on,
// one for each bit of the number of a 16-byte chunk in S bytes. In plain
// offsets, with m the dimension of the result and k the contracted one:
//
//     K-major    32 bytes along k in a row; 8 rows along m, S bytes apart;
//                further groups of 8 rows `stride` bytes apart
//     M-major    S bytes along m in a row; 8 rows along k, S bytes apart;
//                the upper 8 of k `stride` bytes after; further S bytes along
//                m `leading` bytes apart
//
// These are statements about bits. Take the inverse of the tile's layout, undo
// the swizzle, and look at the image of each bit of m and k. A descriptor
// expresses the tile under two conditions:
//
// 1. Every bit of the tile maps to one bit of the plain offset.
// 2. The bits of one instruction map as in one of the lines above.
//
// Every other bit is a constant to add to the address. The origin of the layout
// does not matter: panels as the tensor memory accelerator writes them,
// transposes and slices of larger tiles are recognised by these conditions
// alone.
//
// See "Asynchronous warpgroup level matrix shared memory layout" in the PTX
// ISA.

#ifndef TILEWRIGHT_LIB_LAYOUT_WGMMATILING_H
#define TILEWRIGHT_LIB_LAYOUT_WGMMATILING_H

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

/// The warps of a warpgroup.
inline constexpr int32_t kWarpsPerGroup = 4;
inline constexpr int64_t kWgmmaRows = 64, kWgmmaMaxColumns = 256;

/// Whether `wgmmaLayout` has a result. Faster than computing it.
bool hasWgmmaLayout(llvm::ArrayRef<int64_t> shape, int64_t numWarps);

/// The layout of a result of `shape` over `numWarps` warps. Warpgroups are
/// distributed along the rows as far as each has 64 of them, then along the
/// columns. Nothing if there are no whole warpgroups, or too few rows or
/// columns.
std::optional<LinearLayout> wgmmaLayout(llvm::ArrayRef<int64_t> shape,
                                        int64_t numWarps);

/// The layout of A in registers, M x K, for a result in `acc`.
LinearLayout wgmmaOperandLayout(const LinearLayout &acc, int64_t contractedSize,
                                unsigned elementBits);

/// The matrix descriptor of an operand in shared memory.
struct WgmmaDescriptor {
  /// 32, 64 or 128.
  unsigned swizzleBytes;
  /// Whether the dimension of the result is the contiguous one.
  bool transposed;
  int64_t leadingBytes, strideBytes;

  /// The 64 bits of the descriptor for an operand at address 0.
  uint64_t getBits() const;
};

/// One instruction.
struct WgmmaStep {
  /// The number of its part of the result. Parts are consecutive registers of
  /// equal number.
  unsigned part;
  /// The number of its part of A in registers, four 32-bit registers each.
  unsigned aRegisters;
  /// The start of its parts of operands in shared memory, in bytes.
  int64_t aOffset, bOffset;
  /// Whether it is the first instruction on this part of the result.
  bool first;
};

struct WgmmaPlan {
  /// n of the instructions, and the number of parts of the result.
  int64_t columns;
  unsigned parts;
  /// Nothing if A is in registers.
  std::optional<WgmmaDescriptor> a;
  WgmmaDescriptor b;
  /// In order of the contracted dimension.
  llvm::SmallVector<WgmmaStep> steps;
  /// The bytes that each bit of the warpgroup number adds to the address of an
  /// operand in shared memory.
  llvm::SmallVector<uint64_t> aOffsets, bOffsets;
};

/// The tile whose layout prevents wgmma.
enum class WgmmaObstacle { A, B, Accumulator };

/// Instructions for acc += a . b. `aInShared` is whether `a` is a layout of
/// shared memory, not of registers. Sets `obstacle` if there are none.
std::optional<WgmmaPlan> planWgmma(const LinearLayout &a, bool aInShared,
                                   const LinearLayout &b,
                                   const LinearLayout &acc,
                                   unsigned elementBits,
                                   WgmmaObstacle &obstacle);

/// The plan of one of several wgmmas whose operands B are consecutive in shared
/// memory.
struct AdjacentWgmma {
  WgmmaPlan plan;
  /// The size of B in bytes.
  int64_t bytes;
};

/// Instructions that compute all `wgmmas`, which have A in common. Each
/// instruction computes adjacent columns of all results. Nothing if no
/// descriptor expresses all operands B as one.
std::optional<WgmmaPlan> mergeWgmmaPlans(llvm::ArrayRef<AdjacentWgmma> wgmmas);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_WGMMATILING_H
