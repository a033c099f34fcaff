#include "lib/Analysis/MapMemory.h"

#include "dialect/Warp/WarpDialect.h"
#include "lib/Analysis/HostValues.h"

using namespace mlir;
using namespace tilewright;

int64_t tilewright::getMapStagingBytes(tile::FuncOp func) {
  constexpr int64_t kGroupWarps = 4;
  bool makesMaps = func.walk([](tile::MakeDescriptorOp desc) {
                         return isHostKnown(desc) ? WalkResult::advance()
                                                  : WalkResult::interrupt();
                       })
                       .wasInterrupted();
  auto numWarps =
      func->getAttrOfType<IntegerAttr>(warp::WarpDialect::kNumWarpsAttr);
  if (!makesMaps || !numWarps)
    return 0;
  int64_t groups = llvm::divideCeil(numWarps.getInt(), kGroupWarps) + 1;
  // A power of two, as the sides of layouts are.
  return llvm::PowerOf2Ceil(groups * warp::MapMemoryType::kMapBytes);
}
