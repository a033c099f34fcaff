// Reorders instructions of blocks whose register pressure is too high.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_FULLBLOCKS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_FULLBLOCKS_H

#include <cstdint>
#include <optional>

namespace llvm {
class Instruction;
class Module;
} // namespace llvm

namespace tilewright {

/// Sinks instructions to their first use in blocks that exceed the registers of
/// a thread, if that reduces the pressure.
///
/// A tile op has a result for each element of a thread, so a chain of tile ops
/// keeps several times as many values live at once. Assemblers reorder little
/// of such code, spill, and take minutes for thousands of spilled values.
/// Loads, stores, shuffles and barriers keep their order.
void orderFullBlocks(llvm::Module &module);

/// A block that would take an assembler minutes.
struct HopelessBlock {
  /// The point of maximum register pressure.
  const llvm::Instruction *peak;
  /// Live 32-bit registers at that point.
  unsigned registers;
  uint64_t instructions;
};

/// Returns the worst block of a function whose blocks take minutes to assemble;
/// nothing if there is none. Above the register limit, the time of assemblers
/// grows with registers times instructions of a block:
/// benchmarks/notes/assembler-time.md.
std::optional<HopelessBlock> findHopelessBlock(llvm::Module &module);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_FULLBLOCKS_H
