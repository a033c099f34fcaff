// How threads without tensor cores get at the operands of a dot.
//
// Each thread computes its elements of the result and needs, of the operands,
// whole rows of `a` and columns of `b`. Where its registers hold them, nothing
// is to do. Otherwise both operands go to shared memory, step by step along the
// contracted dimension, and are read back a few steps at a time: registers for
// all of it would spill.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "lib/Support/TileLayouts.h"

namespace tilewright {

/// The dimension of operand A or B, of rank 2 or 3, that a dot sums over.
unsigned getContractedDim(MmaOperand operand, unsigned rank);

/// Whether every thread holds what it needs of both operands.
bool holdsOperands(tile::DotOp dot);

/// An operand in shared memory, from the first step along the contracted
/// dimension to the last.
LinearLayout getStepMajorLayout(MmaOperand operand,
                                llvm::ArrayRef<int64_t> shape);

/// Where `b` starts behind `a` in the shared memory of a dot.
int64_t getSecondOperandOffset(tile::DotOp dot);

/// The shared memory that lowering `dot` takes, in bytes.
int64_t getDotScratchBytes(tile::DotOp dot);

} // namespace tilewright
