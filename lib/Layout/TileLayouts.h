// Named constructors of linear layouts: the placements that memory accesses,
// tensor cores and shared memory ask for.
//
// Each builds the layout of a whole tile. Where the named pattern is smaller
// than the tile it is repeated in further registers; where it is larger, the
// lanes and warps in excess hold copies and the registers in excess are left
// out. All sizes are powers of two.

#pragma once

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

inline constexpr unsigned kLaneBits = 5;

/// Covers `shape` with `pattern`, a layout of a tile of the same rank with the
/// axes Register, Lane, Warp and Block: trimmed where it is too large, repeated
/// in the registers where it is too small, dimension order[0] first.
LinearLayout fitToShape(const LinearLayout &pattern,
                        llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<int32_t> order);

/// Rectangles of registers, of lanes and of warps, nested in this order;
/// order[0] is the dimension that each counts along first.
struct BlockedParams {
  llvm::SmallVector<int64_t> sizePerThread;
  llvm::SmallVector<int64_t> threadsPerWarp; // 32 in all
  llvm::SmallVector<int64_t> warpsPerBlock;
  llvm::SmallVector<int32_t> order;
};
LinearLayout blockedLayout(llvm::ArrayRef<int64_t> shape,
                           const BlockedParams &params);

/// Where warps stand: side by side along order[0] first, or so that a thread
/// has about as many elements along each dimension, of which it then keeps the
/// least different indices.
enum class WarpOffsets { Fastest, Balanced };

/// A blocked layout for accesses along `order`: `vector` consecutive elements a
/// thread along order[0], then as many lanes and then warps along order[0] as
/// the tile has room for, and the rest along the dimensions that follow.
LinearLayout coalescedLayout(llvm::ArrayRef<int64_t> shape, int64_t vector,
                             int64_t numWarps, llvm::ArrayRef<int32_t> order,
                             WarpOffsets places = WarpOffsets::Fastest);

/// The role of a tile in a matrix multiplication D = A B + C.
enum class MmaOperand { A, B, Accumulator };

/// The registers that one `mma.sync` of a warp reads or writes: the m16n8
/// accumulator of 32-bit elements (also of f16), or an m16k or k-by-n8 operand,
/// where k elements are 256 bits (tf32 k8, f16 k16, int8 and f8 k32). See
/// "Matrix Fragments for mma" in the PTX ISA. Of rank 3, the first dimension
/// has size 1.
LinearLayout mmaAtom(MmaOperand operand, unsigned elementBits,
                     unsigned rank = 2);

/// The layout of a tile (M x N, M x K or K x N) whose warps stand
/// warpsPerBlock[0] x warpsPerBlock[1] over the result, the last counting
/// first. An operand is held in copies by the warps that share it. Of rank 3,
/// the tile holds a matrix for each index of the first dimension.
LinearLayout mmaLayout(MmaOperand operand, unsigned elementBits,
                       llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> warpsPerBlock);

/// Operand A or B of a dot product that threads compute element by element with
/// the accumulator laid out as given: each thread holds, along the contracted
/// dimension, all that its elements of the result need.
LinearLayout threadOperandLayout(MmaOperand operand,
                                 const LinearLayout &accumulator,
                                 int64_t contractedSize);

/// Shared memory, element after element along order[0], then order[1], ...
LinearLayout sharedLayout(llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<int32_t> order);

/// Rows along order[0] whose groups of `vector` elements are permuted by `xor`
/// with the row number: (row / rowsPerPhase) % phases.
struct SwizzleParams {
  int64_t vector = 1, rowsPerPhase = 1, phases = 1;
  bool operator==(const SwizzleParams &o) const {
    return vector == o.vector && rowsPerPhase == o.rowsPerPhase &&
           phases == o.phases;
  }
};
LinearLayout swizzledSharedLayout(llvm::ArrayRef<int64_t> shape,
                                  llvm::ArrayRef<int32_t> order,
                                  SwizzleParams params);

/// The swizzles of the tensor memory accelerator and of wgmma: rows of
/// `swizzleBytes` (32, 64 or 128) whose 16-byte chunks are permuted over
/// 8 * swizzleBytes bytes; a wider tile is a sequence of such panels.
LinearLayout panelSharedLayout(llvm::ArrayRef<int64_t> shape,
                               llvm::ArrayRef<int32_t> order,
                               unsigned elementBits, int64_t swizzleBytes);

} // namespace tilewright
