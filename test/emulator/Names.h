// Resolves names in PTX.
#ifndef TILEWRIGHT_TEST_EMULATOR_NAMES_H
#define TILEWRIGHT_TEST_EMULATOR_NAMES_H

#include "test/emulator/Program.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace emulator {

/// The names of a scope in braces; other names are those of the enclosing
/// scope.
struct Scope {
  Scope *parent = nullptr;
  std::map<std::string, Operand> names;
  std::map<std::string, size_t> labels;
  std::map<std::string, std::vector<std::string>> targets;

  const Operand *find(const std::string &name) const {
    for (const Scope *scope = this; scope; scope = scope->parent)
      if (auto at = scope->names.find(name); at != scope->names.end())
        return &at->second;
    return nullptr;
  }
  const size_t *findLabel(const std::string &name) const {
    for (const Scope *scope = this; scope; scope = scope->parent)
      if (auto at = scope->labels.find(name); at != scope->labels.end())
        return &at->second;
    return nullptr;
  }
};

/// The scopes of a module, of which one is open, and its labels, which may be
/// used before their definition.
class Names {
public:
  Names() { open(); }

  /// Opens a scope inside the open one.
  void open();
  /// Returns to the enclosing scope.
  void close() { current = current->parent; }
  Scope &here() { return *current; }
  const Operand *find(const std::string &name) const {
    return current->find(name);
  }
  /// Returns `name` as an operand: a label if it is nothing else.
  Operand operandOf(const std::string &name);
  /// Called after the whole module is read.
  void resolveLabels(Program &program) const;

private:
  void resolve(const Program &program, const Instruction &instruction,
               Operand &operand) const;

  std::vector<std::unique_ptr<Scope>> scopes;
  std::vector<Scope *> labelScopes;
  Scope *current = nullptr;
};

/// Calls `each` with `operand` and its parts.
template <typename Each> void visit(Operand &operand, Each each) {
  each(operand);
  for (Operand &part : operand.parts)
    visit(part, each);
}

} // namespace emulator

#endif // TILEWRIGHT_TEST_EMULATOR_NAMES_H
