// The order of instructions in blocks with more values than registers.

#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class Instruction;
class Module;
} // namespace llvm

namespace tilewright {

/// Puts what is computed right in front of what uses it, in blocks that would
/// need more registers than a thread has, and need fewer then. An op on tiles
/// has as many results as a thread has elements, so that a chain of ops, one
/// after the other, holds several times as many at once; assemblers order
/// little of it anew, spill, and take minutes for code that spills thousands of
/// values. Loads, stores, shuffles and barriers keep their order.
void orderFullBlocks(llvm::Module &module);

/// A block of code that would take an assembler minutes.
struct HopelessBlock {
  /// Where it holds most.
  const llvm::Instruction *place;
  /// 32-bit registers of all that it holds there.
  unsigned registers;
  uint64_t instructions;
};

/// The worst block of a function whose blocks take minutes, if there is one.
/// Assemblers take time that goes with the registers of a block times its
/// instructions where these are not to be had: half a second or so a million.
std::optional<HopelessBlock> findHopelessBlock(llvm::Module &module);

} // namespace tilewright
