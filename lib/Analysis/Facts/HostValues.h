// Values that the host can compute before a kernel is launched.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_HOSTVALUES_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_HOSTVALUES_H

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/SmallVector.h"

namespace tilewright {

/// One step of a program for a stack machine on 64-bit integers. `Argument`
/// pushes an argument of the kernel: the address of a pointer, or a
/// sign-extended integer. `Constant` pushes a number. The others replace the
/// two topmost values by one.
struct HostStep {
  enum Kind { Argument, Constant, Add, Sub, Mul, Min, Max };
  Kind kind;
  /// The number of an `Argument`, the value of a `Constant`, else 0.
  int64_t value;
};

/// The program that computes `value`, an integer or a pointer to global memory,
/// from arguments of the kernel. Nothing if it depends on anything else. No
/// step wraps unless the kernel's own arithmetic does.
std::optional<llvm::SmallVector<HostStep>> getHostProgram(mlir::Value value);

/// Whether the host can compute all operands of `desc`.
bool isHostKnown(tile::MakeDescriptorOp desc);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_HOSTVALUES_H
