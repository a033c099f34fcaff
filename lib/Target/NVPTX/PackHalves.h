// Floats of 16 bits, two to a register.

#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Floats of 16 bits that blocks take from those before them and use two by
/// two, as loops carry the weights of attention, which are multiplied one
/// iteration later, are carried in one register: packed where they are
/// computed, not each in a register of its own until they are used. Comes
/// before all other optimisations, which have that much less to look at.
void packHalves(llvm::Module &module);

} // namespace tilewright
