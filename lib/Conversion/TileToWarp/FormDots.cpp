#include "lib/Conversion/TileToWarp/TileToWarp.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Mma/SharedOperands.h"
#include "lib/Analysis/Mma/ThreadDot.h"
#include "lib/Layout/LayoutConversion.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilewright;
using warp::LinearAttr;

namespace {

/// The reader of an operand in shared memory.
enum class Reader { TensorCore, Threads };

class DotFormer {
public:
  DotFormer(tile::FuncOp func, const LayoutAssignment &layouts)
      : func(func), layouts(layouts), rewriter(func.getContext()) {}

  void run();

private:
  void form(tile::DotOp dot);
  void formWgmma(tile::DotOp dot);
  void formThreadDot(tile::DotOp dot);
  void stage(tile::DotOp dot, OpOperand &operand, unsigned contracted);
  bool fillsRegisters(warp::ConvertLayoutOp convert, tile::DotOp dot);
  Value store(Value tile, unsigned contracted, Reader reader);
  Value allocate(Value tile, unsigned contracted, Reader reader);

  tile::FuncOp func;
  const LayoutAssignment &layouts;
  IRRewriter rewriter;
  /// Copies of tiles in shared memory, by tile, reader and contracted
  /// dimension.
  DenseMap<std::tuple<Value, unsigned, unsigned>, Value> stored;
  /// Register bytes per thread that loops hold, before any of their dots is
  /// formed.
  DenseMap<Operation *, int64_t> pinnedBytes;
  int32_t numThreadDots = 0;
};

} // namespace

/// Allocates right after `tile`, so that the memory serves all uses and is
/// outside of loops that only use it.
Value DotFormer::allocate(Value tile, unsigned contracted, Reader reader) {
  auto type = cast<RankedTensorType>(tile.getType());
  // wgmma and ldmatrix read 16-bit elements along either dimension, so one copy
  // serves both.
  bool eitherWay =
      reader == Reader::TensorCore && type.getElementTypeBitWidth() == 16;
  Value &known = stored[{tile, unsigned(reader), eitherWay ? 0 : contracted}];
  if (known)
    return known;
  LinearAttr layout = reader == Reader::TensorCore
                          ? chooseWgmmaOperand(type, contracted)
                          : chooseThreadOperand(type, contracted);
  auto memory = warp::SharedType::get(func.getContext(), type.getShape(),
                                      type.getElementType(), layout);
  rewriter.setInsertionPointAfterValue(tile);
  return known = warp::AllocOp::create(rewriter, tile.getLoc(), memory, tile);
}

/// Returns `tile` in shared memory. A transpose becomes a view of its source.
Value DotFormer::store(Value tile, unsigned contracted, Reader reader) {
  auto transpose = tile.getDefiningOp<tile::TransposeOp>();
  if (!transpose)
    return allocate(tile, contracted, reader);
  Value source =
      store(transpose.getSource(), transpose.getOrder()[contracted], reader);
  rewriter.setInsertionPointAfterValue(source);
  return warp::SharedTransposeOp::create(rewriter, transpose.getLoc(), source,
                                         transpose.getOrder());
}

void DotFormer::formWgmma(tile::DotOp dot) {
  const DotLayouts &chosen = layouts.getDot(dot);
  Value a = chosen.a ? dot.getA()
                     : store(dot.getA(), /*contracted=*/1, Reader::TensorCore);
  Value b = store(dot.getB(), /*contracted=*/0, Reader::TensorCore);
  rewriter.setInsertionPoint(dot);
  auto mma =
      warp::WgmmaOp::create(rewriter, dot.getLoc(), TypeRange(dot.getType()), a,
                            b, ValueRange(dot.getAcc()));
  rewriter.replaceOpWithNewOp<warp::WgmmaWaitOp>(
      dot, TypeRange(dot.getType()), mma.getResults(), /*pendings=*/0);
}

/// Whether `op` runs in iterations of a loop, even under a condition.
static bool isInLoop(Operation *op) {
  return op->getParentOfType<LoopLikeOpInterface>();
}

/// Whether `tile` is loaded, transposed or not, in iterations of a loop.
static bool isLoadedInLoop(Value tile) {
  while (auto transpose = tile.getDefiningOp<tile::TransposeOp>())
    tile = transpose.getSource();
  auto load = tile.getDefiningOp<tile::LoadOp>();
  return load && isInLoop(load);
}

