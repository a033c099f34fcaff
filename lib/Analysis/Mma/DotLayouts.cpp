#include "lib/Analysis/Mma/DotLayouts.h"

#include "dialect/Warp/WarpTypes.h"
#include "lib/Analysis/Layout/LayoutEdges.h"
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
  /// How many products, for tiles of rank 3.
  int64_t batch;
  int64_t m, n, k;
};
} // namespace

/// What one instruction computes by rows and columns of the result.
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

/// The sizes along the dimensions of `dot`, the first of which only a batch
/// has.
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
  return fits ? "" : "they do not have the types of its operands and its sum";
}

StringRef tilewright::getTensorCoreObstacle(tile::DotOp dot) {
  if (StringRef obstacle = getTypeObstacle(dot); !obstacle.empty())
    return obstacle;
  // One instruction takes 256 bits of a row along the contracted dimension.
  int64_t depth = 256 / getElementType(dot.getA()).getIntOrFloatBitWidth();
  DotShape shape = getShape(dot);
  if (shape.m < kMmaRows || shape.n < kMmaColumns || shape.k < depth)
    return "their instructions take at least 16 rows, 8 columns and 32 bytes "
           "of "
           "the contracted dimension";
  return {};
}

/// Visits what is computed from `value` in the same block by elementwise and
/// shape ops, until `visit` says true.
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

/// Visits what `value` is computed from by elementwise and shape ops, until
/// `visit` says true.
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

/// Splits the result among the warps: first the products of a batch, which have
/// no operand in common, then each so that the part of a warp is as square as
/// possible: a square loads the least of both operands.
static SmallVector<int64_t> placeWarps(tile::DotOp dot, int64_t numWarps) {
  DotShape shape = getShape(dot);
  int64_t maxRows = std::max<int64_t>(shape.m / kMmaRows, 1);
  int64_t maxColumns = std::max<int64_t>(shape.n / kMmaColumns, 1);
  int64_t batch = std::min(numWarps, shape.batch), rows = 1, columns = 1;
  numWarps /= batch;
  if (isChainedDot(dot))
    rows = std::min(numWarps, maxRows);
  while (rows * columns < numWarps) {
    bool fitsRows = rows < maxRows, fitsColumns = columns < maxColumns;
    // Where there is more than one warp for each atom the rest holds copies.
    bool takeRows =
        fitsRows && (!fitsColumns || shape.m / rows >= shape.n / columns);
    (takeRows || !fitsColumns ? rows : columns) *= 2;
  }
  return withBatch(dot, batch, {rows, columns});
}

static DotLayouts chooseTensorCoreLayouts(tile::DotOp dot, int64_t numWarps) {
  SmallVector<int64_t> warps = placeWarps(dot, numWarps);
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
// Tensor cores of warpgroups
//===----------------------------------------------------------------------===//

/// Whether both operands find room in shared memory beside little else.
static bool fitsSharedMemory(tile::DotOp dot, const NvidiaTarget &target) {
  DotShape shape = getShape(dot);
  int64_t bits = getElementType(dot.getA()).getIntOrFloatBitWidth();
  constexpr int64_t kReserve = 32 * 1024;
  return (shape.m + shape.n) * shape.k * bits / 8 + kReserve <=
         target.getSharedMemoryLimit();
}

StringRef tilewright::getWgmmaObstacle(tile::DotOp dot, int64_t numWarps,
                                       const NvidiaTarget &target) {
  DotShape shape = getShape(dot);
  if (!target.hasWgmma())
    return "the target has no wgmma, as sm_90a does";
  if (isBatched(dot))
    return "it is a batch of products";
  if (!fitsSharedMemory(dot, target))
    return "its operands do not fit into shared memory";
  if (!hasWgmmaLayout({shape.m, shape.n}, numWarps))
    return "warpgroups take at least 4 warps, 64 rows and 8 columns each";
  return {};
}

/// Whether the loop around `dot` computes A elementwise from tiles of 16 bits
/// that it loads, and from nothing else of its size than places.
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

/// Whether threads had better read what A is computed from as the instruction
/// takes A from registers, instead of writing A to shared memory: each number
/// is computed by one thread, which has registers for two of its parts of A,
/// one of which a product on its way reads.
static bool isMadeInRegisters(tile::DotOp dot, const LinearLayout &a,
                              const LinearLayout &acc) {
  constexpr int64_t kMostRegisters = 192, kMostOfA = 32;
  int64_t registers = a.getInSize(LayoutAxis::Register) / 2;
  return registers <= kMostOfA &&
         acc.getInSize(LayoutAxis::Register) + 2 * registers <=
             kMostRegisters &&
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

/// Whether A, which comes from a dot, had better stay in shared memory: it has
/// to pass through that, as it is transposed, and would take many registers
/// beside what it comes from, which gradients of attention need once more.
static bool isReadFromMemory(tile::DotOp dot, const LinearLayout &a) {
  constexpr int64_t kMany = 32;
  return a.getInSize(LayoutAxis::Register) / 2 >= kMany &&
         isTransposedResult(dot.getA());
}

static DotLayouts chooseWgmmaLayouts(tile::DotOp dot, int64_t numWarps) {
  DotShape shape = getShape(dot);
  std::optional<LinearLayout> acc = wgmmaLayout({shape.m, shape.n}, numWarps);
  DotLayouts layouts;
  layouts.isWgmma = true;
  layouts.acc = LinearAttr::get(dot.getContext(), *acc);
  // What one product gives in 16 bits is where the next one reads its A.
  unsigned bits = getElementType(dot.getA()).getIntOrFloatBitWidth();
  if (bits == 16) {
    LinearLayout a = wgmmaOperandLayout(*acc, shape.k, bits);
    layouts.readsAsA =
        !comesFromDot(dot.getA()) && isMadeInRegisters(dot, a, *acc);
    if (layouts.readsAsA ||
        (comesFromDot(dot.getA()) && !isReadFromMemory(dot, a)))
      layouts.a = LinearAttr::get(dot.getContext(), a);
  }
  return layouts;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// How many elements side by side a thread holds of a side of the result, given
/// the operand along it.
static int64_t chooseGroup(Value operand, bool liesAlong, int64_t perThread) {
  constexpr int64_t kAccessBytes = 16;
  if (liesAlong)
    return 1;
  int64_t bytes = warp::getElementBytes(getElementType(operand));
  int64_t side = perThread >= 16 ? 4 : perThread >= 4 ? 2 : 1;
  return std::min(side, std::max<int64_t>(kAccessBytes / bytes, 1));
}

/// With the lanes of pairs of rows beside each other. Shared memory serves a
/// warp's accesses of 16 bytes a quarter at a time, but halves at once where
/// each lane reads what its neighbour, or the one next to that, reads, too: so
/// it does for operands of rows and of columns alike.
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
  // Of each operand a thread needs one side of its part.
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

/// Operands of a thread that would take more registers stay in shared memory.
static constexpr int64_t kMaxOperandRegisters = 64;

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
      kMaxOperandRegisters)
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
