#include "test/emulator/TokenReader.h"

#include "test/emulator/Program.h"

#include <cstring>

namespace emulator {

void TokenReader::fail(const std::string &problem) const {
  throw Failure("line " + std::to_string(peek().line) +
                " of the PTX: " + problem + " at '" + peek().text + "'");
}

bool TokenReader::accept(std::string_view text) {
  if (!peek().is(text))
    return false;
  ++position;
  return true;
}

void TokenReader::expect(std::string_view text) {
  if (!accept(text))
    fail("expected '" + std::string(text) + "'");
}

void TokenReader::skipUntil(std::string_view text) {
  while (!accept(text))
    ++position;
}

static uint64_t numberOf(const std::string &text) {
  if (text.size() > 2 && text[0] == '0' && std::strchr("fFdD", text[1]))
    return std::strtoull(text.c_str() + 2, nullptr, 16);
  if (text.size() > 2 && text[0] == '0' && std::strchr("bB", text[1]))
    return std::strtoull(text.c_str() + 2, nullptr, 2);
  return std::strtoull(text.c_str(), nullptr, 0);
}

uint64_t TokenReader::takeNumber() {
  if (peek().kind != Token::Number)
    fail("expected a number");
  return numberOf(take().text);
}

} // namespace emulator
