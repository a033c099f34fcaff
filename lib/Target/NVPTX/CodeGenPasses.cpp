#include "lib/Target/NVPTX/CodeGenPasses.h"

#include "lib/Target/NVPTX/Exponentials.h"
#include "lib/Target/NVPTX/WidenMulHigh.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"

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

/// Whether the module has inline PTX with dozens of operands, as `wgmma` has.
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

CodeGenPasses::CodeGenPasses(const llvm::Module &module)
    : hasWideAsm(findWideAsm(module)), hasLongBlock(findLongBlock(module)) {}

bool CodeGenPasses::isIdle(const llvm::Pass &pass) const {
  static constexpr llvm::StringLiteral kIdle[] = {
      "slsr",      "gvn",        "loop-reduce",
      "early-cse", "consthoist", "nary-reassociate"};
  llvm::StringRef name = pass.getPassArgument();
  return hasWideAsm ? llvm::is_contained(kIdle, name)
                    : hasLongBlock && name == "slsr";
}

void CodeGenPasses::add(llvm::Pass *pass) {
  if (isIdle(*pass)) {
    delete pass;
    return;
  }
  const bool selected = pass->getPassID() == &llvm::FinalizeISelID;
  PassManager::add(pass);
  if (selected) {
    PassManager::add(createFlushExponentials());
    PassManager::add(createWidenMulHigh());
  }
}
