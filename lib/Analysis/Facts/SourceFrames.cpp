#include "lib/Analysis/Facts/SourceFrames.h"

using namespace mlir;
using namespace tilewright;

Location SourceFrame::getLoc() const {
  return function ? Location(NameLoc::get(function, range)) : Location(range);
}

/// Appends the frames of `loc`, an expression in `function` if that is known.
static void appendFrames(LocationAttr loc, StringAttr function,
                         SmallVectorImpl<SourceFrame> &frames) {
  if (auto range = dyn_cast<FileLineColRange>(loc)) {
    frames.push_back({range, function});
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    appendFrames(call.getCallee(), function, frames);
    appendFrames(call.getCaller(), {}, frames);
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    appendFrames(name.getChildLoc(), name.getName(), frames);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations()) {
      size_t before = frames.size();
      appendFrames(part, function, frames);
      if (frames.size() != before)
        return;
    }
  }
}

SmallVector<SourceFrame> tilewright::getSourceFrames(Location loc) {
  SmallVector<SourceFrame> frames;
  appendFrames(loc, {}, frames);
  return frames;
}
