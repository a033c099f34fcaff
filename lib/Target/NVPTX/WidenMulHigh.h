// High words of 32-bit multiplications, after which assemblers subtract
// incorrectly.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_WIDENMULHIGH_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_WIDENMULHIGH_H

namespace llvm {
class MachineFunctionPass;
} // namespace llvm

namespace tilewright {

/// Replaces `mul.hi` of 32 bits by the upper register of `mul.wide` if its
/// result may become the lower word of a 64-bit value.
///
/// ptxas and nvJitLink 13.0 to 13.5 fuse `zext(mul.hi(x, y)) - z` in 64 bits
/// into a multiply-add with the addend `-lo(z)`, negated in 32 bits. Its carry
/// corrects the upper word. The negation of zero loses the carry, so the result
/// is 2^32 too small if `lo(z)` is 0. The fault needs:
///
/// 1. `mul.hi.u32` or `mul.hi.s32` whose result is the lower word of the
///    minuend, with any upper word, and
/// 2. `sub.s64`, `sub.cc.u32`, or `neg.s64` and `add.s64`.
///
/// The assembler writes `mul.wide.s32` by -2^31 as `mul.hi.s32` if only the
/// upper word is used. The pass replaces that by a shift and a negation.
///
/// `mul.wide` by other factors, `mul.lo`, `mad.hi`, `div`, `mul.hi` of 16 and
/// 64 bits, and shifts of `mul.hi` are assembled correctly.
///
/// LLVM selects `mul.hi` for divisions by constants and for shifted
/// multiplications, so the pass runs after instruction selection. It follows
/// the result through operations that the assembler may find to be redundant.
/// Divisions shift the result, so most of them keep `mul.hi`: `mul.wide` takes
/// one more register.
llvm::MachineFunctionPass *createWidenMulHigh();

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_WIDENMULHIGH_H
