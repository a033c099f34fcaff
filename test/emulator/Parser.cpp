// Parses PTX.

#include "test/emulator/OperandReader.h"
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

class Parser {
public:
  explicit Parser(const std::string &text)
      : tokens(text), operands(tokens, names),
        program(std::make_unique<Program>()) {}

  std::unique_ptr<Program> run() {
    program->staticSharedBytes = kSharedBegin;
    while (tokens.peek().kind != Token::End)
      parseTop();
    assignDynamicShared();
    names.resolveLabels(*program);
    return std::move(program);
  }

private:
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
    const Token token = tokens.peek();
    if (token.kind == Token::SourceLine) {
      tokens.take();
      return;
    }
    if (token.is(".visible") || token.is(".extern") || token.is(".weak") ||
        token.is(".common")) {
      isExternal = token.is(".extern");
      tokens.take();
      return;
    }
    if (tokens.accept(".entry"))
      return parseFunction(/*isKernel=*/true);
    if (tokens.accept(".func"))
      return parseFunction(/*isKernel=*/false);
    if (token.is(".global") || token.is(".const") || token.is(".shared"))
      return parseVariable();
    if (tokens.accept(".pragma"))
      return tokens.skipUntil(";");
    tokens.fail("unknown directive");
  }

  /// `.shared .align 16 .b8 name[16];`, optionally with values.
  void parseVariable() {
    const std::string kind = tokens.take().text;
    uint64_t alignment = 1, count = 1;
    uint32_t bytes = 0;
    while (tokens.peek().kind == Token::Word && tokens.peek().text[0] == '.') {
      if (tokens.accept(".align"))
        alignment = tokens.takeNumber();
      else if (tokens.accept(".attribute"))
        tokens.skipUntil(")");
      else
        bytes = std::max(bytes, bytesOf(tokens.take().text));
    }
    const std::string name = tokens.take().text;
    bool isOpen = false;
    while (tokens.accept("[")) {
      isOpen = tokens.peek().is("]");
      if (!isOpen)
        count *= tokens.takeNumber();
      tokens.expect("]");
    }
    alignment = std::max<uint64_t>(alignment, bytes);
    const uint64_t size = isOpen ? 0 : count * bytes;
    if (kind == ".shared")
      addShared(name, alignment, size, isOpen);
    else if (kind == ".local")
      addLocal(name, alignment, size);
    else
      addGlobal(name, size, bytes);
    tokens.expect(";");
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
    names.here().names[name] =
        symbol(Space::Shared, program->staticSharedBytes);
    if (isOpen)
      dynamicNames.push_back(name);
    program->staticSharedBytes += size;
  }

  /// Dynamic shared memory begins after the static one, whose size is known
  /// now. Only operands of instructions still refer to symbols.
  void assignDynamicShared() {
    program->staticSharedBytes =
        align(program->staticSharedBytes, dynamicAlignment);
    auto assign = [&](Operand &operand) {
      if (operand.kind == Operand::Symbol && operand.space == Space::Shared &&
          std::find(dynamicNames.begin(), dynamicNames.end(), operand.text) !=
              dynamicNames.end())
        operand.bits = program->staticSharedBytes;
    };
    for (Instruction &instruction : program->instructions)
      for (Operand &operand : instruction.operands)
        visit(operand, assign);
  }

  void addLocal(const std::string &name, uint64_t alignment, uint64_t size) {
    program->localBytes =
        align(program->localBytes, std::max<uint64_t>(alignment, 8));
    names.here().names[name] = symbol(Space::Local, program->localBytes);
    program->localBytes += size;
  }

  void addGlobal(const std::string &name, uint64_t size, uint32_t bytes) {
    // Extra memory for declarations without a size.
    const size_t all = std::max<uint64_t>(size, 16);
    char *memory = program->globals.emplace_back(all).data();
    names.here().names[name] =
        symbol(Space::Global, reinterpret_cast<uint64_t>(memory));
    if (!tokens.accept("="))
      return;
    if (!tokens.accept("{")) {
      writeValue(memory, bytes);
      return;
    }
    for (size_t i = 0; !tokens.accept("}"); ++i) {
      writeValue(memory + i * bytes, bytes);
      tokens.accept(",");
    }
  }

  void writeValue(char *memory, uint32_t bytes) {
    uint64_t value = 0;
    if (tokens.accept("generic")) {
      tokens.expect("(");
      value = lookUp(tokens.take().text).bits;
      tokens.expect(")");
    } else if (tokens.peek().kind == Token::Word) {
      value = lookUp(tokens.take().text).bits;
    } else {
      const bool isNegative = tokens.accept("-");
      value = tokens.takeNumber();
      if (isNegative)
        value = 0 - value;
    }
    std::memcpy(memory, &value, bytes);
  }

  const Operand &lookUp(const std::string &name) const {
    const Operand *found = names.find(name);
    if (!found)
      tokens.fail("unknown name '" + name + "'");
    return *found;
  }

  /// Parameters of a kernel are in the parameter space, others in local memory.
  std::vector<Parameter> parseParameters(bool isKernel, uint32_t &bytes) {
    std::vector<Parameter> made;
    if (!tokens.accept("("))
      return made;
    while (!tokens.accept(")")) {
      made.push_back(parseParameter(isKernel, bytes));
      tokens.accept(",");
    }
    return made;
  }

  Parameter parseParameter(bool isKernel, uint32_t &end) {
    uint64_t alignment = 1, count = 1;
    uint32_t bytes = 0;
    while (tokens.peek().kind == Token::Word && tokens.peek().text[0] == '.') {
      if (tokens.accept(".ptr")) {
        while (tokens.peek().is(".global") || tokens.peek().is(".shared") ||
               tokens.peek().is(".const") || tokens.peek().is(".local"))
          tokens.take();
        if (tokens.accept(".align"))
          tokens.takeNumber();
      } else if (tokens.accept(".align"))
        alignment = tokens.takeNumber();
      else
        bytes = std::max(bytes, bytesOf(tokens.take().text));
    }
    Parameter made;
    made.name = tokens.take().text;
    while (tokens.accept("[")) {
      if (!tokens.peek().is("]"))
        count *= tokens.takeNumber();
      tokens.expect("]");
    }
    made.bytes = static_cast<uint32_t>(bytes * count);
    if (isKernel) {
      made.offset = align(end, std::max<uint64_t>(alignment, bytes));
      end = made.offset + made.bytes;
      names.here().names[made.name] = symbol(Space::Parameter, made.offset);
    } else {
      addLocal(made.name, alignment, made.bytes);
      made.offset = static_cast<uint32_t>(names.here().names[made.name].bits);
    }
    return made;
  }

  void parseFunction(bool isKernel) {
    names.open();
    Function function;
    function.isKernel = isKernel;
    uint32_t ignored = 0;
    if (!isKernel && tokens.peek().is("("))
      function.results = parseParameters(false, ignored);
    tokens.accept(".noreturn");
    function.name = tokens.take().text;
    function.parameters = parseParameters(isKernel, function.parameterBytes);
    parseAttributes(function);
    function.entry = program->instructions.size();
    const bool isDeclared = tokens.accept(";") || isExternal;
    if (isDeclared)
      function.entry = SIZE_MAX;
    if (!program->functions.count(function.name) || !isDeclared)
      program->functions[function.name] = function;
    isExternal = false;
    if (!isDeclared) {
      tokens.expect("{");
      parseBody();
      // For text without a return at its end.
      Instruction last;
      last.words = {"ret"};
      program->instructions.push_back(last);
    }
    names.close();
  }

  void parseAttributes(Function &function) {
    while (!tokens.peek().is("{") && !tokens.peek().is(";")) {
      const std::string name = tokens.take().text;
      unsigned numbers[3] = {1, 1, 1};
      for (unsigned i = 0; i < 3 && tokens.peek().kind == Token::Number; ++i) {
        numbers[i] = static_cast<unsigned>(tokens.takeNumber());
        tokens.accept(",");
      }
      if (name == ".reqntid")
        std::copy_n(numbers, 3, function.requiredThreads);
      if (name == ".reqnctapercluster")
        std::copy_n(numbers, 3, function.cluster);
    }
  }

  /// Parses up to the closing brace.
  void parseBody() {
    while (!tokens.accept("}"))
      parseStatement();
  }

  void parseStatement() {
    const Token token = tokens.peek();
    if (token.kind == Token::SourceLine) {
      source = static_cast<unsigned>(std::stoul(tokens.take().text));
      return;
    }
    if (token.kind == Token::End)
      tokens.fail("the function does not end");
    if (tokens.accept(";"))
      return;
    if (tokens.accept("{")) {
      names.open();
      parseBody();
      names.close();
      return;
    }
    if (tokens.accept(".reg"))
      return parseRegisters();
    if (tokens.accept(".param")) {
      uint32_t ignored = 0;
      parseParameter(false, ignored);
      return tokens.expect(";");
    }
    if (token.is(".local") || token.is(".shared"))
      return parseVariable();
    if (tokens.accept(".pragma"))
      return tokens.skipUntil(";");
    if (tokens.peek(1).is(":")) {
      tokens.take();
      tokens.take();
      return parseLabel(token.text);
    }
    parseInstruction();
  }

  void parseLabel(const std::string &name) {
    if (!tokens.accept(".branchtargets")) {
      names.here().labels[name] = program->instructions.size();
      return;
    }
    do
      names.here().targets[name].push_back(tokens.take().text);
    while (tokens.accept(","));
    tokens.expect(";");
  }

  void parseRegisters() {
    const std::string type = tokens.take().text;
    const uint32_t bytes = bytesOf(type);
    if (!bytes || bytes > 8)
      tokens.fail("registers of type " + type);
    do {
      const std::string name = tokens.take().text;
      if (!tokens.accept("<")) {
        addRegister(name, bytes);
        continue;
      }
      const uint64_t count = tokens.takeNumber();
      tokens.expect(">");
      for (uint64_t i = 0; i < count; ++i)
        addRegister(name + std::to_string(i), bytes);
    } while (tokens.accept(","));
    tokens.expect(";");
  }

  void addRegister(const std::string &name, uint32_t bytes) {
    Operand made;
    made.kind = Operand::InRegister;
    made.reg.bytes = static_cast<uint8_t>(bytes);
    made.reg.offset = align(program->registerBytes, 8);
    program->registerBytes = made.reg.offset + bytes * kLanes;
    names.here().names[name] = made;
  }

  void parseInstruction() {
    Instruction made;
    made.line = tokens.peek().line;
    made.sourceLine = source;
    if (tokens.accept("@")) {
      made.isGuardNegated = tokens.accept("!");
      made.guard = lookUp(tokens.take().text).reg;
    }
    const std::string mnemonic = tokens.take().text;
    for (size_t at = 0; at <= mnemonic.size();) {
      const size_t dot = std::min(mnemonic.find('.', at), mnemonic.size());
      made.words.push_back(mnemonic.substr(at, dot - at));
      at = dot + 1;
    }
    while (!tokens.accept(";")) {
      made.operands.push_back(operands.read());
      tokens.accept(",");
    }
    for (Operand &operand : made.operands)
      if (operand.isDecimal && made.words.back() == "f32")
        operand.bits =
            toBits(static_cast<float>(fromBits<double>(operand.bits)));
    program->instructions.push_back(std::move(made));
  }

  TokenReader tokens;
  Names names;
  OperandReader operands;
  std::unique_ptr<Program> program;
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
