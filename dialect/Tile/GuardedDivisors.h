// Divisors that are replaced by 1 where the quotient is unused.

#ifndef TILEWRIGHT_DIALECT_TILE_GUARDEDDIVISORS_H
#define TILEWRIGHT_DIALECT_TILE_GUARDEDDIVISORS_H

#include "llvm/ADT/StringRef.h"

namespace tilewright::tile {

/// Unit attribute of an `arith.select` between 1 and the divisor of a kernel.
/// Only quotients by the divisor are used, so the division may assume the
/// divisor.
inline constexpr llvm::StringLiteral kGuardsDivisorAttr = "guards_divisor";

} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_GUARDEDDIVISORS_H
