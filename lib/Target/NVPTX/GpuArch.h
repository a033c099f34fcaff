// Names of GPUs (`sm_90a`) and the PTX versions that know them.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_GPUARCH_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_GPUARCH_H

#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <string>

namespace tilewright {

struct GpuArch {
  /// 10 * major + minor of the compute capability.
  unsigned computeCapability = 80;
  /// `a` (architecture-specific instructions), `f` (family-specific), or 0.
  char suffix = 0;

  /// Parses a name; returns nothing if it is malformed.
  static std::optional<GpuArch> parse(llvm::StringRef name);
  /// Parses a name and checks that it is a supported target; an error at `loc`
  /// otherwise.
  static mlir::FailureOr<GpuArch> get(llvm::StringRef name, mlir::Location loc);

  std::string getName() const;
  /// Returns 10 * major + minor of the first PTX ISA that has this target.
  unsigned getLeastPtxVersion() const;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_GPUARCH_H
