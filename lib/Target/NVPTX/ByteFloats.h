// Constants of 8-bit floats, which assemblers miscompile.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_BYTEFLOATS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_BYTEFLOATS_H

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Gives each constant that an instruction on 8-bit floats reads a register of
/// its own.
///
/// The assemblers (12.8 to 13.5) widen such floats in pairs. If they find out
/// late that the other register of a pair is constant, they use the lower pair
/// for the upper one. Constants of zero then become arbitrary values. A
/// register that is written once is found to be constant early. But code
/// generation shares one register among all uses of a constant and lets a
/// masked load overwrite it.
void isolateByteFloats(llvm::Module &module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_BYTEFLOATS_H
