#include "lib/Target/NVPTX/Exponentials.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static void callExp2(CallInst &call, bool flushes) {
  IRBuilder<> b(&call);
  CallInst *exp2 =
      b.CreateUnaryIntrinsic(Intrinsic::exp2, call.getArgOperand(0), &call);
  exp2->setHasApproxFunc(flushes);
  call.replaceAllUsesWith(exp2);
  call.eraseFromParent();
}

void tilewright::callExp2(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : make_early_inc_range(block)) {
        auto *call = dyn_cast<IntrinsicInst>(&instruction);
        if (!call || !call->getType()->isFloatTy())
          continue;
        Intrinsic::ID id = call->getIntrinsicID();
        if (id == Intrinsic::nvvm_ex2_approx ||
            id == Intrinsic::nvvm_ex2_approx_ftz)
          ::callExp2(*call, id == Intrinsic::nvvm_ex2_approx_ftz);
      }
}

namespace {
class FlushExponentials final : public MachineFunctionPass {
public:
  FlushExponentials() : MachineFunctionPass(id) {}

  StringRef getPassName() const override { return "Flush exponentials"; }

  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(MachineFunction &function) override;

private:
  static char id;
};
} // namespace

char FlushExponentials::id = 0;

bool FlushExponentials::runOnMachineFunction(MachineFunction &function) {
  constexpr unsigned flushOperand = 2;
  const TargetInstrInfo &info = *function.getSubtarget().getInstrInfo();
  bool changed = false;
  for (MachineBasicBlock &block : function)
    for (MachineInstr &instruction : block) {
      if (!instruction.getFlag(MachineInstr::FmAfn) ||
          info.getName(instruction.getOpcode()) != "EX2_APPROX_f32")
        continue;
      instruction.getOperand(flushOperand).setImm(-1);
      changed = true;
    }
  return changed;
}

MachineFunctionPass *tilewright::createFlushExponentials() {
  return new FlushExponentials;
}
