// From LLVM IR to an object file for the host.
#ifndef TILEWRIGHT_LIB_TARGET_HOST_HOSTOBJECT_H
#define TILEWRIGHT_LIB_TARGET_HOST_HOSTOBJECT_H

#include "lib/Target/Host/HostTarget.h"
#include "lib/Target/PhaseTimes.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace tilewright::host {

struct HostObjectOptions {
  HostTarget target;
  /// Bits of the vectors that LLVM's vectorisers prefer, 0 for the processor's
  /// own preference. Explicit wider vectors stay whole up to this width.
  unsigned preferredVectorBits = 0;
  /// Where to note how long what took, or null.
  PhaseTimes *times = nullptr;
};

/// Sets the module's triple and data layout. Before it is optimised, a module
/// without them is neither vectorised nor laid out right.
void configureModule(llvm::Module &module, const llvm::TargetMachine &machine);

/// Optimises the module (-O3 with the loop and SLP vectorisers) and generates
/// position-independent code for it. The module is changed on the way. Fails on
/// IR that is not valid and on what the code generator refuses.
///
/// Two things must be done before, for LLVM would call a function for each
/// element: conversions to bfloat expanded into integer arithmetic, and
/// functions of the C library declared `memory(none) nounwind willreturn`, as
/// only then the loops around them are vectorised.
llvm::Expected<llvm::SmallVector<char, 0>>
emitHostObject(llvm::Module &module, const HostObjectOptions &options);

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOST_HOSTOBJECT_H
