#include "lib/Analysis/Memory/TmaAccess.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/AffineTiles.h"
#include "lib/Analysis/Facts/HostValues.h"
#include "lib/Analysis/Layout/LayoutEdges.h"
#include "lib/Analysis/Memory/StoreOrder.h"
#include "lib/Analysis/Mma/DotLayouts.h"
#include "lib/Analysis/SharedMemory/ProducerSlice.h"
#include "lib/Layout/TmaTiling.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using llvm::StringRef;

/// Alignment of addresses and strides in bytes.
static constexpr int64_t kAlignment = 16;

/// Whether building the tensor map of `desc` on the device pays off:
/// 1. `desc` is before a loop that contains `access`.
/// 2. Both are in the same role, since roles do not share maps.
static bool isMadeBeforeLoop(tile::MakeDescriptorOp desc, Operation *access) {
  if (warp::SpecializeOp::getRole(desc->getBlock()) !=
      warp::SpecializeOp::getRole(access->getBlock()))
    return false;
  for (Operation *loop = access->getParentOp(); loop && !loop->isAncestor(desc);
       loop = loop->getParentOp())
    if (isa<LoopLikeOpInterface>(loop))
      return true;
  return false;
}

/// Whether `value` is computed only from arguments, constants and program ids,
/// so that specialization already provides all facts about it.
static bool isComputed(Value value) {
  llvm::SetVector<Value> open;
  open.insert(value);
  for (unsigned i = 0; i < open.size(); ++i) {
    Value next = open[i];
    Operation *op = next.getDefiningOp();
    if (!op && !isa<tile::FuncOp>(next.getParentBlock()->getParentOp()))
      return false;
    if (op && (isa<tile::LoadOp>(op) || op->getNumRegions() != 0))
      return false;
    if (op)
      open.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

/// Returns why no tensor map of an array can be built: by the host, or by the
/// device for `access` unless that is null.
static StringRef checkOperands(tile::MakeDescriptorOp desc, Operation *access,
                               const AxisInfoAnalysis &axes) {
  bool isMadeByHost = isHostKnown(desc);
  if (!isMadeByHost && (!access || !desc.getAligned()))
    return "the descriptor depends on more than the kernel's arguments";
  if (!isMadeByHost && !isMadeBeforeLoop(desc, access))
    return "the descriptor depends on more than the kernel's arguments, and is "
           "made again for each block";
  auto isAligned = [&](Value value, int64_t bytes) {
    return axes.get(value)[0].divisibility * bytes % kAlignment == 0 ||
           (!isMadeByHost && !isComputed(value));
  };
  int64_t bytes =
      desc.getResult().getType().getElementType().getIntOrFloatBitWidth() / 8;
  if (!isAligned(desc.getBase(), 1))
    return "the array is not known to start at a multiple of 16 bytes";
  for (Value stride : desc.getStrides())
    if (!isAligned(stride, bytes))
      return "a stride of the array is not known to be a multiple of 16 bytes";
  return {};
}

/// A copy that does not start at a multiple of 16 bytes in a row raises an
/// illegal instruction.
static StringRef checkOffset(tile::DescType type, OperandRange offsets,
                             const AxisInfoAnalysis &axes) {
  int64_t bytes = type.getElementType().getIntOrFloatBitWidth() / 8;
  if (axes.get(offsets.back())[0].divisibility * bytes % kAlignment != 0)
    return "its offset in a row is not known to be a multiple of 16 bytes";
  return {};
}

/// The accelerator writes whole 16-byte pieces, also at the end of a row.
static StringRef checkRowEnds(tile::MakeDescriptorOp desc,
                              const AxisInfoAnalysis &axes) {
  Value columns = desc.getShape().back();
  int64_t bytes =
      desc.getResult().getType().getElementType().getIntOrFloatBitWidth() / 8;
  APInt count;
  bool isEndless =
      matchPattern(columns, m_ConstantInt(&count)) && count.sge(INT32_MAX);
  bool isWhole = axes.get(columns)[0].divisibility * bytes % kAlignment == 0;
  if (isEndless || isWhole)
    return {};
  return "the bytes of a row are not known to be a multiple of 16";
}

/// Whether the row length comes from memory without a promise, so that the
/// kernel checks it at run time.
static bool asksForRowEnds(tile::MakeDescriptorOp desc) {
  return !isHostKnown(desc) && !isComputed(desc.getShape().back());
}

/// The shape without leading dimensions of size 1, but at least a matrix.
static ArrayRef<int64_t> getMatrix(ArrayRef<int64_t> shape) {
  while (shape.size() > 2 && shape.front() == 1)
    shape = shape.drop_front();
  return shape;
}

static StringRef checkBlock(tile::DescType type) {
  unsigned bits = type.getElementType().getIntOrFloatBitWidth();
  ArrayRef<int64_t> shape = getMatrix(type.getShape());
  bool powersOfTwo = llvm::all_of(
      shape, [](int64_t extent) { return llvm::isPowerOf2_64(extent); });
  if (bits < 8 || !powersOfTwo || !tmaLayout(shape, bits))
    return "the block's rows are not a multiple of 16 bytes";
  return {};
}

StringRef tilewright::getCopyObstacle(Value desc, OperandRange offsets,
                                      const AxisInfoAnalysis &axes,
                                      Operation *access) {
  auto made = desc.getDefiningOp<tile::MakeDescriptorOp>();
  if (!made)
    return "the descriptor is chosen by a branch or a loop";
  StringRef reason = checkBlock(made.getResult().getType());
  if (reason.empty())
    reason = checkOperands(made, access, axes);
  if (reason.empty())
    reason = checkOffset(made.getResult().getType(), offsets, axes);
  return reason;
}

/// Whether `op` changes the shape of `tile` as joins and splits of matrices do,
/// for numbers packed into words and complex numbers. False for the broadcast
/// of a vector to a matrix.
static bool reshapesMatrix(Operation *op, Value tile) {
  if (isa<tile::TransposeOp, tile::ReshapeOp>(op))
    return true;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return shape.size() > 2 && shape[reduce.getAxis()] == 2;
  return isa<tile::ExpandDimsOp, tile::BroadcastOp>(op) &&
         llvm::count_if(shape, [](int64_t extent) { return extent > 1; }) >= 2;
}

bool tilewright::feedsWgmma(Value tile, int64_t numWarps,
                            const NvidiaTarget &target) {
  llvm::SetVector<Value> values;
  values.insert(tile);
  for (unsigned i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      auto dot = dyn_cast<tile::DotOp>(user);
      if (dot && use.get() != dot.getAcc() && isWgmmaDot(dot, numWarps, target))
        return true;
      if (isElementwise(user) || reshapesMatrix(user, values[i]))
        values.insert(user->result_begin(), user->result_end());
    }
  return false;
}

/// The `loads` that one producer can issue: all of them, or those that a
/// producer could issue alone.
static SmallVector<tile::DescriptorLoadOp>
keepProducible(tile::FuncOp func, ArrayRef<tile::DescriptorLoadOp> loads,
               SmallVectorImpl<TmaObstacle> &obstacles) {
  auto addObstacle = [&](ArrayRef<tile::DescriptorLoadOp> some) {
    ProducerSlice slice(func, some);
    if (slice.getObstacle().empty())
      return false;
    obstacles.push_back({slice.getObstacleOp(), slice.getObstacle()});
    return true;
  };
  if (loads.empty() || !addObstacle(loads))
    return llvm::to_vector(loads);
  SmallVector<tile::DescriptorLoadOp> alone;
  llvm::copy_if(loads, std::back_inserter(alone),
                [&](tile::DescriptorLoadOp load) {
                  return ProducerSlice(func, load).getObstacle().empty();
                });
  if (alone.size() == loads.size() || alone.empty() || addObstacle(alone))
    return {};
  return alone;
}

/// Whether some loop computes dots, but all `loads` are outside of loops. A
/// producer would have nothing to prefetch, while its warp takes registers that
/// could allow another CTA.
static bool areOutsideDotLoops(tile::FuncOp func,
                               ArrayRef<tile::DescriptorLoadOp> loads) {
  auto isInLoop = [](Operation *op) {
    return op->getParentOfType<LoopLikeOpInterface>() != nullptr;
  };
  return llvm::none_of(loads, isInLoop) &&
         func.walk([&](tile::DotOp dot) {
               return isInLoop(dot) ? WalkResult::interrupt()
                                    : WalkResult::advance();
             })
             .wasInterrupted();
}

SmallVector<tile::DescriptorLoadOp>
tilewright::findTmaLoads(tile::FuncOp func, int64_t numWarps,
                         const NvidiaTarget &target,
                         SmallVectorImpl<TmaObstacle> &obstacles) {
  constexpr int64_t kMostWarps = 32;
  SmallVector<tile::DescriptorLoadOp> loads;
  if (!target.hasWgmma())
    return loads;
  AxisInfoAnalysis axes(func);
  func.walk([&](tile::DescriptorLoadOp load) {
    StringRef reason =
        numWarps >= kMostWarps
            ? "a program of 32 warps has no room for a producer warp"
        : feedsWgmma(load.getResult(), numWarps, target)
            ? getCopyObstacle(load.getDesc(), load.getOffsets(), axes,
                              target.makesMaps ? load.getOperation() : nullptr)
            : "it is not an operand of a dot that wgmma computes";
    if (reason.empty())
      loads.push_back(load);
    else
      obstacles.push_back({load, reason});
  });
  loads = keepProducible(func, loads, obstacles);
  if (!areOutsideDotLoops(func, loads))
    return loads;
  for (tile::DescriptorLoadOp load : loads)
    obstacles.push_back({load, "it is outside of the loops that compute dots"});
  return {};
}

void tilewright::remarkTmaObstacles(ArrayRef<TmaObstacle> obstacles,
                                    StringRef pass) {
  for (const TmaObstacle &obstacle : obstacles)
    remark::missed(obstacle.op->getLoc(),
                   remark::RemarkOpts::name("TmaCopy").category(pass))
        << remark::add("not copied by the tensor memory accelerator: {0}",
                       obstacle.reason);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

Value tilewright::dropLeadingOnes(Value block) {
  Operation *op = block.getDefiningOp();
  if (!isa_and_present<tile::ReshapeOp, tile::ExpandDimsOp>(op))
    return block;
  Value source = op->getOperand(0);
  ArrayRef<int64_t> from = cast<RankedTensorType>(source.getType()).getShape();
  ArrayRef<int64_t> to = cast<RankedTensorType>(block.getType()).getShape();
  if (from.size() >= to.size() || to.take_back(from.size()) != from)
    return block;
  return dropLeadingOnes(source);
}

SmallVector<TmaStore>
tilewright::findTmaStores(tile::FuncOp func, const NvidiaTarget &target,
                          SmallVectorImpl<TmaObstacle> &obstacles) {
  SmallVector<TmaStore> stores;
  if (!target.hasWgmma())
    return stores;
  AxisInfoAnalysis axes(func);
  AffineTileAnalysis tiles;
  func.walk([&](tile::DescriptorStoreOp store) {
    auto desc = store.getDesc().getDefiningOp<tile::MakeDescriptorOp>();
    // Rows, so that whole panels are stored at once.
    StringRef reason =
        !desc ? StringRef("the descriptor is chosen by a branch or a loop")
        : cast<RankedTensorType>(dropLeadingOnes(store.getValue()).getType())
                    .getRank() != 2
            ? StringRef("it stores no matrix")
            : checkBlock(store.getDesc().getType());
    if (reason.empty())
      reason = checkOperands(
          desc, target.makesMaps ? store.getOperation() : nullptr, axes);
    StringRef ends = desc ? checkRowEnds(desc, axes) : StringRef();
    bool asks = !ends.empty() && asksForRowEnds(desc);
    if (reason.empty() && !asks)
      reason = ends;
    if (reason.empty())
      reason = checkOffset(store.getDesc().getType(), store.getOffsets(), axes);
    if (reason.empty() && store.getReduction() &&
        !warp::TmaStoreOp::canReduce(
            *store.getReduction(), store.getDesc().getType().getElementType()))
      reason = "it does not support this reduction of these elements";
    if (reason.empty() && isRepeated(store))
      reason = "a loop stores to the same block again";
    if (reason.empty() && !isAlone(store, tiles))
      reason = "the kernel may touch the array elsewhere";
    if (!reason.empty()) {
      obstacles.push_back({store, reason});
      return;
    }
    stores.push_back({store, asks});
  });
  return stores;
}
