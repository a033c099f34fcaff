// The machine that host code is made for.
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
  /// for code that runs where it was made.
  bool useVectorMath = false;

  /// This machine, with all that its processor can do.
  static HostTarget detect();

  /// This kind of machine with another processor, by LLVM's name ("x86-64-v3").
  /// Uses nothing but the processor. An error for one that LLVM does not know.
  static llvm::Expected<HostTarget> forProcessor(llvm::StringRef cpu);

  /// Everything that code made for this target depends on, as part of a cache
  /// key.
  std::string fingerprint() const;
};

/// The code generator for `target`, the thread's own until it asks for another;
/// an error when LLVM has none for its triple.
llvm::Expected<llvm::TargetMachine *>
getTargetMachine(const HostTarget &target);

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOST_HOSTTARGET_H
