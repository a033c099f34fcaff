// The order of instructions in blocks with more values than registers.

#pragma once

namespace llvm {
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

} // namespace tilewright
