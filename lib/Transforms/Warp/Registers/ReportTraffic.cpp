#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/AxisInfo.h"
#include "lib/Analysis/Memory/AccessWidths.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Layout/LayoutConversion.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_REPORTTRAFFIC
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

static constexpr const char *kPass = "warp-report-traffic";

/// Reports an access of `op` to `pointers`, `width` elements at once.
static void reportAccess(Operation *op, Value pointers, int64_t width) {
  constexpr auto kRemark = remark::RemarkOpts::name("Access").category(kPass);
  constexpr int64_t kMostBytes = 16;
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  std::optional<LinearLayout> layout = warp::getLayout(pointers.getType());
  if (!type || !layout)
    return;
  Type element = cast<tile::PtrType>(type.getElementType()).getPointee();
  int64_t bytes = warp::getElementBytes(element);
  int64_t most = std::min<int64_t>(
      bytes * layout->getInSize(LayoutAxis::Register), kMostBytes);
  const char *verb = isa<tile::LoadOp>(op) ? "loads" : "stores";
  if (width * bytes >= most)
    remark::analysis(op->getLoc(), kRemark)
        << remark::add("{0} {1} bytes at a time", verb, width * bytes)
        << remark::metric("Bytes", width * bytes);
  else
    remark::missed(op->getLoc(), kRemark)
        << remark::add("{0} {1} bytes at a time, not {2}: more addresses are "
                       "not known to be consecutive, aligned, and under one "
                       "mask bit",
                       verb, width * bytes, most)
        << remark::metric("Bytes", width * bytes);
}

static void reportConversion(warp::ConvertLayoutOp convert) {
  constexpr auto kRemark =
      remark::RemarkOpts::name("LayoutConversion").category(kPass);
  RankedTensorType from = convert.getSource().getType();
  switch (chooseConversion(*warp::getLayout(from),
                           *warp::getLayout(convert.getType()),
                           warp::getElementBytes(from.getElementType()))) {
  case ConversionKind::None:
  case ConversionKind::Registers:
    return;
  case ConversionKind::Shuffle:
    remark::analysis(convert.getLoc(), kRemark)
        << remark::add("a tile of {0} elements changes its layout by shuffles",
                       from.getNumElements());
    return;
  case ConversionKind::SharedMemory:
    remark::analysis(convert.getLoc(), kRemark)
        << remark::add("a tile of {0} elements changes its layout through {1} "
                       "bytes of shared memory",
                       from.getNumElements(), getSharedBytes(convert));
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// The work of one iteration of a loop, without inner loops.
struct Work {
  int64_t operations = 0, loadedBytes = 0;
  /// The element bits of the dot operands.
  unsigned operandBits = 0;

  void addDot(Value lhs, RankedTensorType result);
  void add(Operation *op);
};
} // namespace

void Work::addDot(Value lhs, RankedTensorType result) {
  auto add = [&](ArrayRef<int64_t> shape, Type element) {
    operations += 2 * result.getNumElements() * shape.back();
    operandBits = 8 * warp::getElementBytes(element);
  };
  if (auto memory = dyn_cast<warp::SharedType>(lhs.getType()))
    add(memory.getShape(), memory.getElementType());
  else if (auto tile = dyn_cast<RankedTensorType>(lhs.getType()))
    add(tile.getShape(), tile.getElementType());
}

void Work::add(Operation *op) {
  if (auto wgmma = dyn_cast<warp::WgmmaOp>(op)) {
    for (Value acc : wgmma.getAcc())
      addDot(wgmma.getA(), cast<RankedTensorType>(acc.getType()));
  } else if (auto mma = dyn_cast<warp::MmaOp>(op))
    addDot(mma.getA(), mma.getType());
  else if (auto load = dyn_cast<warp::TmaLoadOp>(op))
    loadedBytes += load.getMemory().getType().getSizeInBytes();
  else if (auto copy = dyn_cast<warp::AsyncCopyOp>(op))
    loadedBytes += copy.getMemory().getType().getSizeInBytes();
  else if (auto load = dyn_cast<tile::LoadOp>(op))
    if (auto type = dyn_cast<RankedTensorType>(load.getType()))
      loadedBytes +=
          type.getNumElements() * warp::getElementBytes(type.getElementType());
}

static void reportLoop(scf::ForOp loop) {
  Work work;
  loop.getBody()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<LoopLikeOpInterface>(op))
      return WalkResult::skip();
    work.add(op);
    return WalkResult::advance();
  });
  constexpr auto kRemark = remark::RemarkOpts::name("Loop").category(kPass);
  if (work.operations)
    remark::analysis(loop.getLoc(), kRemark)
        << remark::add("an iteration takes {0} tensor core operations",
                       work.operations)
        << remark::metric("Operations", work.operations)
        << remark::metric("OperandBits", work.operandBits);
  if (work.loadedBytes)
    remark::analysis(loop.getLoc(), kRemark)
        << remark::add("an iteration loads {0} bytes", work.loadedBytes)
        << remark::metric("LoadedBytes", work.loadedBytes);
}

namespace {
struct ReportTraffic : warp::impl::ReportTrafficBase<ReportTraffic> {
  void runOnOperation() override {
    if (!getContext().getRemarkEngine())
      return;
    AccessWidths widths(getOperation(), AxisInfoAnalysis(getOperation()));
    getOperation()->walk([&](Operation *op) {
      if (auto load = dyn_cast<tile::LoadOp>(op))
        reportAccess(op, load.getPtr(), widths.get(op));
      else if (auto store = dyn_cast<tile::StoreOp>(op))
        reportAccess(op, store.getPtr(), widths.get(op));
      else if (auto convert = dyn_cast<warp::ConvertLayoutOp>(op))
        reportConversion(convert);
      else if (auto loop = dyn_cast<scf::ForOp>(op))
        reportLoop(loop);
    });
  }
};
} // namespace
