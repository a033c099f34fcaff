#include "test/emulator/Bind.h"

namespace emulator {

/// Returns the action of the first kind that accepts the instruction.
static Action find(const Program &program, Instruction &instruction) {
  if (Action action = bindControl(program, instruction))
    return action;
  for (auto *kind : {bindExchange, bindMatrix})
    if (Action action = kind(instruction))
      return action;
  for (auto *kind : {bindAsynchronous, bindTensorMap, bindMemory, bindAtomic,
                     bindConversion, bindBits, bindComparison, bindArithmetic})
    if (Action action = kind(instruction))
      return action;
  throw Failure("line " + std::to_string(instruction.line) +
                " of the PTX: the emulator has no " + instruction.mnemonic());
}

void bind(Program &program) {
  for (Instruction &instruction : program.instructions)
    instruction.run = find(program, instruction);
}

} // namespace emulator
