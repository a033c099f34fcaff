#include "compiler/SourceLines.h"

#include "lib/Analysis/Facts/SourceFrames.h"

using namespace mlir;
using namespace tilewright;

llvm::json::Array tilewright::getFrames(Location loc) {
  llvm::json::Array frames;
  for (const SourceFrame &frame : getSourceFrames(loc))
    frames.push_back(llvm::json::Array{frame.range.getFilename().str(),
                                       frame.range.getStartLine(),
                                       frame.range.getStartColumn()});
  return frames;
}

llvm::json::Array tilewright::getRanges(Location loc) {
  llvm::json::Array ranges;
  for (auto [range, function] : getSourceFrames(loc))
    ranges.push_back(llvm::json::Object{
        {"file", llvm::json::fixUTF8(range.getFilename().getValue())},
        {"line", range.getStartLine()},
        {"column", range.getStartColumn()},
        {"end_line", range.getEndLine()},
        {"end_column", range.getEndColumn()},
        {"function",
         function ? llvm::json::fixUTF8(function.getValue()) : ""}});
  return ranges;
}

llvm::json::Array
tilewright::getSourceLines(const AsmState::LocationMap &locations) {
  llvm::json::Array lines;
  for (auto [op, position] : locations)
    if (llvm::json::Array frames = getFrames(op->getLoc()); !frames.empty())
      lines.push_back(llvm::json::Array{position.first, std::move(frames)});
  return lines;
}
