// Estimates of the registers of threads and the demand of tiles.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_REGISTERS_REGISTERUSE_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_REGISTERS_REGISTERUSE_H

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <algorithm>

namespace tilewright::warp {

/// Returns the 32-bit registers of a thread that a tile takes. Tiles of
/// integers and pointers count zero, because they are often recomputed from few
/// scalars.
inline int64_t countRegisters(mlir::Type type) {
  auto tile = mlir::dyn_cast<mlir::RankedTensorType>(type);
  std::optional<LinearLayout> layout = getLayout(type);
  if (!tile || !layout || !mlir::isa<mlir::FloatType>(tile.getElementType()))
    return 0;
  // Copies of an element in one thread share a register.
  unsigned bits = layout->countTellingBits(LayoutAxis::Register);
  return ((int64_t(tile.getElementTypeBitWidth()) << bits) + 31) / 32;
}

/// Returns the registers of a thread that a live tile or scalar of `type`
/// takes, for any element type.
inline int64_t countHeld(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  std::optional<LinearLayout> layout = getLayout(type);
  int64_t count = layout ? layout->getInSize(LayoutAxis::Register) : 1;
  return llvm::divideCeil(bits * count, 32);
}

/// Returns the registers of the tiles that `loop` carries, all of which are
/// live throughout.
inline int64_t countCarried(mlir::LoopLikeOpInterface loop) {
  int64_t registers = 0;
  for (mlir::BlockArgument value : loop.getRegionIterArgs())
    registers += countRegisters(value.getType());
  return registers;
}

/// Returns the peak of registers of live tiles in the body of `loop`. Carried
/// tiles and those from before the loop are live throughout. Others are live
/// from their definition to their last use.
int64_t countPeakRegisters(mlir::LoopLikeOpInterface loop);

/// Returns the first op of the block of `op` that uses it or contains a use;
/// null if there is none.
mlir::Operation *findFirstUser(mlir::Operation *op);

/// Returns the registers per thread of the role around `op`, if roles set them.
inline std::optional<int64_t> getRegisterBudget(mlir::Operation *op) {
  auto roles = op->getParentOfType<SpecializeOp>();
  if (!roles || !roles.getRegisters() || roles.getRegisters()->empty())
    return std::nullopt;
  for (auto [role, registers] :
       llvm::zip(roles.getRoles(), *roles.getRegisters()))
    if (role.isAncestor(op->getParentRegion()))
      return registers;
  return std::nullopt;
}

/// Returns the warps of a CTA of `function` in all roles together; null if no
/// attribute gives them.
inline mlir::IntegerAttr getBlockWarps(mlir::FunctionOpInterface function) {
  auto warps =
      function->getAttrOfType<mlir::IntegerAttr>(WarpDialect::kBlockWarpsAttr);
  return warps ? warps
               : function->getAttrOfType<mlir::IntegerAttr>(
                     WarpDialect::kNumWarpsAttr);
}

/// Returns the maximum registers per thread of `function`. `requested` is the
/// limit that the kernel sets, or 0.
inline int64_t getRegisterLimit(mlir::FunctionOpInterface function,
                                int64_t requested) {
  mlir::IntegerAttr warps = getBlockWarps(function);
  int64_t registers =
      Occupancy().getRegisters(/*numCtas=*/1, warps ? warps.getInt() : 1);
  return requested ? std::min(requested, registers) : registers;
}

/// Whether a thread of the role around `op` has registers for `accumulators`
/// registers of one wgmma instruction and for the needs of assemblers.
/// `requested` is the limit that the kernel sets, or 0.
inline bool hasRegistersFor(mlir::Operation *op, int64_t accumulators,
                            int64_t requested) {
  std::optional<int64_t> limit = getRegisterBudget(op);
  if (!limit)
    limit = getRegisterLimit(op->getParentOfType<mlir::FunctionOpInterface>(),
                             requested);
  return accumulators + OccupancyParameters::kNonTileRegisters <= *limit;
}

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_REGISTERS_REGISTERUSE_H
