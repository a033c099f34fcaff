// Splits PTX into tokens.
#ifndef TILEWRIGHT_TEST_EMULATOR_LEXER_H
#define TILEWRIGHT_TEST_EMULATOR_LEXER_H

#include <string>
#include <string_view>
#include <vector>

namespace emulator {

struct Token {
  enum Kind { Word, Number, Text, Mark, SourceLine, End };
  Kind kind = End;
  std::string text;
  unsigned line = 0;

  bool is(std::string_view wanted) const {
    return kind != Text && text == wanted;
  }
};

/// Skips comments and directives that only describe the module.
std::vector<Token> split(const std::string &text);

} // namespace emulator

#endif // TILEWRIGHT_TEST_EMULATOR_LEXER_H
