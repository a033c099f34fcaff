#include "test/emulator/Names.h"

#include "test/emulator/Values.h"

namespace emulator {

void Names::open() {
  scopes.push_back(std::make_unique<Scope>());
  scopes.back()->parent = current;
  current = scopes.back().get();
}

Operand Names::operandOf(const std::string &name) {
  if (name == "_")
    return {};
  if (const Operand *found = find(name)) {
    Operand made = *found;
    made.text = name;
    return made;
  }
  Operand made;
  made.text = name;
  if (std::optional<Special> special = specialOf(name)) {
    made.kind = Operand::OfMachine;
    made.special = *special;
    return made;
  }
  // Resolved after the whole module is read.
  made.kind = Operand::Label;
  made.bits = labelScopes.size();
  labelScopes.push_back(current);
  return made;
}

void Names::resolveLabels(Program &program) const {
  for (Instruction &instruction : program.instructions)
    for (Operand &operand : instruction.operands)
      visit(operand,
            [&](Operand &each) { resolve(program, instruction, each); });
}

void Names::resolve(const Program &program, const Instruction &instruction,
                    Operand &operand) const {
  // Operands without a text are resolved.
  if (operand.kind != Operand::Label || operand.text.empty())
    return;
  const Scope *from = labelScopes[operand.bits];
  if (const size_t *found = from->findLabel(operand.text)) {
    operand.bits = *found;
    operand.text.clear();
    return;
  }
  for (const Scope *s = from; s; s = s->parent)
    if (auto at = s->targets.find(operand.text); at != s->targets.end()) {
      operand.kind = Operand::Vector;
      for (const std::string &target : at->second) {
        Operand label;
        label.kind = Operand::Label;
        label.bits = *from->findLabel(target);
        operand.parts.push_back(label);
      }
      return;
    }
  // The name of a function stays a name.
  if (!program.functions.count(operand.text))
    throw Failure("line " + std::to_string(instruction.line) +
                  " of the PTX: unknown name '" + operand.text + "'");
}

} // namespace emulator
