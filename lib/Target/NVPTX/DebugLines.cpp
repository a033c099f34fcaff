#include "lib/Target/NVPTX/DebugLines.h"

#include "lib/Analysis/Facts/SourceFrames.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tilewright;

namespace {
/// A position in the source, as debug lines have it.
struct Position {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};
} // namespace

/// Whether the innermost frames are at `positions`.
static bool areAt(ArrayRef<SourceFrame> frames, ArrayRef<Position> positions) {
  if (frames.size() < positions.size())
    return false;
  for (auto [frame, position] : llvm::zip(frames, positions))
    if (frame.range.getStartLine() != position.line ||
        frame.range.getStartColumn() != position.column ||
        frame.range.getFilename() != position.file)
      return false;
  return true;
}

static bool endsBefore(FileLineColRange a, FileLineColRange b) {
  return std::pair(a.getEndLine(), a.getEndColumn()) <
         std::pair(b.getEndLine(), b.getEndColumn());
}

/// Returns the location of an op whose innermost frames are at `positions`;
/// null if there is none. An op that `isPreferred` comes first, then the widest
/// expression, which contains the others.
static LocationAttr findLoc(ModuleOp module, ArrayRef<Position> positions,
                            llvm::function_ref<bool(Operation *)> isPreferred) {
  LocationAttr found;
  FileLineColRange widest;
  module.walk([&](Operation *op) {
    SmallVector<SourceFrame> frames = getSourceFrames(op->getLoc());
    if (!areAt(frames, positions))
      return WalkResult::advance();
    const bool isFinal = isPreferred(op);
    if (isFinal || !widest || endsBefore(widest, frames.front().range)) {
      found = op->getLoc();
      widest = frames.front().range;
    }
    return isFinal ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

//===----------------------------------------------------------------------===//
// LLVM IR
//===----------------------------------------------------------------------===//

Location tilewright::getSourceLoc(ModuleOp module,
                                  const llvm::DILocation *debug) {
  SmallVector<Position> positions;
  for (; debug; debug = debug->getInlinedAt()) {
    llvm::SmallString<128> path = debug->getDirectory();
    llvm::sys::path::append(path, debug->getFilename());
    positions.push_back(
        {path.str().str(), debug->getLine(), debug->getColumn()});
  }
  if (positions.empty())
    return module.getLoc();
  if (LocationAttr found =
          findLoc(module, positions, [](Operation *) { return false; }))
    return found;
  std::optional<Location> chain;
  for (const Position &position : llvm::reverse(positions)) {
    Location loc = FileLineColLoc::get(module.getContext(), position.file,
                                       position.line, position.column);
    chain = chain ? Location(CallSiteLoc::get(loc, *chain)) : loc;
  }
  return *chain;
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

/// Returns the string literal at the start of `text` without its escapes.
static std::string parseQuoted(StringRef text) {
  std::string value;
  if (!text.consume_front("\""))
    return value;
  while (!text.empty() && text.front() != '"') {
    char character = text.front();
    text = text.drop_front();
    if (character == '\\') {
      static constexpr size_t kOctalDigits = 3;
      unsigned code = 0;
      if (!text.take_front(kOctalDigits).getAsInteger(8, code)) {
        character = static_cast<char>(code);
        text = text.drop_front(kOctalDigits);
      } else if (!text.empty()) {
        character = text.front() == 'n' ? '\n' : text.front();
        text = text.drop_front();
      }
    }
    value.push_back(character);
  }
  return value;
}

/// Returns the file with the number `index` of the `.file` directives.
static std::string findFile(ArrayRef<StringRef> lines, unsigned index) {
  // LLVM writes them at the end.
  for (StringRef line : llvm::reverse(lines)) {
    unsigned number = 0;
    line = line.ltrim();
    if (line.consume_front(".file") && !line.ltrim().empty() &&
        !(line = line.ltrim()).consumeInteger(10, number) && number == index)
      return parseQuoted(line.ltrim());
  }
  return "";
}

/// Returns the position of the last `.loc` directive before `lines[at]`.
static std::optional<Position> findPosition(ArrayRef<StringRef> lines,
                                            size_t at) {
  for (StringRef line : llvm::reverse(lines.take_front(at))) {
    line = line.ltrim();
    if (!line.consume_front(".loc"))
      continue;
    unsigned file = 0;
    Position position;
    for (unsigned *number : {&file, &position.line, &position.column})
      if ((line = line.ltrim()).consumeInteger(10, *number))
        return std::nullopt;
    position.file = findFile(lines, file);
    return position;
  }
  return std::nullopt;
}

/// Returns the text between the markers of inline assembly around `lines[at]`;
/// empty if the line is not inline assembly.
static std::string getInlineAsm(ArrayRef<StringRef> lines, size_t at) {
  auto isMarker = [](StringRef line, StringRef which) {
    return line.trim() == ("// " + which + " inline asm").str();
  };
  size_t begin = at;
  while (begin > 0 && !isMarker(lines[begin - 1], "begin"))
    if (isMarker(lines[--begin], "end"))
      return "";
  if (begin == 0)
    return "";
  size_t end = at;
  while (end < lines.size() && !isMarker(lines[end], "end"))
    ++end;
  return llvm::join(lines.slice(begin, end - begin), "\n");
}

/// Returns the pieces of the template `assembly` between its operands, which
/// are `$0` or `${0:b}`.
static SmallVector<StringRef> splitAtOperands(StringRef assembly) {
  SmallVector<StringRef> pieces;
  while (true) {
    StringRef piece = assembly.take_until([](char c) { return c == '$'; });
    pieces.push_back(piece);
    assembly = assembly.drop_front(piece.size());
    if (!assembly.consume_front("$"))
      return pieces;
    if (assembly.consume_front("{"))
      assembly = assembly.split('}').second;
    else
      assembly = assembly.drop_while(llvm::isDigit);
  }
}

/// Whether `text` is the template `assembly` with operands filled in: it begins
/// and ends as the template does, and has the other pieces in order.
static bool isFilledIn(StringRef assembly, StringRef text) {
  SmallVector<StringRef> pieces = splitAtOperands(assembly.trim());
  text = text.trim();
  if (pieces.size() == 1)
    return text == pieces.front();
  if (!text.consume_front(pieces.front()) || !text.consume_back(pieces.back()))
    return false;
  for (StringRef piece : ArrayRef(pieces).drop_front().drop_back()) {
    const size_t at = text.find(piece);
    if (at == StringRef::npos)
      return false;
    text = text.drop_front(at + piece.size());
  }
  return true;
}

/// Returns the lines of PTX that errors in `log` name, from 1: "ptxas
/// kernel.ptx, line 28; error   : ...".
static SmallVector<unsigned> findErrorLines(StringRef log) {
  SmallVector<unsigned> numbers;
  SmallVector<StringRef> lines;
  log.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    auto [before, after] = line.split(", line ");
    unsigned number = 0;
    if (line.starts_with("ptxas") && !after.consumeInteger(10, number) &&
        number != 0 && after.ltrim("; ").starts_with("error"))
      numbers.push_back(number);
  }
  return numbers;
}

LocationAttr tilewright::findRefusedLoc(ModuleOp module, StringRef ptx,
                                        StringRef log) {
  SmallVector<StringRef> lines;
  ptx.split(lines, '\n');
  for (unsigned number : findErrorLines(log)) {
    if (number > lines.size())
      continue;
    std::optional<Position> position = findPosition(lines, number - 1);
    if (!position)
      continue;
    const std::string text = getInlineAsm(lines, number - 1);
    auto isRefused = [&](Operation *op) {
      auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
      return assembly && !text.empty() &&
             isFilledIn(assembly.getAsmString(), text);
    };
    if (LocationAttr loc = findLoc(module, *position, isRefused))
      return loc;
  }
  return {};
}
