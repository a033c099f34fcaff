// Constructors of the linear layouts that memory accesses, tensor cores and
// shared memory need.
//
// Each builds the layout of a whole tile. If the pattern is smaller than the
// tile, further registers repeat it. If it is larger, excess lanes and warps
// hold copies, and excess registers are dropped. All sizes are powers of two.

#ifndef TILEWRIGHT_LIB_LAYOUT_TILELAYOUTS_H
#define TILEWRIGHT_LIB_LAYOUT_TILELAYOUTS_H

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

inline constexpr unsigned kLaneBits = 5;

/// Covers `shape` with `pattern`, a layout of a tile of the same rank with the
/// axes Register, Lane, Warp and Block. Trims it where it is too large. Repeats
/// it in registers where it is too small, dimension order[0] first.
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

/// How warps are distributed: along order[0] first, or so that a thread has
/// about as many elements along each dimension. The latter minimizes the
/// different indices that a thread holds.
enum class WarpOffsets { Fastest, Balanced };

/// A blocked layout for accesses along `order`. A thread holds `vector`
/// consecutive elements along order[0]. Lanes and then warps are distributed
/// along order[0] as far as the tile extends, and the rest along the following
/// dimensions.
LinearLayout coalescedLayout(llvm::ArrayRef<int64_t> shape, int64_t vector,
                             int64_t numWarps, llvm::ArrayRef<int32_t> order,
                             WarpOffsets offsets = WarpOffsets::Fastest);

/// The role of a tile in a matrix multiplication D = A B + C.
enum class MmaOperand { A, B, Accumulator };

/// The registers that one `mma.sync` of a warp reads or writes. The accumulator
/// is m16n8 with 32-bit elements (also for f16). The operands are m16 x k and k
/// x n8, where k elements are 256 bits (tf32 k8, f16 k16, int8 and f8 k32). See
/// "Matrix Fragments for mma" in the PTX ISA. At rank 3, the first dimension
/// has size 1.
LinearLayout mmaAtom(MmaOperand operand, unsigned elementBits,
                     unsigned rank = 2);

/// The layout of a tile (M x N, M x K or K x N). A grid of warpsPerBlock[0] x
/// warpsPerBlock[1] warps in row-major order covers the result. Warps that
/// share an operand hold copies of it. At rank 3, the tile has a matrix for
/// each index of the first dimension.
LinearLayout mmaLayout(MmaOperand operand, unsigned elementBits,
                       llvm::ArrayRef<int64_t> shape,
                       llvm::ArrayRef<int64_t> warpsPerBlock);

/// Operand A or B of a dot that threads compute with the given accumulator
/// layout. Each thread holds the whole rows of A or columns of B that its
/// elements of the result need.
LinearLayout threadOperandLayout(MmaOperand operand,
                                 const LinearLayout &accumulator,
                                 int64_t contractedSize);

/// Shared memory without padding or swizzle, with order[0] as the fastest
/// dimension.
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

#endif // TILEWRIGHT_LIB_LAYOUT_TILELAYOUTS_H
