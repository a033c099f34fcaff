#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/bit.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_CHECKREGISTERS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Of a multiprocessor, which a program may have all of, and of a thread.
static constexpr int64_t kRegisterFile = 65536, kMostRegisters = 255;

/// The 32-bit registers of a thread that a tile takes. Tiles of integers and
/// pointers count nothing: often they are computed anew from a few numbers.
static int64_t countRegisters(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  std::optional<LinearLayout> layout = warp::getLayout(type);
  if (!tile || !layout || !isa<FloatType>(tile.getElementType()))
    return 0;
  // Copies of an element in one thread are one register.
  unsigned bits = layout->getInBits(LayoutAxis::Register) -
                  llvm::popcount(layout->getFreeBits(LayoutAxis::Register));
  return ((int64_t(tile.getElementTypeBitWidth()) << bits) + 31) / 32;
}

/// What the tiles that `loop` carries take: all of them, all the time.
static int64_t countCarried(LoopLikeOpInterface loop) {
  int64_t registers = 0;
  for (BlockArgument value : loop.getRegionIterArgs())
    registers += countRegisters(value.getType());
  return registers;
}

/// The registers that a thread of the role around `op` has; none where no role
/// asks for its own.
static std::optional<int64_t> getBudget(Operation *op) {
  auto roles = op->getParentOfType<warp::SpecializeOp>();
  if (!roles || !roles.getRegisters() || roles.getRegisters()->empty())
    return std::nullopt;
  for (auto [role, registers] :
       llvm::zip(roles.getRoles(), *roles.getRegisters()))
    if (role.isAncestor(op->getParentRegion()))
      return registers;
  return std::nullopt;
}

/// The registers that each thread of `function` has at most.
static int64_t getLimit(FunctionOpInterface function, int64_t asked) {
  using warp::WarpDialect;
  auto warps =
      function->getAttrOfType<IntegerAttr>(WarpDialect::kBlockWarpsAttr);
  if (!warps)
    warps = function->getAttrOfType<IntegerAttr>(WarpDialect::kNumWarpsAttr);
  int64_t limit = asked ? asked : kMostRegisters;
  if (!warps)
    return limit;
  constexpr int64_t kLanes = 32, kGranularity = 8;
  int64_t share = kRegisterFile / (kLanes * warps.getInt());
  return std::min(limit, share / kGranularity * kGranularity);
}

static LogicalResult check(LoopLikeOpInterface loop, int64_t limit,
                           bool refuse) {
  limit = getBudget(loop).value_or(limit);
  int64_t carried = countCarried(loop);
  if (carried <= limit)
    return success();
  if (refuse)
    return loop.emitError("the tiles that this loop carries take ")
           << carried << " registers of a thread, which has " << limit
           << "; use smaller tiles or more warps";
  constexpr auto kRemark =
      remark::RemarkOpts::name("Registers").category("warp-check-registers");
  remark::missed(loop.getLoc(), kRemark)
      << remark::add("the tiles that this loop carries take {0} registers of a "
                     "thread, which has {1}: they are spilled to memory",
                     carried, limit)
      << remark::metric("Registers", carried) << remark::metric("Limit", limit);
  return success();
}

namespace {
struct CheckRegisters : warp::impl::CheckRegistersBase<CheckRegisters> {
  using CheckRegistersBase::CheckRegistersBase;

  void runOnOperation() override {
    if (!refuse && !getContext().getRemarkEngine())
      return;
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      const int64_t limit = getLimit(function, most);
      WalkResult result = function.walk([&](LoopLikeOpInterface loop) {
        return WalkResult(check(loop, limit, refuse));
      });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
