// Masked stores with constant masks.
#ifndef TILEWRIGHT_LIB_TARGET_HOST_MASKEDSTORES_H
#define TILEWRIGHT_LIB_TARGET_HOST_MASKEDSTORES_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright::host {

/// Replaces each masked store with a constant mask by plain stores, one per run
/// of lanes. LLVM 22 generates wrong code for AVX-512 if such a mask has one
/// lane and the value is truncated. It stores the lane before the truncation
/// and overwrites the next element in memory.
void storeKnownLanes(llvm::Module &module);

} // namespace tilewright::host

#endif // TILEWRIGHT_LIB_TARGET_HOST_MASKEDSTORES_H
