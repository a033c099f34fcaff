#include "lib/Analysis/Mma/DotLayouts.h"

#include "dialect/Warp/WarpTypes.h"
#include "lib/Analysis/Layout/LayoutEdges.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Layout/TileLayouts.h"
#include "lib/Layout/WgmmaTiling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using llvm::StringRef;
using warp::LinearAttr;

namespace {
struct DotShape {
  /// Size of the batch; 1 for tiles of rank 2.
  int64_t batch;
  int64_t m, n, k;
};
} // namespace

/// Rows and columns of the result that one instruction computes.
static constexpr int64_t kMmaRows = 16, kMmaColumns = 8;

static DotShape getShape(tile::DotOp dot) {
  auto a = cast<RankedTensorType>(dot.getA().getType());
  auto b = cast<RankedTensorType>(dot.getB().getType());
  unsigned rank = a.getRank(), row = rank - 2, column = rank - 1;
  return {rank == 3 ? a.getDimSize(0) : 1, a.getDimSize(row),
          b.getDimSize(column), a.getDimSize(column)};
}

static bool isBatched(tile::DotOp dot) {
  return cast<RankedTensorType>(dot.getType()).getRank() == 3;
}

/// `sizes` along rows and columns, after `batch` if the dot is batched.
static SmallVector<int64_t> withBatch(tile::DotOp dot, int64_t batch,
                                      ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> all(sizes);
  if (isBatched(dot))
    all.insert(all.begin(), batch);
  return all;
}

