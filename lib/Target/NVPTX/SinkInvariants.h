// What a loop computes once and uses in one long block.

#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Computes cheap numbers that do not change in a loop (offsets, addresses)
/// where they are used, if that is late in a long block of the loop itself:
/// there a few instructions more cost nothing, while each number computed
/// before the loop keeps a register from all that the loop does.
void sinkInvariants(llvm::Module &module);

} // namespace tilewright
