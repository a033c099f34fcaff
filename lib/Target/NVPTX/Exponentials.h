// ex2.approx by way of LLVM's own exp2, which is quick to select.

#pragma once

namespace llvm {
class MachineFunctionPass;
class Module;
} // namespace llvm

namespace tilewright {

/// Makes calls of the intrinsic for ex2.approx calls of LLVM's exp2. The code
/// generator finds an intrinsic of NVIDIA's by trying one after the other,
/// which took a twentieth of the time of an attention kernel; exp2 it finds at
/// once, and it is the same instruction. Whether that flushes subnormal numbers
/// is an attribute of the function there, so that a call is marked: one that
/// flushes may be approximated (`afn`). Behind the optimizations, which would
/// make another function of exp2 of an integer.
void callExp2(llvm::Module &module);

/// Lets the instructions selected for calls so marked flush subnormal numbers.
llvm::MachineFunctionPass *createFlushExponentials();

} // namespace tilewright
