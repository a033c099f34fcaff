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
  /// Receives the times of the phases; may be null.
  PhaseTimes *times = nullptr;
};

/// Sets the module's triple and data layout. LLVM needs both before it
/// optimises: for vectorisation and for the memory layout.
void configureModule(llvm::Module &module, const llvm::TargetMachine &machine);

/// Optimises the module (-O3 with the loop and SLP vectorisers) and generates
/// position-independent code for it. Changes the module. Fails on invalid IR
/// and on IR that the code generator refuses.
///
/// The caller must prepare the module, or LLVM calls a function for each
/// element:
///
/// 1. Conversions to bfloat are expanded into integer arithmetic.
/// 2. Functions of the C library are declared `memory(none) nounwind
///    willreturn`, without which loops around them are not vectorised.
llvm::Expected<llvm::SmallVector<char, 0>>
emitHostObject(llvm::Module &module, const HostObjectOptions &options);

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOST_HOSTOBJECT_H
