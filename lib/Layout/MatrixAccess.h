// Recognises `ldmatrix` (and `stmatrix`) in a map from registers to offsets.
//
// One instruction moves up to four 8x8 matrices of 16-bit elements. A row is 16
// bytes side by side in shared memory, at an address that one lane gives: lane
// 8m + r that of row r of matrix m. Lane l holds, in one word for each matrix,
//
//     straight      bytes 4 (l % 4) and on of row l / 4
//     transposed    column l / 4 of rows 2 (l % 4) and 2 (l % 4) + 1
//
// So in the map from places to offsets, with w the bits of an element in a word
// and c = w + 2 those of one in a row, all other columns being multiples of a
// row:
//
//     straight      registers -> 0 .. w-1, lanes 0, 1 -> w, w+1,
//                   lanes 2, 3, 4 choose the row, other registers the matrix
//     transposed    lanes 2, 3, 4 -> 0, 1, 2, the lowest register and lanes 0
//                   and 1 choose the row, other registers the matrix
//
// and the row that a lane has to point at is again a linear function: permute
// the columns.

#pragma once

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

struct MatrixAccess {
  bool transposed;
  /// From (instruction, lane, warp) to the offset, in elements, of the row that
  /// the lane points at. The axis of the instruction is Register.
  LinearLayout rows;
  /// The bits of the register number that tell apart the elements of a word,
  /// the words of an instruction, and the instructions.
  llvm::SmallVector<unsigned> wordBits, matrixBits, instructionBits;

  unsigned getNumMatrices() const { return 1u << matrixBits.size(); }
  unsigned getNumInstructions() const { return 1u << instructionBits.size(); }
  /// The register that holds an element of word `matrix` of an instruction.
  unsigned getRegister(unsigned instruction, unsigned matrix,
                       unsigned element) const;
};

/// How matrices are moved between registers and shared memory, given the map
/// from places, without copies in the registers of a thread, to offsets in
/// elements of `elementBytes`. Nothing where the map is no such thing. Offsets
/// that differ above their lowest `offsetBits` bits are of different rounds,
/// which no instruction moves at once.
std::optional<MatrixAccess> planMatrixAccess(const LinearLayout &offsets,
                                             unsigned elementBytes,
                                             unsigned offsetBits = 64);

/// Which elements a layout would have instructions move as a row, the lowest
/// bit first, and those that tell the rows of a matrix apart.
struct MatrixRows {
  llvm::SmallVector<uint64_t> row, rows;
};

/// Straight and transposed, as far as `layout`, without copies in the registers
/// of a thread, has them.
llvm::SmallVector<MatrixRows> getMatrixRows(const LinearLayout &layout,
                                            unsigned elementBytes);

} // namespace tilewright
