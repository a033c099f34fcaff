#include "lib/Target/NVPTX/ShuffledConstants.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace tilewright;

/// Returns the value that `call` exchanges between lanes if a uniform value is
/// also its result; null for other calls.
static Value *getExchanged(const IntrinsicInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_shfl_sync_bfly_i32:
  case Intrinsic::nvvm_shfl_sync_bfly_f32:
  case Intrinsic::nvvm_shfl_sync_idx_i32:
  case Intrinsic::nvvm_shfl_sync_idx_f32:
  case Intrinsic::nvvm_shfl_sync_up_i32:
  case Intrinsic::nvvm_shfl_sync_up_f32:
  case Intrinsic::nvvm_shfl_sync_down_i32:
  case Intrinsic::nvvm_shfl_sync_down_f32:
    return call.getArgOperand(1);
  case Intrinsic::nvvm_redux_sync_and:
  case Intrinsic::nvvm_redux_sync_or:
  case Intrinsic::nvvm_redux_sync_min:
  case Intrinsic::nvvm_redux_sync_max:
  case Intrinsic::nvvm_redux_sync_umin:
  case Intrinsic::nvvm_redux_sync_umax:
    return call.getArgOperand(0);
  default:
    return nullptr;
  }
}

PreservedAnalyses ShuffledConstants::run(Function &function,
                                         FunctionAnalysisManager &) {
  SimplifyQuery query(function.getDataLayout());
  bool isChanged = false;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for (Instruction &instruction : make_early_inc_range(*block)) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      Value *value = call ? getExchanged(*call) : nullptr;
      const bool isExchange = value;
      if (!isExchange)
        value = simplifyInstruction(&instruction,
                                    query.getWithInstruction(&instruction));
      if (!isa_and_nonnull<Constant>(value))
        continue;
      instruction.replaceAllUsesWith(value);
      isChanged = true;
      if (isExchange || isInstructionTriviallyDead(&instruction))
        instruction.eraseFromParent();
    }
  if (!isChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}
