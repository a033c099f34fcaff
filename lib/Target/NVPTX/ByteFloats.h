// What assemblers make of constant floats of 8 bits.

#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Gives each constant that an instruction on 8-bit floats reads a register of
/// its own. The assemblers (12.8 to 13.5) widen such floats two at a time, and
/// where they find late that the register with them is known, they take the
/// lower two for the upper two, and anything for zeros. They find early what is
/// written to a register once. But code generation shares one register among
/// all uses of a constant and lets a load under a mask overwrite it.
void isolateByteFloats(llvm::Module &module);

} // namespace tilewright
