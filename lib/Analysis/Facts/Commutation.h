// Checks whether the combination of a reduction is commutative.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_COMMUTATION_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_COMMUTATION_H

#include "dialect/Tile/TileOps.h"

namespace tilewright {

/// Whether `op` is marked as commutative, or its region computes the same with
/// both arguments exchanged. The operands of commutative ops may be in any
/// order.
bool commutes(tile::ReduceOp op);

/// Marks all commutative reductions in `func`. Later changes to their regions
/// then do not affect how they are computed.
void markCommuting(tile::FuncOp func);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_COMMUTATION_H
