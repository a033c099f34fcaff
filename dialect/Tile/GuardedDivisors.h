// Divisors that stand for 1 where there is no quotient.

#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilewright::tile {

/// The attribute of an `arith.select` between 1 and the divisor that a kernel
/// divides by: its quotients are known to be those by that divisor, for nobody
/// looks at others.
inline constexpr llvm::StringLiteral kGuardsDivisorAttr = "guards_divisor";

} // namespace tilewright::tile
