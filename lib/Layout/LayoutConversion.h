// How a tile gets from one layout to another.
//
// Both layouts, S of the source and D of the result, map places to the same
// tile, so M = S^-1 D maps each place of the result to a place of the source
// with the same element (LinearLayout::invertAndCompose). What M does to the
// lane and the warp decides how data has to move:
//
//     nothing at all         S = D
//     a register permutation every thread has its elements: M keeps lanes,
//     warps shuffles               every warp has its elements: M keeps warps
//     shared memory          anything else
//
// # Shuffles
//
// Restricted to a warp, M sends (register r, lane l) of the result to lane
// P l + Q r of the source and to a register there. A shuffle lets every lane
// read one value of one other lane, so the result registers have to be filled
// in rounds in which the lanes that read from a lane all read the same register
// of it. Filling register k in round k fails when two lanes want different
// registers of the same lane; so let lane l fill register k + A l in round k,
// for a linear A. It then reads from lane (P + Q A) l + Q k, and there is no
// conflict where P + Q A is invertible (or two lanes agree on the register).
// A is chosen for that, and so that P + Q A is the identity where it can be:
// then each round exchanges values along a fixed `xor` of the lane, and the
// rounds with Q k = 0 need no shuffle at all. What lane s gives in round k is a
// register that is again linear in s plus a constant. Both uses of registers
// that depend on the lane are networks of selects, one stage for each dimension
// of the image of the map.
//
// # Shared memory
//
// The elements are stored at offsets W t, with t the flat index in the tile and
// W an invertible matrix: its lowest rows number the elements of a vector
// access, the next ones the banks, the rest the 128-byte rows of memory.
//
//  - Vectors: element bits that are registers on both sides come first, then
//    those of one side, up to 16 bytes. Then one side (or both) moves vectors.
//  - Matrices: or 16 bytes are a row of the matrices that `ldmatrix` or
//    `stmatrix` move on one side (see MatrixAccess.h). The rows that each side
//    would have are tried, and narrower vectors that keep together what lies
//    together in registers; the plan that costs least is taken.
//  - Banks: two lanes that access memory in the same phase (32 lanes of up to 4
//    bytes, 16 of 8, 8 of 16) conflict if they differ in the row but not in the
//    bank. A phase of instructions for matrices is one matrix, whose rows stand
//    for lanes. Let X be the subspace of the tile that the vectors and lanes of
//    one phase of the stores span, and Y that of the loads. There is no
//    conflict exactly if the subspace R that the row bits span meets X and Y
//    only in 0; X and Y have at most as many dimensions as 128 bytes, so a
//    common complement of both (f2::commonComplement) is large enough, and
//    always exists. The swizzle falls out of the algebra.
//  - Rounds: what does not fit is moved in several rounds, each with the
//    elements of some of the registers of every thread.

#pragma once

#include "lib/Layout/LinearLayout.h"
#include "lib/Layout/MatrixAccess.h"

namespace tilewright {

enum class ConversionKind { None, Registers, Shuffle, SharedMemory };

/// The cheapest way from `source` to `result`, two layouts of the same tile
/// over the same number of warps.
ConversionKind chooseConversion(const LinearLayout &source,
                                const LinearLayout &result,
                                unsigned elementBytes);

/// Shuffles that move a tile inside each warp. The layouts it speaks of are
/// those of the plan: without registers that hold copies.
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
  /// Rounds whose numbers differ by these read from the same lane: their values
  /// may share a 32-bit shuffle.
  llvm::SmallVector<uint64_t> packable;

  /// Whether lanes read along a fixed xor of the lane.
  bool isButterfly() const;
  /// Half cycles of a multiprocessor that the shuffles of a warp and the
  /// selects around them take.
  unsigned getCost(unsigned elementBytes) const;
};

/// The shuffles from `source` to `result`, or nothing if elements have to leave
/// their warp or lanes of copies get into each other's way.
std::optional<ShufflePlan> planShuffle(const LinearLayout &source,
                                       const LinearLayout &result);

/// One side of a way through shared memory.
struct SharedAccess {
  /// From places to offsets in elements; the highest bits number the round.
  LinearLayout offsets;
  /// Registers that differ by these bit sets are consecutive in memory:
  /// element b of a vector is in register r xor the sets at the bits of b.
  llvm::SmallVector<uint64_t> vectorRegisters;

  /// One register for each vector: its element 0.
  llvm::SmallVector<unsigned> getVectors() const;
  /// The registers of the elements of the vector that starts at `first`.
  llvm::SmallVector<unsigned> getElements(unsigned first) const;
};

/// The access of a tile in registers, laid out as `registers`, to a tile in
/// shared memory, laid out as `memory`, with the widest vectors that every
/// thread can move. `registers` must hold no copies in registers of a thread.
SharedAccess getSharedAccess(const LinearLayout &registers,
                             const LinearLayout &memory, unsigned elementBytes);

/// How many of the lowest register bits count elements one by one in memory,
/// in groups that no other register, lane or warp reaches into.
unsigned countConsecutiveRegisterBits(const LinearLayout &registers,
                                      const LinearLayout &memory);

struct SharedPlan {
  /// The layouts without registers that hold copies.
  LinearLayout source, result;
  SharedAccess store, load;
  /// How instructions for matrices do it, where they do.
  std::optional<MatrixAccess> storeMatrices, loadMatrices;
  unsigned roundBits = 0;
  unsigned offsetBits = 0; // of an offset inside a round

  unsigned getNumRounds() const { return 1u << roundBits; }
  unsigned getRound(uint64_t offset) const { return offset >> offsetBits; }
  int64_t getScratchBytes(unsigned elementBytes) const {
    return (int64_t(1) << offsetBits) * elementBytes;
  }
  /// Half cycles of a multiprocessor that the accesses of a warp take.
  unsigned getCost(unsigned elementBytes) const;
};

/// Larger conversions go in rounds where they can.
inline constexpr int64_t kMaxScratchBytes = 32 * 1024;

/// `hasStoreMatrix` says whether the target has `stmatrix`; the memory that the
/// plan needs does not depend on it.
SharedPlan planSharedMemory(const LinearLayout &source,
                            const LinearLayout &result, unsigned elementBytes,
                            bool hasStoreMatrix = false,
                            int64_t maxScratchBytes = kMaxScratchBytes);

/// The shared memory that a conversion needs while it runs: zero unless it goes
/// through shared memory.
int64_t getScratchBytes(const LinearLayout &source, const LinearLayout &result,
                        unsigned elementBytes);

} // namespace tilewright