/// Whether a loop computes `tile`, of 16-bit elements, in its iterations.
/// `ldmatrix`, which reads it from shared memory, transposes it on the way.
static bool isComputedInLoop(Value tile) {
  Operation *op = tile.getDefiningOp();
  return op && isInLoop(op) &&
         cast<RankedTensorType>(tile.getType()).getElementTypeBitWidth() == 16;
}

/// Returns the register bytes per thread that a tile takes.
static int64_t getHeldBytes(RankedTensorType tile) {
  return warp::getLayout(tile)->getInSize(LayoutAxis::Register) *
         warp::getElementBytes(tile.getElementType());
}

bool warp::movesMuch(warp::ConvertLayoutOp convert) {
  constexpr int64_t kMostShuffledBytes = 16;
  RankedTensorType source = convert.getSource().getType();
  int64_t bytes = getHeldBytes(source);
  ConversionKind kind = chooseConversion(
      *warp::getLayout(source), *warp::getLayout(convert.getType()),
      warp::getElementBytes(source.getElementType()));
  return kind == ConversionKind::SharedMemory ||
         (kind == ConversionKind::Shuffle && bytes > kMostShuffledBytes);
}

/// Returns the register bytes per thread that `loop` holds throughout:
/// loop-carried tiles and dot operands from before the loop.
static int64_t getPinnedBytes(scf::ForOp loop) {
  int64_t bytes = 0;
  for (Value value : loop.getRegionIterArgs())
    if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
      bytes += getHeldBytes(tile);
  llvm::SmallPtrSet<Operation *, 8> seen;
  loop.walk([&](tile::DotOp dot) {
    for (Value operand : {dot.getA(), dot.getB()})
      if (auto convert = operand.getDefiningOp<warp::ConvertLayoutOp>();
          convert && !loop->isAncestor(convert) && seen.insert(convert).second)
        bytes += getHeldBytes(convert.getType());
  });
  return bytes;
}

/// Whether a loop around `dot` would hold an operand from before it in so many
/// registers that others spill. Each iteration then reads it again.
/// 1. The operand is large, as where all warps hold all of a few long rows.
/// 2. Other operands and accumulators take most of the registers.
bool DotFormer::fillsRegisters(warp::ConvertLayoutOp convert, tile::DotOp dot) {
  constexpr int64_t kMostBytesOfOne = 256, kMostBytes = 768;
  auto loop = dot->getParentOfType<scf::ForOp>();
  if (!loop || loop->isAncestor(convert))
    return false;
  auto [entry, isNew] = pinnedBytes.try_emplace(loop);
  if (isNew)
    entry->second = getPinnedBytes(loop);
  return entry->second > kMostBytes ||
         getHeldBytes(convert.getType()) > kMostBytesOfOne;
}

/// Whether a thread holds elements that are neighbours in `memory`, in any
/// register order.
static bool holdsNeighbours(const LinearLayout &layout,
                            const LinearLayout &memory) {
  SmallVector<int64_t> next = memory.getBasis(LayoutAxis::Offset, 0);
  for (unsigned i = 0; i < layout.getInBits(LayoutAxis::Register); ++i)
    if (layout.getBasis(LayoutAxis::Register, i) == next)
      return true;
  return false;
}

/// Returns the source of `tile`, a transpose, if the source has other uses: one
/// copy in memory serves both. Otherwise returns `tile`.
static Value findSharedTile(Value tile) {
  auto transpose = tile.getDefiningOp<tile::TransposeOp>();
  if (!transpose || transpose.getSource().hasOneUse() ||
      cast<RankedTensorType>(tile.getType()).getElementTypeBitWidth() != 16)
    return tile;
  return transpose.getSource();
}

