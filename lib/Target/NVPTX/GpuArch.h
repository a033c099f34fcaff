// Names of GPUs (`sm_90a`) and the PTX versions that know them.

#pragma once

#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <string>

namespace tilewright {

struct GpuArch {
  /// 10 * major + minor of the compute capability.
  unsigned computeCapability = 80;
  /// `a` (this GPU's own instructions), `f` (its family's), or 0.
  char suffix = 0;

  /// Reads a name; nothing if it does not look like one.
  static std::optional<GpuArch> parse(llvm::StringRef name);
  /// Reads a name and checks that we generate code for it; an error at `loc` if
  /// not.
  static mlir::FailureOr<GpuArch> get(llvm::StringRef name, mlir::Location loc);

  std::string getName() const;
  /// 10 * major + minor of the first PTX ISA that has this target.
  unsigned getLeastPtxVersion() const;
};

} // namespace tilewright
