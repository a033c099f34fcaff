#include "lib/Analysis/Memory/MapStaging.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/HostValues.h"

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
  // Before roles exist, assume the computing warps and a producer warpgroup.
  int64_t warps = numWarps.getInt() + kGroupWarps;
  func.walk([&](warp::SpecializeOp roles) {
    warps = roles.getFirstWarp(roles.getWarps().size());
  });
  // A power of two, as the dimensions of layouts are.
  return llvm::PowerOf2Ceil(warps * warp::MapMemoryType::kMapBytes);
}
