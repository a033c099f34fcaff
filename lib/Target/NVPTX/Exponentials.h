// ex2.approx through LLVM's own exp2, which is fast to select.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_EXPONENTIALS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_EXPONENTIALS_H

namespace llvm {
class MachineFunctionPass;
class Module;
} // namespace llvm

namespace tilewright {

/// Replaces calls of the intrinsic for ex2.approx by calls of LLVM's exp2.
///
/// The code generator finds an NVIDIA intrinsic by trying all in turn, but it
/// finds exp2 at once (benchmarks/notes/compile-time.md). The selected
/// instruction is the same. exp2 flushes subnormal numbers by an attribute of
/// the function, so each call is marked: with `afn` it flushes. Runs after the
/// optimisations, which would turn exp2 of an integer into another function.
void callExp2(llvm::Module &module);

/// Makes the instructions selected for marked calls flush subnormal numbers.
llvm::MachineFunctionPass *createFlushExponentials();

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_EXPONENTIALS_H