static Type getElementType(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getElementType();
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

static StringRef getTypeObstacle(tile::DotOp dot) {
  Type operand = getElementType(dot.getA());
  Type acc = getElementType(dot.getAcc());
  if (operand.isF32())
    return dot.getPrecision() == tile::DotPrecision::IEEE
               ? "they would round its float32 operands to tf32, which "
                 "input_precision must allow"
               : "";
  bool fits = operand.isF16() ? acc.isF16() || acc.isF32()
              : operand.isBF16() || tile::isFloat8(operand)
                  ? acc.isF32()
                  : operand.isInteger(8);
  return fits ? "" : "they do not support its operand and accumulator types";
}

StringRef tilewright::getTensorCoreObstacle(tile::DotOp dot) {
  if (StringRef obstacle = getTypeObstacle(dot); !obstacle.empty())
    return obstacle;
  // One instruction takes 256 bits of a row along the contracted dimension.
  int64_t depth = 256 / getElementType(dot.getA()).getIntOrFloatBitWidth();
  DotShape shape = getShape(dot);
  if (shape.m < kMmaRows || shape.n < kMmaColumns || shape.k < depth)
    return "their instructions take at least 16 rows, 8 columns and 32 bytes "
           "of the contracted dimension";
  return {};
}

/// Visits the transitive uses of `value` through elementwise and shape ops
/// until `visit` returns true.
static bool anyUserOf(Value value, function_ref<bool(OpOperand &)> visit) {
  llvm::SetVector<Value> worklist;
  worklist.insert(value);
  for (unsigned i = 0; i < worklist.size(); ++i)
    for (OpOperand &use : worklist[i].getUses()) {
      Operation *user = use.getOwner();
      if (visit(use))
        return true;
      if (isElementwise(user) || isa<tile::TransposeOp, tile::ReshapeOp>(user))
        worklist.insert(user->getResult(0));
    }
  return false;
}

static bool feedsDot(Value value) {
  return anyUserOf(value, [](OpOperand &use) {
    auto dot = dyn_cast<tile::DotOp>(use.getOwner());
    return dot && use.get() != dot.getAcc();
  });
}

/// Visits the ops that compute `value` through elementwise and shape ops until
/// `visit` returns true.
static bool anySourceOf(Value value, function_ref<bool(Operation *)> visit) {
  llvm::SetVector<Value> worklist;
  worklist.insert(value);
  for (unsigned i = 0; i < worklist.size(); ++i) {
    Operation *op = worklist[i].getDefiningOp();
    if (!op)
      continue;
    if (visit(op))
      return true;
    if (isElementwise(op) || isa<tile::TransposeOp, tile::ReshapeOp>(op))
      worklist.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

static bool comesFromDot(Value value) {
  return anySourceOf(value, llvm::IsaPred<tile::DotOp>);
}

bool tilewright::isChainedDot(tile::DotOp dot) {
  return feedsDot(dot.getResult()) || comesFromDot(dot.getA()) ||
         comesFromDot(dot.getB());
}

/// Distributes the warps over the result: first over the batch, whose dots
/// share no operands, then over rows and columns. The part of a warp is as
/// square as possible, which minimizes the loads of both operands.
static SmallVector<int64_t> distributeWarps(tile::DotOp dot, int64_t numWarps) {
  DotShape shape = getShape(dot);
  int64_t maxRows = std::max<int64_t>(shape.m / kMmaRows, 1);
  int64_t maxColumns = std::max<int64_t>(shape.n / kMmaColumns, 1);
  int64_t batch = std::min(numWarps, shape.batch), rows = 1, columns = 1;
  numWarps /= batch;
  if (isChainedDot(dot))
    rows = std::min(numWarps, maxRows);
  while (rows * columns < numWarps) {
    bool fitsRows = rows < maxRows, fitsColumns = columns < maxColumns;
    // With more warps than atoms, the remaining warps hold copies.
    bool takeRows =
        fitsRows && (!fitsColumns || shape.m / rows >= shape.n / columns);
    (takeRows || !fitsColumns ? rows : columns) *= 2;
  }
  return withBatch(dot, batch, {rows, columns});
}

static DotLayouts chooseTensorCoreLayouts(tile::DotOp dot, int64_t numWarps) {
  SmallVector<int64_t> warps = distributeWarps(dot, numWarps);
  auto make = [&](MmaOperand operand, Value tile) {
    unsigned bits = getElementType(dot.getA()).getIntOrFloatBitWidth();
    auto shape = cast<RankedTensorType>(tile.getType()).getShape();
    return LinearAttr::get(dot.getContext(),
                           mmaLayout(operand, bits, shape, warps));
  };
  return {make(MmaOperand::A, dot.getA()), make(MmaOperand::B, dot.getB()),
          make(MmaOperand::Accumulator, dot.getAcc())};
}

//===----------------------------------------------------------------------===//
// Wgmma
//===----------------------------------------------------------------------===//

/// Whether shared memory has room for both operands and a reserve.
static bool fitsSharedMemory(tile::DotOp dot, const NvidiaTarget &target) {
  DotShape shape = getShape(dot);
  int64_t bits = getElementType(dot.getA()).getIntOrFloatBitWidth();
  return (shape.m + shape.n) * shape.k * bits / 8 +
             OccupancyParameters::kOperandReserve <=
         target.getSharedMemoryLimit();
}

StringRef tilewright::getWgmmaObstacle(tile::DotOp dot, int64_t numWarps,
                                       const NvidiaTarget &target) {
  DotShape shape = getShape(dot);
  if (!target.hasWgmma())
    return "the target has no wgmma, as sm_90a does";
  if (isBatched(dot))
    return "it is a batched dot";
  if (!fitsSharedMemory(dot, target))
    return "its operands do not fit into shared memory";
  if (!hasWgmmaLayout({shape.m, shape.n}, numWarps))
    return "warpgroups take at least 4 warps, 64 rows and 8 columns each";
  return {};
}

/// Whether the loop around `dot` computes A elementwise from 16-bit tiles that
/// it loads, and from no other tiles of the size of A.
static bool comesFromLoads(tile::DotOp dot) {
  Block *body = dot->getBlock();
  Value a = dot.getA();
  if (!isa<scf::ForOp>(body->getParentOp()) || !a.hasOneUse() ||
      !isElementwise(a.getDefiningOp()))
    return false;
  const int64_t size = cast<RankedTensorType>(a.getType()).getNumElements();
  unsigned numLoads = 0;
  llvm::SetVector<Value> worklist;
  worklist.insert(a);
  for (unsigned i = 0; i < worklist.size(); ++i) {
    auto tile = dyn_cast<RankedTensorType>(worklist[i].getType());
    Operation *op = worklist[i].getDefiningOp();
    if (!tile || tile.getNumElements() != size ||
        isa_and_present<arith::ConstantOp, tile::SplatOp, tile::BroadcastOp>(
            op))
      continue;
    if (isa_and_present<tile::LoadOp, tile::DescriptorLoadOp>(op)) {
      if (op->getBlock() != body || tile.getElementTypeBitWidth() != 16)
        return false;
      ++numLoads;
    } else if (op && (isElementwise(op) || isa<tile::TransposeOp>(op)) &&
               (worklist[i].hasOneUse() || op->getBlock() != body)) {
      worklist.insert(op->operand_begin(), op->operand_end());
    } else {
      return false;
    }
  }
  return numLoads != 0;
}

/// Whether threads should compute A in the register layout of `wgmma` instead
/// of writing it to shared memory:
/// 1. A is computed elementwise from 16-bit tiles that the loop loads.
/// 2. Warps hold no copies, so that each element is computed once.
/// 3. A thread has registers for the accumulator and two copies of its part of
/// A. A `wgmma` in flight reads the previous copy.
static bool isComputedInRegisters(tile::DotOp dot, const LinearLayout &a,
                                  const LinearLayout &acc) {
  using Parameters = OccupancyParameters;
  int64_t registers = a.getInSize(LayoutAxis::Register) / 2;
  return registers <= Parameters::kMaxComputedA &&
         acc.getInSize(LayoutAxis::Register) + 2 * registers <=
             Parameters::kMaxComputedAWithAcc &&
         a.countTellingBits(LayoutAxis::Warp) ==
             a.getInBits(LayoutAxis::Warp) &&
         comesFromLoads(dot);
}

static bool isTransposedResult(Value value) {
  return anySourceOf(value, [](Operation *op) {
    auto transpose = dyn_cast<tile::TransposeOp>(op);
    return transpose && comesFromDot(transpose.getSource());
  });
}

/// Whether A, which is computed from a dot, should be read from shared memory.
/// It passes through that since it is transposed. It would take many registers
/// in addition to its source, which gradients of attention use again.
static bool isReadFromShared(tile::DotOp dot, const LinearLayout &a) {
  return a.getInSize(LayoutAxis::Register) / 2 >=
             OccupancyParameters::kMinSharedA &&
         isTransposedResult(dot.getA());
}

static DotLayouts chooseWgmmaLayouts(tile::DotOp dot, int64_t numWarps) {
  DotShape shape = getShape(dot);
  std::optional<LinearLayout> acc = wgmmaLayout({shape.m, shape.n}, numWarps);
  DotLayouts layouts;
  layouts.isWgmma = true;
  layouts.acc = LinearAttr::get(dot.getContext(), *acc);
  // An accumulator converted to 16 bits has the layout of A of the next dot.
  unsigned bits = getElementType(dot.getA()).getIntOrFloatBitWidth();
  if (bits == 16) {
    LinearLayout a = wgmmaOperandLayout(*acc, shape.k, bits);
    layouts.readsAsA =
        !comesFromDot(dot.getA()) && isComputedInRegisters(dot, a, *acc);
    if (layouts.readsAsA ||
        (comesFromDot(dot.getA()) && !isReadFromShared(dot, a)))
      layouts.a = LinearAttr::get(dot.getContext(), a);
  }
  return layouts;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// The number of consecutive elements that a thread holds along a dimension of
/// the result, given the operand that has this dimension.
static int64_t chooseGroup(Value operand, bool liesAlong, int64_t perThread) {
  constexpr int64_t kAccessBytes = 16;
  if (liesAlong)
    return 1;
  int64_t bytes = warp::getElementBytes(getElementType(operand));
  int64_t size = perThread >= 16 ? 4 : perThread >= 4 ? 2 : 1;
  return std::min(size, std::max<int64_t>(kAccessBytes / bytes, 1));
}

/// Reorders lanes so that those of two adjacent rows alternate. Shared memory
/// serves 16-byte accesses of a warp a quarter at a time. It serves half a warp
/// at once if each lane reads the same address as the lane at distance 1 or 2.
/// With this order that holds for operands of rows and of columns alike.
static LinearLayout pairRows(const LinearLayout &layout,
                             ArrayRef<int64_t> shape, unsigned columnBits) {
  SmallVector<LinearLayout::AxisBases> bases;
  for (const Extent &in : layout.getIns()) {
    LinearLayout::AxisBases &axis = bases.emplace_back();
    axis.axis = in.axis;
    for (unsigned bit = 0; bit < in.bits; ++bit)
      axis.bases.push_back(layout.getBasis(in.axis, bit));
    if (in.axis == LayoutAxis::Lane)
      std::rotate(axis.bases.begin(), axis.bases.begin() + columnBits,
                  axis.bases.begin() + columnBits + 1);
  }
  return LinearLayout::fromBases(bases, shape);
}

static LinearLayout chooseThreadAccumulator(tile::DotOp dot, int64_t numWarps,
                                            OperandOrder order) {
  DotShape shape = getShape(dot);
  int64_t batch = std::min(numWarps, shape.batch);
  numWarps /= batch;
  int64_t perThread =
      std::max<int64_t>(shape.m * shape.n / (numWarps << kLaneBits), 1);
  // A thread needs the rows of A and the columns of B of its part.
  constexpr int64_t kLaneRows = 4, kLaneColumns = 8;
  int64_t rows = 1, columns = 1;
  while (rows * columns < numWarps)
    (shape.m * columns * kLaneColumns >= shape.n * rows * kLaneRows
         ? rows
         : columns) *= 2;
  BlockedParams params;
  params.sizePerThread = withBatch(
      dot, 1,
      {std::min(chooseGroup(dot.getA(), order.aAlong, perThread), shape.m),
       std::min(chooseGroup(dot.getB(), order.bAlong, perThread), shape.n)});
  params.threadsPerWarp = withBatch(dot, 1, {kLaneRows, kLaneColumns});
  params.warpsPerBlock = withBatch(dot, batch, {rows, columns});
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(dot.getType()).getShape();
  for (int32_t dim = sizes.size(); dim-- > 0;)
    params.order.push_back(dim);
  return pairRows(blockedLayout(sizes, params), sizes,
                  llvm::Log2_64(kLaneColumns));
}

static DotLayouts chooseThreadLayouts(tile::DotOp dot, int64_t numWarps,
                                      OperandOrder order) {
  LinearLayout acc = chooseThreadAccumulator(dot, numWarps, order);
  int64_t k = getShape(dot).k;
  LinearLayout a = threadOperandLayout(MmaOperand::A, acc, k);
  LinearLayout b = threadOperandLayout(MmaOperand::B, acc, k);
  auto wrap = [&](const LinearLayout &layout) {
    return LinearAttr::get(dot.getContext(), layout);
  };
  if (a.getInSize(LayoutAxis::Register) + b.getInSize(LayoutAxis::Register) >
      OccupancyParameters::kMaxThreadOperands)
    return {LinearAttr(), LinearAttr(), wrap(acc), /*isWgmma=*/false};
  return {wrap(a), wrap(b), wrap(acc), /*isWgmma=*/false};
}

DotLayouts tilewright::chooseDotLayouts(tile::DotOp dot, int64_t numWarps,
                                        const NvidiaTarget &target,
                                        OperandOrder order) {
  if (!isTensorCoreDot(dot))
    return chooseThreadLayouts(dot, numWarps, order);
  return isWgmmaDot(dot, numWarps, target)
             ? chooseWgmmaLayouts(dot, numWarps)
             : chooseTensorCoreLayouts(dot, numWarps);
}
