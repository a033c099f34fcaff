#include "test/emulator/OperandReader.h"

#include "test/emulator/Values.h"

namespace emulator {

Operand OperandReader::read() {
  Operand made = readPlain();
  if (tokens.accept("|")) {
    Operand pair;
    pair.kind = Operand::Pair;
    pair.parts = {made, readPlain()};
    return pair;
  }
  // A symbol plus an offset.
  if (tokens.peek().is("+") && made.kind == Operand::Symbol) {
    tokens.take();
    made.bits += tokens.takeNumber();
  }
  return made;
}

Operand OperandReader::readPlain() {
  if (tokens.accept("["))
    return readAddress();
  if (tokens.peek().is("{") || tokens.peek().is("(")) {
    const std::string_view end = tokens.take().is("{") ? "}" : ")";
    Operand made;
    made.kind = Operand::Vector;
    while (!tokens.accept(end)) {
      made.parts.push_back(readPlain());
      tokens.accept(",");
    }
    return made;
  }
  if (tokens.accept("!")) {
    Operand made = readPlain();
    made.isNegated = true;
    return made;
  }
  const bool isNegative = tokens.accept("-");
  if (isNegative || tokens.peek().kind == Token::Number) {
    return readNumber(isNegative);
  }
  return names.operandOf(tokens.take().text);
}

Operand OperandReader::readNumber(bool isNegative) {
  Operand made;
  made.kind = Operand::Immediate;
  made.text = tokens.peek().text;
  made.isDecimal = made.text.find('.') != std::string::npos;
  if (made.isDecimal) {
    const double value = std::strtod(tokens.take().text.c_str(), nullptr);
    made.bits = toBits(isNegative ? -value : value);
    return made;
  }
  made.bits = tokens.takeNumber();
  if (isNegative)
    made.bits = 0 - made.bits;
  return made;
}

Operand OperandReader::readAddress() {
  Operand made;
  made.kind = Operand::Address;
  made.parts.push_back(readPlain());
  while (tokens.peek().is("+") || tokens.peek().is("-")) {
    const bool isNegative = tokens.take().is("-") || tokens.accept("-");
    const uint64_t offset = tokens.takeNumber();
    made.bits += isNegative ? 0 - offset : offset;
  }
  if (tokens.accept(","))
    made.parts.push_back(readPlain());
  tokens.expect("]");
  return made;
}

} // namespace emulator
