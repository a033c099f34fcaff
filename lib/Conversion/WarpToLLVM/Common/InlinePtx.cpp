#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

/// Returns LLVM's constraint letter for the register class of `type`.
static std::string getConstraint(Type type) {
  if (type.isF32())
    return "f";
  if (type.isF64())
    return "d";
  // Addresses in shared memory have 32 bits (LlvmIr.cpp asks LLVM for that).
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    return pointer.getAddressSpace() == kSharedSpace ? "r" : "l";
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return "b";
  case 16:
    return "h";
  case 32:
    return "r";
  default:
    return "l";
  }
}

std::string InlinePtx::out(Type type, Value initial) {
  unsigned number = outTypes.size();
  outTypes.push_back(type);
  outConstraints.push_back("=" + getConstraint(type));
  if (initial) {
    tied.push_back(std::to_string(number));
    tiedIns.push_back(initial);
  }
  return "$" + std::to_string(number);
}

std::string InlinePtx::in(Value value) {
  unsigned number = outTypes.size() + ins.size();
  ins.push_back(value);
  inConstraints.push_back(getConstraint(value.getType()));
  return "$" + std::to_string(number);
}

std::string InlinePtx::predicate(Value condition) {
  return condition ? "@" + in(condition) + " " : "";
}

SmallVector<Value> InlinePtx::emit(StringRef text, bool sideEffects) {
  SmallVector<std::string> constraints(outConstraints);
  llvm::append_range(constraints, inConstraints);
  llvm::append_range(constraints, tied);
  SmallVector<Value> operands(ins);
  llvm::append_range(operands, tiedIns);
  SmallVector<Type> resultTypes;
  if (outTypes.size() == 1)
    resultTypes.push_back(outTypes.front());
  else if (!outTypes.empty())
    resultTypes.push_back(
        LLVM::LLVMStructType::getLiteral(b.getContext(), outTypes));
  auto op = LLVM::InlineAsmOp::create(
      b, resultTypes, operands, text, llvm::join(constraints, ","), sideEffects,
      /*is_align_stack=*/false, LLVM::TailCallKind::None, /*asm_dialect=*/{},
      /*operand_attrs=*/{});
  if (outTypes.size() <= 1)
    return SmallVector<Value>(op->getResults());
  SmallVector<Value> results;
  for (unsigned i = 0; i < outTypes.size(); ++i)
    results.push_back(LLVM::ExtractValueOp::create(b, op.getRes(), i));
  return results;
}

void tilewright::emitOrderPoint(ImplicitLocOpBuilder &b, Value known) {
  InlinePtx ptx(b);
  std::string text = "{ .reg .pred none; .reg .b32 blocks; "
                     "mov.u32 blocks, %nctaid.x; "
                     "setp.eq.u32 none, blocks, 0; ";
  if (known)
    text += "setp.eq.and.u32 none, " + ptx.in(known) + ", 0, none; ";
  ptx.emit(text + "@none exit; }", /*sideEffects=*/true);
}

std::string tilewright::formatPtxVector(ArrayRef<std::string> registers) {
  if (registers.size() == 1)
    return registers.front();
  return "{" + llvm::join(registers, ", ") + "}";
}
