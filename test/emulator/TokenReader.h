// Reads the tokens of PTX in order.
#ifndef TILEWRIGHT_TEST_EMULATOR_TOKENREADER_H
#define TILEWRIGHT_TEST_EMULATOR_TOKENREADER_H

#include "test/emulator/Lexer.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace emulator {

class TokenReader {
public:
  explicit TokenReader(const std::string &text) : tokens(split(text)) {}

  /// Throws a Failure with the line.
  [[noreturn]] void fail(const std::string &problem) const;

  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(position + ahead, tokens.size() - 1)];
  }
  Token take() { return tokens[position++]; }
  /// Takes the next token if it is `text`.
  bool accept(std::string_view text);
  void expect(std::string_view text);
  /// Skips tokens up to and including the next `text`.
  void skipUntil(std::string_view text);
  /// Returns the bits of the number.
  uint64_t takeNumber();

private:
  std::vector<Token> tokens;
  size_t position = 0;
};

} // namespace emulator

#endif // TILEWRIGHT_TEST_EMULATOR_TOKENREADER_H
