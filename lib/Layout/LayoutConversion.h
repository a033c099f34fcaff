// Plans the conversion of a tile from one layout to another.
//
// The layouts S of the source and D of the result map positions (register,
// lane, warp, block) to the same tile. So M = S^-1 D maps each position of the
// result to a position of the source with the same element
// (LinearLayout::invertAndCompose). The effect of M on lanes and warps decides
// how data has to move:
//
//     nothing                   S = D
//     a register permutation    M keeps lanes and warps
//     shuffles                  M keeps warps
//     shared memory             otherwise
//
// # Shuffles
//
// Within a warp, M maps (register r, lane l) of the result to a register of
// lane P l + Q r of the source. In a shuffle, every lane reads one value of one
// other lane. So the result registers are filled in rounds. In each round, all
// lanes that read from one lane must read the same register of it.
//
// If all lanes filled register k in round k, two lanes could need different
// registers of one lane. So lane l fills register k + A l in round k, for a
// linear A. It then reads from lane (P + Q A) l + Q k. There is no conflict if
// P + Q A is invertible, or if the lanes that read from one lane need the same
// register.
//
// A is chosen to avoid conflicts, with P + Q A the identity if possible. Each
// round then exchanges values along a fixed `xor` of the lane. Rounds with Q k
// = 0 need no shuffle. The register that lane s gives in round k is linear in
// s, plus a constant. Register numbers that depend on the lane need networks of
// selects. Such a network has one stage for each dimension of the image of the
// map.
//
// # Shared memory
//
// The elements are stored at offsets W t, with t the flat index in the tile and
// W an invertible matrix: its lowest rows number the elements of a vector
// access, the next ones the banks, the rest the 128-byte rows of memory.
//
//  - Vectors: element bits that are register bits of both layouts come first,
//    then those of one layout, up to 16 bytes. So stores or loads (or both)
//    move vectors.
//  - Matrices: alternatively, 16 bytes are a row of the matrices that
//    `ldmatrix` or `stmatrix` move (see MatrixAccess.h). The rows of each
//    layout are tried, and narrower vectors of elements that are adjacent in
//    registers. The plan with the lowest cost wins.
//  - Banks: lanes that access memory in one phase conflict if they differ in
//    the row but not in the bank. A phase is 32 lanes of up to 4 bytes, 16 of 8
//    or 8 of 16. A phase of matrix instructions is one matrix, whose rows take
//    the role of lanes. Let X be the subspace of the tile that one phase of the
//    stores spans by its vectors and lanes. Let Y be that of the loads. There
//    is no conflict exactly if the subspace R that the row bits span intersects
//    X and Y only in 0. The dimensions of X and Y are at most those of 128
//    bytes. So a common complement of both (f2::commonComplement) is large
//    enough, and always exists. The swizzle follows from the algebra.
//  - Rounds: tiles that do not fit are moved in several rounds, each with the
//    elements of some registers of every thread.

#ifndef TILEWRIGHT_LIB_LAYOUT_LAYOUTCONVERSION_H
#define TILEWRIGHT_LIB_LAYOUT_LAYOUTCONVERSION_H

#include "lib/Layout/LinearLayout.h"
#include "lib/Layout/MatrixAccess.h"

namespace tilewright {

enum class ConversionKind { None, Registers, Shuffle, SharedMemory };

/// The cheapest way from `source` to `result`, two layouts of the same tile
/// over the same number of warps.
ConversionKind chooseConversion(const LinearLayout &source,
                                const LinearLayout &result,
                                unsigned elementBytes);

/// Shuffles that move a tile inside each warp. `source` and `result` are the
/// layouts without registers that hold copies.
struct ShufflePlan {
  struct Round {
    unsigned result;  // k
    unsigned laneXor; // Q k
    unsigned source;  // the constant part of the register that a lane gives
  };
  LinearLayout source, result;
  /// Columns for the 5 lane bits: A, P + Q A, and the lane's part of the number
  /// of the register that it gives.
  llvm::SmallVector<uint64_t> resultRegister, sourceLane, sourceRegister;
  llvm::SmallVector<Round> rounds; // by k
  /// Rounds whose numbers differ by these read from the same lane. Their values
  /// may share a 32-bit shuffle.
  llvm::SmallVector<uint64_t> packable;

  /// Whether lanes read along a fixed xor of the lane.
  bool isButterfly() const;
  /// Half cycles of an SM for the shuffles of a warp and the selects around
  /// them.
  unsigned getCost(unsigned elementBytes) const;
};

/// The shuffles from `source` to `result`. Nothing if elements have to leave
/// their warp, or if lanes need different registers of one lane in every plan.
std::optional<ShufflePlan> planShuffle(const LinearLayout &source,
                                       const LinearLayout &result);

/// The stores or the loads of a conversion through shared memory.
struct SharedAccess {
  /// From positions to offsets in elements. The highest bits number the round.
  LinearLayout offsets;
  /// Registers that differ by these bit sets are consecutive in memory. Element
  /// b of a vector is in register r xor the sets at the bits of b.
  llvm::SmallVector<uint64_t> vectorRegisters;

  /// One register for each vector: its element 0.
  llvm::SmallVector<unsigned> getVectors() const;
  /// The registers of the elements of the vector that starts at `first`.
  llvm::SmallVector<unsigned> getElements(unsigned first) const;
};

/// The access from registers with layout `registers` to shared memory with
/// layout `memory`, with the widest vectors that every thread can move.
/// `registers` must have no copies in the registers of a thread.
SharedAccess getSharedAccess(const LinearLayout &registers,
                             const LinearLayout &memory, unsigned elementBytes);

/// The number of the lowest register bits that count consecutive elements in
/// memory, in groups without elements of other registers, lanes or warps.
unsigned countConsecutiveRegisterBits(const LinearLayout &registers,
                                      const LinearLayout &memory);

struct SharedPlan {
  /// The layouts without registers that hold copies.
  LinearLayout source, result;
  SharedAccess store, load;
  /// The matrix instructions, if there are any.
  std::optional<MatrixAccess> storeMatrices, loadMatrices;
  unsigned roundBits = 0;
  unsigned offsetBits = 0; // of an offset inside a round

  unsigned getNumRounds() const { return 1u << roundBits; }
  unsigned getRound(uint64_t offset) const { return offset >> offsetBits; }
  int64_t getScratchBytes(unsigned elementBytes) const {
    return (int64_t(1) << offsetBits) * elementBytes;
  }
  /// Half cycles of an SM for the accesses of a warp.
  unsigned getCost(unsigned elementBytes) const;
};

/// Larger conversions are split into rounds if possible.
inline constexpr int64_t kMaxScratchBytes = 32 * 1024;

/// Plans a conversion through shared memory. `hasStoreMatrix` is whether the
/// target has `stmatrix`. The scratch size does not depend on it.
SharedPlan planSharedMemory(const LinearLayout &source,
                            const LinearLayout &result, unsigned elementBytes,
                            bool hasStoreMatrix = false,
                            int64_t maxScratchBytes = kMaxScratchBytes);

/// The scratch bytes of a conversion. Zero unless it goes through shared
/// memory.
int64_t getScratchBytes(const LinearLayout &source, const LinearLayout &result,
                        unsigned elementBytes);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_LAYOUTCONVERSION_H
