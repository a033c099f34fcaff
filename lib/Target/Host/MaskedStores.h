// Masked stores whose mask is known.
#ifndef TILEWRIGHT_LIB_TARGET_HOST_MASKEDSTORES_H
#define TILEWRIGHT_LIB_TARGET_HOST_MASKEDSTORES_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::host {

/// Makes masked stores with constant masks plain ones, one for each run of
/// lanes. LLVM 22 generates wrong code for AVX-512 where such a mask has one
/// lane and the value is truncated: the lane is stored before it is truncated,
/// over its neighbour in memory.
void storeKnownLanes(llvm::Module &module);

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOST_MASKEDSTORES_H
