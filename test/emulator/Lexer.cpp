#include "test/emulator/Lexer.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

namespace emulator {

namespace {
class Lexer {
public:
  explicit Lexer(const std::string &text) : at(text.c_str()) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    do
      tokens.push_back(next());
    while (tokens.back().kind != Token::End);
    return tokens;
  }

private:
  static bool isOfWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::strchr("_$%.", c);
  }

  void skipBlank() {
    for (;; ++at) {
      if (*at == '\n')
        ++line;
      else if (at[0] == '/' && at[1] == '/')
        at = std::strchr(at, '\n') - 1;
      else if (at[0] == '/' && at[1] == '*') {
        for (at += 2; at[0] != '*' || at[1] != '/'; ++at)
          line += *at == '\n';
        ++at;
      } else if (!*at || !std::isspace(static_cast<unsigned char>(*at)))
        return;
    }
  }

  std::string restOfLine() {
    const char *begin = at;
    while (*at && *at != '\n')
      ++at;
    return {begin, at};
  }

  Token next() {
    skipBlank();
    Token token;
    token.line = line;
    if (!*at)
      return token;
    const char *begin = at;
    if (*at == '"') {
      for (++at; *at != '"'; ++at)
        ;
      token.kind = Token::Text;
      token.text.assign(begin + 1, at++);
      return token;
    }
    if (!isOfWord(*at)) {
      token.kind = Token::Mark;
      token.text.assign(1, *at++);
      return token;
    }
    const bool isNumber = std::isdigit(static_cast<unsigned char>(*at));
    while (*at && (isOfWord(*at) || (at[0] == ':' && at[1] == ':') ||
                   (at[0] == ':' && at > begin && at[-1] == ':')))
      ++at;
    token.kind = isNumber ? Token::Number : Token::Word;
    token.text.assign(begin, at);
    if (token.text == ".loc")
      return sourceLine(token);
    if (token.text == ".file" || token.text == ".version" ||
        token.text == ".target" || token.text == ".address_size") {
      restOfLine();
      return next();
    }
    if (token.text == ".section") {
      while (*at != '}')
        line += *at++ == '\n';
      ++at;
      return next();
    }
    return token;
  }

  /// Reads the line of the user's source for the next instructions.
  Token sourceLine(Token token) {
    const std::string rest = restOfLine();
    char *end = nullptr;
    std::strtoul(rest.c_str(), &end, 10);
    token.kind = Token::SourceLine;
    token.text = std::to_string(std::strtoul(end, nullptr, 10));
    return token;
  }

  const char *at;
  unsigned line = 1;
};
} // namespace

std::vector<Token> split(const std::string &text) { return Lexer(text).run(); }

} // namespace emulator
