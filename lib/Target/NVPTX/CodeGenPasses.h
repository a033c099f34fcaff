// Selects among the passes that LLVM's code generator adds.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_CODEGENPASSES_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_CODEGENPASSES_H

#include "llvm/IR/LegacyPassManager.h"

namespace llvm {
class Module;
}

namespace tilewright {

/// Adds the passes of the code generator, except those that cost time and gain
/// nothing. Adds two more after instruction selection
/// (`createFlushExponentials`, `createWidenMulHigh`). The excluded passes are
/// not added at all: LLVM computes the analyses of skipped passes too.
///
/// In kernels with `wgmma` these are:
///
/// - straight-line strength reduction, which checks the overflow of each
///   addition and for that reads the operands of all instructions after it;
/// - two runs of global value numbering and one of CSE, after passes that
///   already removed the redundant values;
/// - passes that look for cheaper addresses and constants. TMA loads the tiles,
///   so they find none.
///
/// Other kernels keep these passes, which shrink unrolled loops with many
/// addresses. Exception: with a block of thousands of instructions,
/// straight-line strength reduction takes seconds or minutes. Shares of the
/// compile time: benchmarks/notes/compile-time.md.
class CodeGenPasses final : public llvm::legacy::PassManager {
public:
  explicit CodeGenPasses(const llvm::Module &module);

  void add(llvm::Pass *pass) override;

private:
  bool isIdle(const llvm::Pass &pass) const;

  bool hasWideAsm, hasLongBlock;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_CODEGENPASSES_H
