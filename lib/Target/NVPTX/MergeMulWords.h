// Low and high word of an integer multiplication by one instruction.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_MERGEMULWORDS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_MERGEMULWORDS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Merges a 32-bit `x * y` with the 64-bit multiplication of the extended `x`
/// and `y` in the same block. The former becomes the low word of the latter,
/// whose high word alone takes as long to compute. Random number generators
/// compute both.
void mergeMulWords(llvm::Module &module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_MERGEMULWORDS_H
