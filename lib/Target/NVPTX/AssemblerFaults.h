// What ptxas 13.0, and nvJitLink of that version, assemble wrongly.

#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Writes what assemblers make wrong code of in another way. Comes after all
/// other optimisations, which would write it as before. `UpperHalves.h`
/// describes one more fault, whose instructions LLVM selects later.
void avoidAssemblerFaults(llvm::Module &module);

} // namespace tilewright
