// The directives of a kernel that bound its threads and registers.
#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_PTXENTRY_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_PTXENTRY_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace llvm {
class Function;
} // namespace llvm

namespace tilewright {

/// The directives of the first entry in PTX text.
class PtxEntry {
public:
  explicit PtxEntry(llvm::StringRef ptx);

  /// Returns the threads of a CTA (`.reqntid`); 0 if the text does not state
  /// them.
  int64_t countThreads() const { return numThreads; }
  /// Whether the text states a minimum of CTAs per SM (`.minnctapersm`).
  bool hasMinCtas() const;
  /// Whether the text bounds the registers of a thread (`.maxnreg`).
  bool hasMaxRegisters() const;

  /// Returns the text with a minimum of CTAs per SM, which replaces another.
  /// Returns an empty text if the threads of a CTA are not stated.
  std::string withMinCtas(int64_t numCtas) const;

private:
  llvm::StringRef ptx;
  /// The directives, and the offset of the line after `.reqntid`.
  llvm::StringRef directives;
  size_t afterThreads = 0;
  int64_t numThreads = 0;
};

/// Returns the threads of a CTA of a kernel in LLVM IR; 1 if it does not state
/// them.
int64_t countThreads(const llvm::Function &kernel);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_PTXENTRY_H