/// Stages an operand of `mma.sync` that a loop loads in shared memory, instead
/// of using shuffles or the scratch of a conversion. Its loads can then be
/// prefetched.
void DotFormer::stage(tile::DotOp dot, OpOperand &operand,
                      unsigned contracted) {
  auto convert = operand.get().getDefiningOp<warp::ConvertLayoutOp>();
  if (!convert)
    return;
  bool isReadAgain = fillsRegisters(convert, dot);
  if (!isReadAgain && (!(isLoadedInLoop(convert.getSource()) ||
                         isComputedInLoop(convert.getSource())) ||
                       !movesMuch(convert)))
    return;
  Value shared = findSharedTile(convert.getSource());
  auto tile = cast<RankedTensorType>(shared.getType());
  LinearAttr layout = chooseWgmmaOperand(tile, contracted);
  // Not if threads could store no two neighbours at once.
  if (!holdsNeighbours(*warp::getLayout(tile), layout.getLayout()))
    return;
  Value memory =
      shared == convert.getSource()
          ? allocate(shared, contracted, Reader::TensorCore)
          : store(convert.getSource(), contracted, Reader::TensorCore);
  if (isReadAgain) {
    rewriter.setInsertionPoint(dot);
    operand.set(warp::LocalLoadOp::create(rewriter, dot.getLoc(),
                                          convert.getType(), memory));
    return;
  }
  // Outside of `scf.for`, such as under a condition, no pass moves reads later.
  // They are emitted right before the dot, so that they take no registers
  // earlier.
  bool isLeftAlone = !isa<scf::ForOp>(convert->getParentOp()) &&
                     convert->getBlock() == dot->getBlock() &&
                     convert->hasOneUse();
  rewriter.setInsertionPoint(isLeftAlone ? dot.getOperation()
                                         : convert.getOperation());
  rewriter.replaceOpWithNewOp<warp::LocalLoadOp>(convert, convert.getType(),
                                                 memory);
}

/// Splits a dot whose operands do not fit into registers into dots of a few
/// steps along K. Each reads enough steps at once to hide the latency of shared
/// memory.
void DotFormer::formThreadDot(tile::DotOp dot) {
  constexpr int64_t kSteps = 4;
  const DotLayouts &chosen = layouts.getDot(dot);
  if (chosen.a)
    return;
  const unsigned rank = cast<RankedTensorType>(dot.getType()).getRank();
  const unsigned inA = getContractedDim(MmaOperand::A, rank),
                 inB = getContractedDim(MmaOperand::B, rank);
  Value a = store(dot.getA(), inA, Reader::Threads);
  Value b = store(dot.getB(), inB, Reader::Threads);
  const int64_t depth =
      cast<RankedTensorType>(dot.getA().getType()).getDimSize(inA);
  const int64_t steps = std::min(depth, kSteps);
  auto load = [&](Value memory, MmaOperand role, unsigned contracted,
                  int64_t first) -> Value {
    auto from = cast<warp::SharedType>(memory.getType());
    SmallVector<int64_t> shape(from.getShape()), start(rank, 0);
    shape[contracted] = steps;
    start[contracted] = first;
    auto type = RankedTensorType::get(
        shape, from.getElementType(),
        LinearAttr::get(
            func.getContext(),
            threadOperandLayout(role, chosen.acc.getLayout(), steps)));
    return warp::LocalLoadOp::create(rewriter, dot.getLoc(), type, memory,
                                     rewriter.getDenseI64ArrayAttr(start),
                                     rewriter.getI32IntegerAttr(numThreadDots));
  };
  rewriter.setInsertionPoint(dot);
  Value acc = dot.getAcc();
  for (int64_t first = 0; first < depth; first += steps)
    acc = tile::DotOp::create(rewriter, dot.getLoc(), dot.getType(),
                              load(a, MmaOperand::A, inA, first),
                              load(b, MmaOperand::B, inB, first), acc,
                              dot.getPrecision());
  rewriter.replaceOp(dot, acc);
  ++numThreadDots;
}

void DotFormer::form(tile::DotOp dot) {
  if (!isTensorCoreDot(dot))
    return formThreadDot(dot);
  if (layouts.getDot(dot).isWgmma)
    return formWgmma(dot);
  if (cast<RankedTensorType>(dot.getType()).getRank() == 2) {
    stage(dot, dot.getAMutable(), /*contracted=*/1);
    stage(dot, dot.getBMutable(), /*contracted=*/0);
  }
  rewriter.setInsertionPoint(dot);
  rewriter.replaceOpWithNewOp<warp::MmaOp>(dot, dot.getType(), dot.getA(),
                                           dot.getB(), dot.getAcc());
}

void DotFormer::run() {
  func.walk([&](tile::DotOp dot) { form(dot); });
  // Removes values that all uses take in another layout or from shared memory.
  (void)runRegionDCE(rewriter, func->getRegions());
}

void warp::formDots(tile::FuncOp func, const LayoutAssignment &layouts) {
  DotFormer(func, layouts).run();
}
