// Both halves of a product of integers by one instruction.

#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Where a block computes `x * y` in 32 bits and the product of both widened to
/// 64 too, the former is made the lower half of the latter: one instruction
/// gives both halves, where the upper one alone takes as long. Random numbers
/// are made of such products.
void joinHalves(llvm::Module &module);

} // namespace tilewright
