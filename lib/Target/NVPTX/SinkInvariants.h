// Sinks loop invariants to their use in a long block.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_SINKINVARIANTS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_SINKINVARIANTS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Sinks cheap loop-invariant numbers (offsets, addresses) to their use, if
/// that is late in a long block of the loop. A few more instructions there cost
/// nothing. A number computed before the loop occupies a register for the whole
/// loop.
void sinkInvariants(llvm::Module &module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_SINKINVARIANTS_H
