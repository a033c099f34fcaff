// The registers that threads have, and those that tiles take.

#pragma once

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Target/RegisterFile.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <algorithm>

namespace tilewright::warp {

/// What assemblers want beside the registers of tiles.
inline constexpr int64_t kBesideTiles = 26;

/// The 32-bit registers of a thread that a tile takes. Tiles of integers and
/// pointers count nothing: often they are computed anew from a few numbers.
inline int64_t countRegisters(mlir::Type type) {
  auto tile = mlir::dyn_cast<mlir::RankedTensorType>(type);
  std::optional<LinearLayout> layout = getLayout(type);
  if (!tile || !layout || !mlir::isa<mlir::FloatType>(tile.getElementType()))
    return 0;
  // Copies of an element in one thread are one register.
  unsigned bits = layout->countTellingBits(LayoutAxis::Register);
  return ((int64_t(tile.getElementTypeBitWidth()) << bits) + 31) / 32;
}

/// The registers of a thread that a tile or a number of `type` takes while it
/// is held, whatever its elements are.
inline int64_t countHeld(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  std::optional<LinearLayout> layout = getLayout(type);
  int64_t count = layout ? layout->getInSize(LayoutAxis::Register) : 1;
  return llvm::divideCeil(bits * count, 32);
}

/// What the tiles that `loop` carries take: all of them, all the time.
inline int64_t countCarried(mlir::LoopLikeOpInterface loop) {
  int64_t registers = 0;
  for (mlir::BlockArgument value : loop.getRegionIterArgs())
    registers += countRegisters(value.getType());
  return registers;
}

/// The most registers that tiles take at once in the body of `loop`: what it
/// carries and what it uses from before it all the time, the rest from where it
/// is computed to its last use.
int64_t countMostHeld(mlir::LoopLikeOpInterface loop);

/// The first op of the block of `op` that uses it, itself or in its regions;
/// null for none.
mlir::Operation *findFirstUser(mlir::Operation *op);

/// The registers that a thread of the role around `op` has; none where no role
/// asks for its own.
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

/// The warps of a program of `function`, those of all its roles together; null
/// where nothing says.
inline mlir::IntegerAttr getBlockWarps(mlir::FunctionOpInterface function) {
  auto warps =
      function->getAttrOfType<mlir::IntegerAttr>(WarpDialect::kBlockWarpsAttr);
  return warps ? warps
               : function->getAttrOfType<mlir::IntegerAttr>(
                     WarpDialect::kNumWarpsAttr);
}

/// The registers that each thread of `function` has at most; `asked` is what
/// the kernel asks for, or 0.
inline int64_t getRegisterLimit(mlir::FunctionOpInterface function,
                                int64_t asked) {
  mlir::IntegerAttr warps = getBlockWarps(function);
  return std::min(asked ? asked : RegisterFile::kOfThread,
                  getRegisterShare(warps ? warps.getInt() : 1));
}

/// Whether each thread of the role around `op` has registers for so many sums,
/// which an instruction of `warp.wgmma` has at once, and for what assemblers
/// want beside them; `asked` is what the kernel asks for, or 0.
inline bool hasRegistersFor(mlir::Operation *op, int64_t sums, int64_t asked) {
  std::optional<int64_t> limit = getRegisterBudget(op);
  if (!limit)
    limit = getRegisterLimit(op->getParentOfType<mlir::FunctionOpInterface>(),
                             asked);
  return sums + kBesideTiles <= *limit;
}

} // namespace tilewright::warp
