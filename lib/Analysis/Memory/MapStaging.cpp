#include "lib/Analysis/Memory/MapStaging.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/HostValues.h"
#include "lib/Layout/WgmmaTiling.h"

using namespace mlir;
using namespace tilewright;

int64_t tilewright::getMapStagingBytes(tile::FuncOp func) {
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
  int64_t warps = numWarps.getInt() + kWarpsPerGroup;
  func.walk([&](warp::SpecializeOp roles) {
    warps = roles.getFirstWarp(roles.getWarps().size());
  });
  // A power of two, as the dimensions of layouts are.
  return llvm::PowerOf2Ceil(warps * warp::MapMemoryType::kMapBytes);
}
