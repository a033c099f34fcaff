// A product of tiles as the tensor-core instructions that each warp issues.

#pragma once

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

/// One instruction: which atom of each tile it works on. Atom j of a tile is
/// in its registers from j * n on, n being the registers of mmaAtom.
struct MmaStep {
  unsigned a, b, acc;
};

/// The instructions of a warp for acc += a . b, with the operands' elements as
/// wide as given, in an order that uses each operand as long as it is held: all
/// atoms of the accumulator for one step along k, then the next. Nothing if the
/// layouts do not hold the atoms that tensor cores take, or if some warp lacks
/// a part of an operand that its accumulator needs. Tiles of rank 3 hold a
/// matrix for each index of the first dimension.
std::optional<llvm::SmallVector<MmaStep>> planMma(const LinearLayout &a,
                                                  const LinearLayout &b,
                                                  const LinearLayout &acc,
                                                  unsigned elementBits);

} // namespace tilewright
