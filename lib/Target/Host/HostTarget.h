// The processor that host code is generated for.
#ifndef TILEWRIGHT_LIB_TARGET_HOST_HOSTTARGET_H
#define TILEWRIGHT_LIB_TARGET_HOST_HOSTTARGET_H

#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <string>

namespace tilewright::host {

struct HostTarget {
  /// LLVM's names: "x86_64-unknown-linux-gnu", "znver4", "+avx2,+fma,...".
  std::string triple;
  std::string cpu;
  std::string features;
  /// Calls of the machine's vector mathematics library may be generated. Only
  /// for code that runs on this machine.
  bool useVectorMath = false;

  /// Returns this machine, with all features of its processor.
  static HostTarget detect();

  /// Returns this architecture with another processor, by LLVM's name
  /// ("x86-64-v3"). Uses no other properties of this machine. Fails for a name
  /// that LLVM does not know.
  static llvm::Expected<HostTarget> forProcessor(llvm::StringRef cpu);

  /// Returns every property that generated code depends on, as part of a cache
  /// key.
  std::string fingerprint() const;
};

/// Returns the code generator for `target`, which the thread owns until it asks
/// for another one. Fails if LLVM has none for the triple.
llvm::Expected<llvm::TargetMachine *>
getTargetMachine(const HostTarget &target);

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOST_HOSTTARGET_H
