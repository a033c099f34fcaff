// Chooses among the passes that LLVM's code generator runs on its own.

#pragma once

#include "llvm/IR/OptBisect.h"

namespace llvm {
class Module;
}

namespace tilewright {

/// Leaves out passes that cost much and gain nothing for kernels in which a
/// piece of inline PTX has dozens of operands, as products on warpgroups do:
///
/// - straight-line strength reduction asks for each sum whether its overflow
///   would be undefined, and for that reads all operands of the instructions
///   behind it: two fifths of the time of generating an attention kernel;
/// - global value numbering runs twice, and common subexpressions are looked
///   for once more, behind passes that already left one of each value;
/// - the other passes that look for cheaper addresses and constants find none:
///   tiles come by the tensor memory accelerator, and the code is the same
///   without them. Together they took a twentieth of the time of a kernel.
///
/// Other kernels, with many addresses computed in loops that are unrolled, are
/// a seventh smaller by these passes. But in those with thousands of
/// instructions in a row straight-line strength reduction, whose question takes
/// it to the end of the row each time, would need seconds, or minutes.
class PassGate final : public llvm::OptPassGate {
public:
  explicit PassGate(const llvm::Module &module);

  /// Whether a piece of inline PTX has dozens of operands.
  bool hasWideProducts() const { return hasWideAsm; }

  bool isEnabled() const override { return hasWideAsm || hasLongBlock; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef ir) const override;

private:
  bool hasWideAsm, hasLongBlock;
};

} // namespace tilewright
