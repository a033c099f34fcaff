#include "compiler/SourceLines.h"

using namespace mlir;

/// Appends the files and lines of `loc`, the innermost call first.
static void appendFrames(LocationAttr loc, llvm::json::Array &frames) {
  if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    frames.push_back(llvm::json::Array{file.getFilename().str(), file.getLine(),
                                       file.getColumn()});
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    appendFrames(call.getCallee(), frames);
    appendFrames(call.getCaller(), frames);
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    appendFrames(name.getChildLoc(), frames);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    // Ops merged by a fold have several locations: uses the first.
    for (Location part : fused.getLocations()) {
      size_t before = frames.size();
      appendFrames(part, frames);
      if (frames.size() != before)
        return;
    }
  }
}

llvm::json::Array tilewright::getFrames(Location loc) {
  llvm::json::Array frames;
  appendFrames(loc, frames);
  return frames;
}

llvm::json::Array
tilewright::getSourceLines(const AsmState::LocationMap &locations) {
  llvm::json::Array lines;
  for (auto [op, position] : locations)
    if (llvm::json::Array frames = getFrames(op->getLoc()); !frames.empty())
      lines.push_back(llvm::json::Array{position.first, std::move(frames)});
  return lines;
}
