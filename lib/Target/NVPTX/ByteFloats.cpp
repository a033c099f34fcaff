#include "lib/Target/NVPTX/ByteFloats.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool readsByteFloats(const CallBase &call) {
  const auto *text = dyn_cast<InlineAsm>(call.getCalledOperand());
  if (!text)
    return false;
  StringRef code = text->getAsmString();
  // Only instructions with 8-bit floats in registers: operands of `wgmma` in
  // shared memory are addresses.
  return (code.contains("mma.sync") || code.contains("cvt.rn.f16x2.")) &&
         (code.contains("e4m3") || code.contains("e5m2"));
}

/// Returns `value` in a register that code generation knows nothing about, so
/// that no two uses share it.
static Value *emitRegister(IRBuilder<> &b, Constant &value) {
  Type *type = value.getType();
  bool isShort = type->getPrimitiveSizeInBits() == 16;
  auto *text = InlineAsm::get(FunctionType::get(type, {type}, false),
                              isShort ? "mov.b16 $0, $1;" : "mov.b32 $0, $1;",
                              isShort ? "=h,n" : "=r,n",
                              /*hasSideEffects=*/true);
  return b.CreateCall(text, {&value});
}

void tilewright::isolateByteFloats(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      if (!call || !readsByteFloats(*call))
        continue;
      IRBuilder<> b(call);
      for (Use &operand : call->args())
        if (auto *value = dyn_cast<ConstantInt>(operand.get()))
          operand.set(emitRegister(b, *value));
    }
}
