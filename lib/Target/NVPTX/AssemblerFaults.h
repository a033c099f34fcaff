// Code that ptxas 13.0, and nvJitLink of that version, assemble wrongly.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERFAULTS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERFAULTS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Rewrites code that assemblers miscompile. Runs after all other
/// optimisations, which would undo it. `WidenMulHigh.h` describes one more
/// fault, whose instructions exist only after instruction selection.
void avoidAssemblerFaults(llvm::Module &module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERFAULTS_H
