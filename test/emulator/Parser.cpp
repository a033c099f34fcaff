// Reads PTX.

#include "test/emulator/Lexer.h"
#include "test/emulator/Program.h"
#include "test/emulator/Values.h"

#include <algorithm>
#include <cstring>

namespace emulator {

std::string Instruction::mnemonic() const {
  std::string all;
  for (const std::string &word : words)
    all += (all.empty() ? "" : ".") + word;
  return all;
}

const Function *Program::functionAt(size_t instruction) const {
  const Function *found = nullptr;
  for (const auto &[name, function] : functions)
    if (function.entry <= instruction &&
        (!found || function.entry > found->entry))
      found = &function;
  return found;
}

namespace {

/// What a name in braces stands for; other names are those of the scope around.
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

class Parser {
public:
  explicit Parser(const std::string &text)
      : tokens(split(text)), program(std::make_unique<Program>()) {
    scope = newScope(nullptr);
  }

  std::unique_ptr<Program> run() {
    program->staticSharedBytes = kSharedBegin;
    while (peek().kind != Token::End)
      parseTop();
    placeDynamicShared();
    resolveLabels();
    return std::move(program);
  }

private:
  [[noreturn]] void fail(const std::string &problem) const {
    throw Failure("line " + std::to_string(peek().line) +
                  " of the PTX: " + problem + " at '" + peek().text + "'");
  }

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(position + ahead, tokens.size() - 1)];
  }
  Token take() { return tokens[position++]; }
  bool accept(std::string_view text) {
    if (!peek().is(text))
      return false;
    ++position;
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text))
      fail("expected '" + std::string(text) + "'");
  }
  void skipUntil(std::string_view text) {
    while (!accept(text))
      ++position;
  }

  Scope *newScope(Scope *parent) {
    scopes.push_back(std::make_unique<Scope>());
    scopes.back()->parent = parent;
    return scopes.back().get();
  }

  static uint64_t numberOf(const std::string &text) {
    if (text.size() > 2 && text[0] == '0' && std::strchr("fFdD", text[1]))
      return std::strtoull(text.c_str() + 2, nullptr, 16);
    if (text.size() > 2 && text[0] == '0' && std::strchr("bB", text[1]))
      return std::strtoull(text.c_str() + 2, nullptr, 2);
    return std::strtoull(text.c_str(), nullptr, 0);
  }
  uint64_t takeNumber() {
    if (peek().kind != Token::Number)
      fail("expected a number");
    return numberOf(take().text);
  }

  static uint32_t bytesOf(const std::string &type) {
    const size_t digits = type.find_first_of("0123456789");
    if (type == ".pred")
      return 1;
    if (digits == std::string::npos)
      return 0;
    const unsigned bits = std::stoul(type.substr(digits));
    return type.find("x2") != std::string::npos ? bits / 4 : bits / 8;
  }

  void parseTop() {
    const Token token = peek();
    if (token.kind == Token::SourceLine) {
      ++position;
      return;
    }
    if (token.is(".visible") || token.is(".extern") || token.is(".weak") ||
        token.is(".common")) {
      isExternal = token.is(".extern");
      ++position;
      return;
    }
    if (accept(".entry"))
      return parseFunction(/*isKernel=*/true);
    if (accept(".func"))
      return parseFunction(/*isKernel=*/false);
    if (token.is(".global") || token.is(".const") || token.is(".shared"))
      return parseVariable();
    if (accept(".pragma"))
      return skipUntil(";");
    fail("unknown directive");
  }

  /// `.shared .align 16 .b8 name[16];`, also with values.
  void parseVariable() {
    const std::string kind = take().text;
    uint64_t alignment = 1, count = 1;
    uint32_t bytes = 0;
    while (peek().kind == Token::Word && peek().text[0] == '.') {
      if (accept(".align"))
        alignment = takeNumber();
      else if (accept(".attribute"))
        skipUntil(")");
      else
        bytes = std::max(bytes, bytesOf(take().text));
    }
    const std::string name = take().text;
    bool isOpen = false;
    while (accept("[")) {
      isOpen = peek().is("]");
      if (!isOpen)
        count *= takeNumber();
      expect("]");
    }
    alignment = std::max<uint64_t>(alignment, bytes);
    const uint64_t size = isOpen ? 0 : count * bytes;
    if (kind == ".shared")
      addShared(name, alignment, size, isOpen);
    else if (kind == ".local")
      addLocal(name, alignment, size);
    else
      addGlobal(name, size, bytes);
    expect(";");
    isExternal = false;
  }

  static uint32_t align(uint32_t offset, uint64_t alignment) {
    const auto a = static_cast<uint32_t>(std::max<uint64_t>(alignment, 1));
    return (offset + a - 1) / a * a;
  }

  Operand symbol(Space space, uint64_t bits) {
    Operand made;
    made.kind = Operand::Symbol;
    made.space = space;
    made.bits = bits;
    return made;
  }

  void addShared(const std::string &name, uint64_t alignment, uint64_t size,
                 bool isOpen) {
    if (isOpen)
      dynamicAlignment = std::max(dynamicAlignment, alignment);
    program->staticSharedBytes = align(program->staticSharedBytes, alignment);
    scope->names[name] = symbol(Space::Shared, program->staticSharedBytes);
    if (isOpen)
      dynamicNames.push_back(name);
    program->staticSharedBytes += size;
  }

  /// It begins behind the static one, whose size is known now. Nothing is
  /// looked up any more but what instructions refer to.
  void placeDynamicShared() {
    program->staticSharedBytes =
        align(program->staticSharedBytes, dynamicAlignment);
    forEachOperand([&](Operand &operand) {
      if (operand.kind == Operand::Symbol && operand.space == Space::Shared &&
          std::find(dynamicNames.begin(), dynamicNames.end(), operand.text) !=
              dynamicNames.end())
        operand.bits = program->staticSharedBytes;
    });
  }

  void addLocal(const std::string &name, uint64_t alignment, uint64_t size) {
    program->localBytes =
        align(program->localBytes, std::max<uint64_t>(alignment, 8));
    scope->names[name] = symbol(Space::Local, program->localBytes);
    program->localBytes += size;
  }

  void addGlobal(const std::string &name, uint64_t size, uint32_t bytes) {
    // Room behind, for what has no size here.
    const size_t all = std::max<uint64_t>(size, 16);
    char *memory = program->globals.emplace_back(all).data();
    scope->names[name] =
        symbol(Space::Global, reinterpret_cast<uint64_t>(memory));
    if (!accept("="))
      return;
    if (!accept("{")) {
      writeValue(memory, bytes);
      return;
    }
    for (size_t i = 0; !accept("}"); ++i) {
      writeValue(memory + i * bytes, bytes);
      accept(",");
    }
  }

  void writeValue(char *memory, uint32_t bytes) {
    uint64_t value = 0;
    if (accept("generic")) {
      expect("(");
      value = lookUp(take().text).bits;
      expect(")");
    } else if (peek().kind == Token::Word) {
      value = lookUp(take().text).bits;
    } else {
      const bool isNegative = accept("-");
      value = takeNumber();
      if (isNegative)
        value = 0 - value;
    }
    std::memcpy(memory, &value, bytes);
  }

  const Operand &lookUp(const std::string &name) const {
    const Operand *found = scope->find(name);
    if (!found)
      fail("unknown name '" + name + "'");
    return *found;
  }

  /// Parameters of a kernel are those of the launch, others of the thread.
  std::vector<Parameter> parseParameters(bool isKernel, uint32_t &bytes) {
    std::vector<Parameter> made;
    if (!accept("("))
      return made;
    while (!accept(")")) {
      made.push_back(parseParameter(isKernel, bytes));
      accept(",");
    }
    return made;
  }

  Parameter parseParameter(bool isKernel, uint32_t &end) {
    uint64_t alignment = 1, count = 1;
    uint32_t bytes = 0;
    while (peek().kind == Token::Word && peek().text[0] == '.') {
      if (accept(".ptr")) {
        while (peek().is(".global") || peek().is(".shared") ||
               peek().is(".const") || peek().is(".local"))
          ++position;
        if (accept(".align"))
          takeNumber();
      } else if (accept(".align"))
        alignment = takeNumber();
      else
        bytes = std::max(bytes, bytesOf(take().text));
    }
    Parameter made;
    made.name = take().text;
    while (accept("[")) {
      if (!peek().is("]"))
        count *= takeNumber();
      expect("]");
    }
    made.bytes = static_cast<uint32_t>(bytes * count);
    if (isKernel) {
      made.offset = align(end, std::max<uint64_t>(alignment, bytes));
      end = made.offset + made.bytes;
      scope->names[made.name] = symbol(Space::Parameter, made.offset);
    } else {
      addLocal(made.name, alignment, made.bytes);
      made.offset = static_cast<uint32_t>(scope->names[made.name].bits);
    }
    return made;
  }

  void parseFunction(bool isKernel) {
    Scope *outer = scope;
    scope = newScope(outer);
    Function function;
    function.isKernel = isKernel;
    uint32_t ignored = 0;
    if (!isKernel && peek().is("("))
      function.results = parseParameters(false, ignored);
    accept(".noreturn");
    function.name = take().text;
    function.parameters = parseParameters(isKernel, function.parameterBytes);
    parseAttributes(function);
    function.entry = program->instructions.size();
    const bool isDeclared = accept(";") || isExternal;
    if (isDeclared)
      function.entry = SIZE_MAX;
    if (!program->functions.count(function.name) || !isDeclared)
      program->functions[function.name] = function;
    isExternal = false;
    if (!isDeclared) {
      expect("{");
      parseBody();
      // Where the text forgets to return.
      Instruction last;
      last.words = {"ret"};
      program->instructions.push_back(last);
    }
    scope = outer;
  }

  void parseAttributes(Function &function) {
    while (!peek().is("{") && !peek().is(";")) {
      const std::string name = take().text;
      unsigned numbers[3] = {1, 1, 1};
      for (unsigned i = 0; i < 3 && peek().kind == Token::Number; ++i) {
        numbers[i] = static_cast<unsigned>(takeNumber());
        accept(",");
      }
      if (name == ".reqntid")
        std::copy_n(numbers, 3, function.requiredThreads);
      if (name == ".reqnctapercluster")
        std::copy_n(numbers, 3, function.cluster);
    }
  }

  /// Up to the closing brace.
  void parseBody() {
    while (!accept("}"))
      parseStatement();
  }

  void parseStatement() {
    const Token token = peek();
    if (token.kind == Token::SourceLine) {
      source = static_cast<unsigned>(std::stoul(take().text));
      return;
    }
    if (token.kind == Token::End)
      fail("the function does not end");
    if (accept(";"))
      return;
    if (accept("{")) {
      Scope *outer = scope;
      scope = newScope(outer);
      parseBody();
      scope = outer;
      return;
    }
    if (accept(".reg"))
      return parseRegisters();
    if (accept(".param")) {
      uint32_t ignored = 0;
      parseParameter(false, ignored);
      return expect(";");
    }
    if (token.is(".local") || token.is(".shared"))
      return parseVariable();
    if (accept(".pragma"))
      return skipUntil(";");
    if (peek(1).is(":")) {
      position += 2;
      return parseLabel(token.text);
    }
    parseInstruction();
  }

  void parseLabel(const std::string &name) {
    if (!accept(".branchtargets")) {
      scope->labels[name] = program->instructions.size();
      return;
    }
    do
      scope->targets[name].push_back(take().text);
    while (accept(","));
    expect(";");
  }

  void parseRegisters() {
    const std::string type = take().text;
    const uint32_t bytes = bytesOf(type);
    if (!bytes || bytes > 8)
      fail("registers of type " + type);
    do {
      const std::string name = take().text;
      if (!accept("<")) {
        addRegister(name, bytes);
        continue;
      }
      const uint64_t count = takeNumber();
      expect(">");
      for (uint64_t i = 0; i < count; ++i)
        addRegister(name + std::to_string(i), bytes);
    } while (accept(","));
    expect(";");
  }

  void addRegister(const std::string &name, uint32_t bytes) {
    Operand made;
    made.kind = Operand::InRegister;
    made.reg.bytes = static_cast<uint8_t>(bytes);
    made.reg.offset = align(program->registerBytes, 8);
    program->registerBytes = made.reg.offset + bytes * kLanes;
    scope->names[name] = made;
  }

  void parseInstruction() {
    Instruction made;
    made.line = peek().line;
    made.sourceLine = source;
    if (accept("@")) {
      made.isGuardNegated = accept("!");
      made.guard = lookUp(take().text).reg;
    }
    const std::string mnemonic = take().text;
    for (size_t at = 0; at <= mnemonic.size();) {
      const size_t dot = std::min(mnemonic.find('.', at), mnemonic.size());
      made.words.push_back(mnemonic.substr(at, dot - at));
      at = dot + 1;
    }
    while (!accept(";")) {
      made.operands.push_back(parseOperand());
      accept(",");
    }
    for (Operand &operand : made.operands)
      if (operand.isDecimal && made.words.back() == "f32")
        operand.bits =
            toBits(static_cast<float>(fromBits<double>(operand.bits)));
    program->instructions.push_back(std::move(made));
  }

  Operand parseOperand() {
    Operand made = parsePlain();
    if (accept("|")) {
      Operand pair;
      pair.kind = Operand::Pair;
      pair.parts = {made, parsePlain()};
      return pair;
    }
    // A symbol and a number.
    if (peek().is("+") && made.kind == Operand::Symbol) {
      ++position;
      made.bits += takeNumber();
    }
    return made;
  }

  Operand parsePlain() {
    if (accept("["))
      return parseAddress();
    if (peek().is("{") || peek().is("(")) {
      const std::string_view end = take().is("{") ? "}" : ")";
      Operand made;
      made.kind = Operand::Vector;
      while (!accept(end)) {
        made.parts.push_back(parsePlain());
        accept(",");
      }
      return made;
    }
    if (accept("!")) {
      Operand made = parsePlain();
      made.isNegated = true;
      return made;
    }
    const bool isNegative = accept("-");
    if (isNegative || peek().kind == Token::Number) {
      return parseNumber(isNegative);
    }
    return named(take().text);
  }

  Operand parseNumber(bool isNegative) {
    Operand made;
    made.kind = Operand::Immediate;
    made.text = peek().text;
    made.isDecimal = made.text.find('.') != std::string::npos;
    if (made.isDecimal) {
      const double value = std::strtod(take().text.c_str(), nullptr);
      made.bits = toBits(isNegative ? -value : value);
      return made;
    }
    made.bits = takeNumber();
    if (isNegative)
      made.bits = 0 - made.bits;
    return made;
  }

  Operand named(const std::string &name) {
    if (name == "_")
      return {};
    if (const Operand *found = scope->find(name)) {
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
    // Found once all of the module is read.
    made.kind = Operand::Label;
    made.bits = labelScopes.size();
    labelScopes.push_back(scope);
    return made;
  }

  Operand parseAddress() {
    Operand made;
    made.kind = Operand::Address;
    made.parts.push_back(parsePlain());
    while (peek().is("+") || peek().is("-")) {
      const bool isNegative = take().is("-") || accept("-");
      const uint64_t offset = takeNumber();
      made.bits += isNegative ? 0 - offset : offset;
    }
    if (accept(","))
      made.parts.push_back(parsePlain());
    expect("]");
    return made;
  }

  template <typename Each> static void visit(Operand &operand, Each each) {
    each(operand);
    for (Operand &part : operand.parts)
      visit(part, each);
  }

  template <typename Each> void forEachOperand(Each each) {
    for (Instruction &instruction : program->instructions)
      for (Operand &operand : instruction.operands)
        visit(operand, each);
  }

  void resolveLabels() {
    for (Instruction &instruction : program->instructions)
      for (Operand &operand : instruction.operands)
        visit(operand, [&](Operand &each) { resolveLabel(instruction, each); });
  }

  void resolveLabel(const Instruction &instruction, Operand &operand) {
    // Without a text it is resolved.
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
    if (!program->functions.count(operand.text))
      throw Failure("line " + std::to_string(instruction.line) +
                    " of the PTX: unknown name '" + operand.text + "'");
  }

  std::vector<Token> tokens;
  size_t position = 0;
  std::unique_ptr<Program> program;
  std::vector<std::unique_ptr<Scope>> scopes;
  std::vector<Scope *> labelScopes;
  Scope *scope = nullptr;
  unsigned source = 0;
  bool isExternal = false;
  uint64_t dynamicAlignment = 16;
  std::vector<std::string> dynamicNames;
};

} // namespace

std::unique_ptr<Program> parse(const std::string &text) {
  return Parser(text).run();
}

} // namespace emulator
