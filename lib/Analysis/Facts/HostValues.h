// Values that the host can compute before a kernel is launched.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_HOSTVALUES_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_HOSTVALUES_H

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/SmallVector.h"

namespace tilewright {

/// One step of a program for a stack machine on 64-bit integers. `Argument`
/// pushes an argument of the kernel (of a pointer, the address; integers are
/// sign-extended), `Constant` a number; the others replace the two topmost
/// values by one.
struct HostStep {
  enum Kind { Argument, Constant, Add, Sub, Mul, Min, Max };
  Kind kind;
  /// Of `Argument` the number, of `Constant` the value, else 0.
  int64_t value;
};

/// The program that computes `value`, an integer or a pointer to global memory,
/// from arguments of the kernel; nothing if it depends on anything else. No
/// step wraps where the kernel's own arithmetic does not.
std::optional<llvm::SmallVector<HostStep>> getHostProgram(mlir::Value value);

/// Whether the host can compute what `desc` says of its array.
bool isHostKnown(tile::MakeDescriptorOp desc);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_HOSTVALUES_H
