// Plans a dot of tiles as the `mma.sync` instructions of each warp.

#ifndef TILEWRIGHT_LIB_LAYOUT_MMATILING_H
#define TILEWRIGHT_LIB_LAYOUT_MMATILING_H

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

/// One instruction, with the number of an atom of each tile. Atom j of a tile
/// is in its registers from j * n on, where n is the number of registers of
/// mmaAtom.
struct MmaStep {
  unsigned a, b, acc;
};

/// The instructions of a warp for acc += a . b with operands of `elementBits`.
/// They compute all atoms of the accumulator for one step along k, then for the
/// next. Tiles of rank 3 have a matrix for each index of the first dimension.
/// Nothing if:
/// 1. The layouts do not consist of the atoms of tensor cores.
/// 2. Some warp lacks a part of an operand that its accumulator needs.
std::optional<llvm::SmallVector<MmaStep>> planMma(const LinearLayout &a,
                                                  const LinearLayout &b,
                                                  const LinearLayout &acc,
                                                  unsigned elementBits);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_MMATILING_H
