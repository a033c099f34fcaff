// Chooses among the passes that LLVM's code generator runs on its own.

#pragma once

#include "llvm/IR/LegacyPassManager.h"

namespace llvm {
class Module;
}

namespace tilewright {

/// The passes that the code generator adds and two of our own after instruction
/// selection (`createFlushExponentials`, `createWidenUpperHalves`), less those
/// that cost much and gain nothing. These are not added at all, for what they
/// would need to know is found out even for those that are skipped.
///
/// In kernels with wide products these are:
///
/// - straight-line strength reduction, which asks for each sum whether its
///   overflow would be undefined, and for that reads all operands of the
///   instructions behind it: two fifths of the time of generating an attention
///   kernel;
/// - global value numbering, twice, and common subexpressions once more, behind
///   passes that already left one of each value;
/// - other passes that look for cheaper addresses and constants and find none:
///   tiles come by the tensor memory accelerator, and the code is the same
///   without them. Together they took a twentieth of the time of a kernel.
///
/// Other kernels, with many addresses computed in loops that are unrolled, are
/// a seventh smaller by these passes. But in those with thousands of
/// instructions in a row straight-line strength reduction, whose question takes
/// it to the end of the row each time, would need seconds, or minutes.
class CodeGenPasses final : public llvm::legacy::PassManager {
public:
  explicit CodeGenPasses(const llvm::Module &module);

  void add(llvm::Pass *pass) override;

private:
  bool isIdle(const llvm::Pass &pass) const;

  bool hasWideAsm, hasLongBlock;
};

} // namespace tilewright
