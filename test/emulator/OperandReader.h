// Reads operands of PTX instructions.
#ifndef TILEWRIGHT_TEST_EMULATOR_OPERANDREADER_H
#define TILEWRIGHT_TEST_EMULATOR_OPERANDREADER_H

#include "test/emulator/Names.h"
#include "test/emulator/TokenReader.h"

namespace emulator {

class OperandReader {
public:
  OperandReader(TokenReader &tokens, Names &names)
      : tokens(tokens), names(names) {}

  /// `%a`, `%p|%q`, `memory+16`, `{%a, %b}`, `[%x+4]`, `-1.5`.
  Operand read();

private:
  Operand readPlain();
  Operand readNumber(bool isNegative);
  Operand readAddress();

  TokenReader &tokens;
  Names &names;
};

} // namespace emulator

#endif // TILEWRIGHT_TEST_EMULATOR_OPERANDREADER_H
