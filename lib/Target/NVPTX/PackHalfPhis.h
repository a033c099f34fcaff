// Packs pairs of 16-bit floats that cross blocks into one register.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_PACKHALFPHIS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_PACKHALFPHIS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Packs two 16-bit phis that are only used as a pair into one 32-bit phi. The
/// values are packed where they are computed instead of where they are used.
/// Loops carry such pairs, for example the weights of attention, which the next
/// iteration multiplies. Runs before all other optimisations, which then
/// process less code.
void packHalfPhis(llvm::Module &module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_PACKHALFPHIS_H
