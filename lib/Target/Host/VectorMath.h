// The C library's vector mathematics library (glibc's libmvec): exp of eight
// floats in one call instead of eight. Its results are within 4 ULP.
#ifndef TILEWRIGHT_LIB_TARGET_HOST_VECTORMATH_H
#define TILEWRIGHT_LIB_TARGET_HOST_VECTORMATH_H

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

namespace tilewright::host {

/// The library's name for the dynamic loader.
inline constexpr const char *kVectorMathLibrary = "libmvec.so.1";

/// Whether this machine has the library.
bool isVectorMathPresent();

/// The functions of this machine's library, in the widths that the target
/// processor passes in registers. Must outlive every TargetLibraryInfo that it
/// is added to, which refers to its names.
class VectorMath {
public:
  VectorMath(const llvm::Triple &triple,
             const llvm::MCSubtargetInfo &subtarget);

  void addTo(llvm::TargetLibraryInfoImpl &info) const {
    info.addVectorizableFunctions(table);
  }

private:
  void addFunction(llvm::StringRef name, bool hasIntrinsic, unsigned operands,
                   char abi, unsigned registerBits, bool isDouble);

  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver names{allocator};
  llvm::SmallVector<llvm::VecDesc> table;
};

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOST_VECTORMATH_H
