// What the choice of layouts and of instructions needs to know of a chip.

#ifndef TILEWRIGHT_LIB_ANALYSIS_NVIDIATARGET_H
#define TILEWRIGHT_LIB_ANALYSIS_NVIDIATARGET_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace tilewright {

struct NvidiaTarget {
  /// Ten times the compute capability: 80, 90, 120.
  unsigned capability;

  /// Reads `sm_80`, `sm_90a`; nothing for other names and for chips before
  /// sm_80.
  static std::optional<NvidiaTarget> parse(llvm::StringRef name);

  /// Whether `mma` multiplies 8-bit floats.
  bool hasFloat8Mma() const { return capability >= 89; }
  /// The bytes of shared memory that one block may use.
  int64_t getSharedMemoryLimit() const;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_NVIDIATARGET_H
