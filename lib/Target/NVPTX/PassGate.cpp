#include "lib/Target/NVPTX/PassGate.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace tilewright;

static constexpr unsigned kWideOperands = 32, kLongBlock = 1600;

static bool isWideAsm(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || !call->isInlineAsm())
    return false;
  const auto *results = llvm::dyn_cast<llvm::StructType>(call->getType());
  return call->arg_size() >= kWideOperands ||
         (results && results->getNumElements() >= kWideOperands);
}

static bool findWideAsm(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function)
      if (llvm::any_of(block, isWideAsm))
        return true;
  return false;
}

static bool findLongBlock(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    for (const llvm::BasicBlock &block : function)
      if (block.size() > kLongBlock)
        return true;
  return false;
}

PassGate::PassGate(const llvm::Module &module)
    : hasWideAsm(findWideAsm(module)), hasLongBlock(findLongBlock(module)) {}

bool PassGate::shouldRunPass(llvm::StringRef pass, llvm::StringRef) const {
  // By their arguments, or their names where they have none.
  static constexpr llvm::StringLiteral kIdle[] = {
      "slsr",      "gvn",       "Loop Strength Reduction", "nary-reassociate",
      "early-cse", "consthoist"};
  if (!hasWideAsm)
    return pass != "slsr";
  return !llvm::is_contained(kIdle, pass);
}
