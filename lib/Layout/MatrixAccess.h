// Recognises `ldmatrix` (and `stmatrix`) in a map from registers to offsets.
//
// One instruction moves up to four 8x8 matrices of 16-bit elements. A row is 16
// consecutive bytes of shared memory. Lane 8m + r gives the address of row r of
// matrix m. In one word for each matrix, lane l holds
//
//     straight:      the 4 bytes from 4 (l % 4) on of row l / 4
//
//     transposed:    column l / 4 of rows 2 (l % 4) and 2 (l % 4) + 1
//
// Consider the map from positions to offsets. Let w be the number of bits that
// select an element in a word. Columns not listed here are multiples of a row:
//
//     straight:      register bits -> offset bits 0 .. w-1
//                    lane bits 0, 1 -> offset bits w, w+1
//                    lane bits 2, 3, 4 select the row, other registers the
//                    matrix
//
//     transposed:    lane bits 2, 3, 4 -> offset bits 0, 1, 2
//                    the lowest register bit and lane bits 0, 1 select the row
//                    other registers select the matrix
//
// The row to which a lane points is again a linear function, with permuted
// columns.

#ifndef TILEWRIGHT_LIB_LAYOUT_MATRIXACCESS_H
#define TILEWRIGHT_LIB_LAYOUT_MATRIXACCESS_H

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

struct MatrixAccess {
  bool transposed;
  /// From (instruction, lane, warp) to the offset in elements of the row to
  /// which the lane points. The axis of the instruction is Register.
  LinearLayout rows;
  /// The bits of the register number that select the element of a word, the
  /// word of an instruction, and the instruction.
  llvm::SmallVector<unsigned> wordBits, matrixBits, instructionBits;

  unsigned getNumMatrices() const { return 1u << matrixBits.size(); }
  unsigned getNumInstructions() const { return 1u << instructionBits.size(); }
  /// The register that holds an element of word `matrix` of an instruction.
  unsigned getRegister(unsigned instruction, unsigned matrix,
                       unsigned element) const;
};

/// The matrix instructions that implement `offsets`, the map from positions to
/// offsets in elements of `elementBytes`. Nothing if there are none. `offsets`
/// has no copies in the registers of a thread. Offsets that differ above their
/// lowest `offsetBits` bits are of different rounds, which one instruction
/// cannot access.
std::optional<MatrixAccess> planMatrixAccess(const LinearLayout &offsets,
                                             unsigned elementBytes,
                                             unsigned offsetBits = 64);

/// The elements at the bits of a matrix row, lowest first, and those at the
/// bits that select the row of a matrix.
struct MatrixRows {
  llvm::SmallVector<uint64_t> row, rows;
};

/// The straight and transposed matrix rows of `layout`, if there are any.
/// `layout` has no copies in the registers of a thread.
llvm::SmallVector<MatrixRows> getMatrixRows(const LinearLayout &layout,
                                            unsigned elementBytes);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_MATRIXACCESS_H
