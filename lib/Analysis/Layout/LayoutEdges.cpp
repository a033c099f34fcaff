#include "lib/Analysis/Layout/LayoutEdges.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using warp::LinearAttr;

bool tilewright::isElementwiseOrShapeOp(Operation *op) {
  return isElementwise(op) ||
         isa<tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp,
             tile::ReshapeOp, tile::TransposeOp>(op);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static LinearLayout beforeBroadcast(tile::BroadcastOp op, LinearLayout layout) {
  for (auto [d, from, to] :
       llvm::enumerate(getShape(op.getSource()), getShape(op.getResult())))
    if (from != to)
      layout = layout.sliceDim(d).expandDim(d);
  return layout.dropRedundantBits(LayoutAxis::Register);
}

static LinearLayout beforeTranspose(tile::TransposeOp op,
                                    const LinearLayout &layout) {
  SmallVector<int32_t> inverse(op.getOrder().size());
  for (auto [i, d] : llvm::enumerate(op.getOrder()))
    inverse[d] = i;
  return layout.transpose(inverse);
}

/// A thread gathers the elements whose indices it holds, from any thread.
static bool isGatherIndices(OpOperand &operand) {
  return operand.getOperandNumber() == 1;
}

LinearAttr tilewright::getOperandLayout(OpOperand &operand, LinearAttr result) {
  Operation *op = operand.getOwner();
  if (isElementwise(op))
    return result;
  const LinearLayout &layout = result.getLayout();
  auto wrap = [&](const LinearLayout &layout) {
    return LinearAttr::get(op->getContext(), layout);
  };
  return TypeSwitch<Operation *, LinearAttr>(op)
      .Case([&](tile::ExpandDimsOp op) {
        return wrap(layout.sliceDim(op.getAxis()));
      })
      .Case([&](tile::BroadcastOp op) {
        return wrap(beforeBroadcast(op, layout));
      })
      .Case([&](tile::TransposeOp op) {
        return wrap(beforeTranspose(op, layout));
      })
      .Case([&](tile::ReshapeOp op) {
        return wrap(layout.reshape(getShape(op.getSource())));
      })
      .Case([&](tile::GatherOp) {
        return isGatherIndices(operand) ? result : LinearAttr();
      })
      .Default([](Operation *) { return LinearAttr(); });
}

bool tilewright::feedsDotOperand(Value tile) {
  llvm::SetVector<Value> worklist;
  worklist.insert(tile);
  for (unsigned i = 0; i < worklist.size(); ++i)
    for (OpOperand &use : worklist[i].getUses()) {
      Operation *user = use.getOwner();
      if (auto dot = dyn_cast<tile::DotOp>(user);
          dot && use.get() != dot.getAcc())
        return true;
      if (isElementwiseOrShapeOp(user))
        worklist.insert(user->getResult(0));
    }
  return false;
}

namespace {
/// A dimension of size 1, and how often a broadcast repeats it.
struct Repetition {
  unsigned dim;
  int64_t times;
};
} // namespace

/// The dimension that `op` repeats, if it is only one.
static std::optional<Repetition> getRepetition(tile::BroadcastOp op) {
  std::optional<Repetition> found;
  for (auto [dim, from, to] :
       llvm::enumerate(getShape(op.getSource()), getShape(op.getResult()))) {
    if (from == to)
      continue;
    if (found)
      return std::nullopt;
    found = Repetition{unsigned(dim), to};
  }
  return found;
}

/// The dimension that `op` doubles, if it repeats no other, as where tiles are
/// joined.
static std::optional<unsigned> getDoubledDim(tile::BroadcastOp op) {
  std::optional<Repetition> found = getRepetition(op);
  return found && found->times == 2 ? std::optional(found->dim) : std::nullopt;
}

/// Whether `op` repeats a matrix in a dot operand: words of packed weights,
/// which stay in the threads that loaded them.
static bool repeatsMatrix(tile::BroadcastOp op) {
  constexpr int64_t kMatrixRank = 3; // with the dimension of size 1
  return getShape(op.getSource()).size() >= kMatrixRank &&
         feedsDotOperand(op.getResult());
}

/// Doubles a dimension over warps or lanes that hold copies, else over
/// registers. Tiles that are joined from small ones are thus distributed like
/// any others. The highest bits come first, as the dimensions that are joined
/// last are contiguous in memory.
static LinearLayout doubleDim(const LinearLayout &layout, unsigned dim) {
  for (LayoutAxis axis : {LayoutAxis::Warp, LayoutAxis::Lane}) {
    ArrayRef<uint64_t> bases = layout.getColumns(axis);
    auto copies = llvm::find(llvm::reverse(bases), 0u);
    if (copies == bases.rend())
      continue;
    // The direct sum has the new bit above those of the axis. It replaces the
    // bit that made copies.
    LinearLayout doubled =
        layout * LinearLayout::identity(axis, dimAxis(dim), 1);
    SmallVector<uint64_t> columns;
    for (const Extent &extent : doubled.getIns()) {
      SmallVector<uint64_t> own(doubled.getColumns(extent.axis));
      if (extent.axis == axis)
        own[copies.base() - bases.begin() - 1] = own.pop_back_val();
      llvm::append_range(columns, own);
    }
    return LinearLayout(layout.getIns(), doubled.getOuts(), columns);
  }
  return layout * LinearLayout::identity(LayoutAxis::Register, dimAxis(dim), 1);
}

LinearAttr tilewright::getResultLayout(OpOperand &operand, LinearAttr attr) {
  Operation *op = operand.getOwner();
  if (isElementwise(op))
    return attr;
  const LinearLayout &layout = attr.getLayout();
  auto wrap = [&](const LinearLayout &layout) {
    return LinearAttr::get(op->getContext(), layout);
  };
  return TypeSwitch<Operation *, LinearAttr>(op)
      .Case([&](tile::ExpandDimsOp op) {
        return wrap(layout.expandDim(op.getAxis()));
      })
      .Case([&](tile::BroadcastOp op) {
        std::optional<Repetition> found = getRepetition(op);
        if (!found || !(found->times == 2 || repeatsMatrix(op)))
          return LinearAttr();
        LinearLayout repeated = layout;
        for (int64_t times = 1; times < found->times; times *= 2)
          repeated = doubleDim(repeated, found->dim);
        return wrap(repeated);
      })
      .Case([&](tile::TransposeOp op) {
        return wrap(layout.transpose(op.getOrder()));
      })
      .Case([&](tile::ReshapeOp op) {
        return wrap(layout.reshape(getShape(op.getResult())));
      })
      .Case([&](tile::GatherOp) {
        return isGatherIndices(operand) ? attr : LinearAttr();
      })
      .Default([](Operation *) { return LinearAttr(); });
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// Whether `expand` and a broadcast prepare a part of a dot operand: a tile to
/// be joined with another one, or a repeated matrix of packed weights.
static bool isPartOfOperand(tile::ExpandDimsOp expand) {
  bool isMatrix =
      cast<RankedTensorType>(expand.getSource().getType()).getRank() > 1;
  auto repeats = [&](Operation *user) {
    auto broadcast = dyn_cast<tile::BroadcastOp>(user);
    return broadcast && (isMatrix || getDoubledDim(broadcast));
  };
  return llvm::any_of(expand->getUsers(), repeats) &&
         feedsDotOperand(expand.getResult());
}

/// Whether `op` broadcasts a row or a column along a matrix.
static bool repeatsRow(Operation *op) {
  auto broadcast = dyn_cast<tile::BroadcastOp>(op);
  return broadcast && getShape(broadcast.getSource()).size() == 2 &&
         getRepetition(broadcast);
}

bool tilewright::isOnlyExpanded(Value value) {
  llvm::SetVector<Value> worklist;
  worklist.insert(value);
  for (unsigned i = 0; i < worklist.size(); ++i)
    for (Operation *user : worklist[i].getUsers()) {
      if (auto expand = dyn_cast<tile::ExpandDimsOp>(user)) {
        if (isPartOfOperand(expand))
          return false;
        continue;
      }
      if (repeatsRow(user))
        continue;
      if (!isElementwise(user) && !isa<tile::LoadOp>(user))
        return false;
      worklist.insert(user->getResult(0));
    }
  return !value.use_empty();
}

LinearAttr tilewright::sortRowRegisters(Value load, LinearAttr attr) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || llvm::count_if(type.getShape(),
                              [](int64_t size) { return size > 1; }) > 1)
    return attr;
  const LinearLayout &layout = attr.getLayout();
  SmallVector<uint64_t> columns;
  for (const Extent &extent : layout.getIns()) {
    SmallVector<uint64_t> own(layout.getColumns(extent.axis));
    // Copies of an element, whose columns are zero, come last.
    if (extent.axis == LayoutAxis::Register)
      llvm::sort(own, [](uint64_t a, uint64_t b) { return a - 1 < b - 1; });
    columns.append(own);
  }
  return LinearAttr::get(
      attr.getContext(),
      LinearLayout(layout.getIns(), layout.getOuts(), columns));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

static LayoutTie tieOfFor(scf::ForOp loop, unsigned index) {
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  return {{loop.getRegionIterArg(index), loop.getResult(index)},
          {&loop.getInitArgsMutable()[index], &yield->getOpOperand(index)}};
}

static LayoutTie tieOfIf(scf::IfOp branch, unsigned index) {
  return {{branch.getResult(index)},
          {&branch.thenYield()->getOpOperand(index),
           &branch.elseYield()->getOpOperand(index)}};
}

/// The arguments of the `before` region of a loop.
static LayoutTie tieOfBefore(scf::WhileOp loop, unsigned index) {
  return {{loop.getBeforeArguments()[index]},
          {&loop.getInitsMutable()[index],
           &loop.getYieldOp()->getOpOperand(index)}};
}

/// The values that the condition passes on.
static LayoutTie tieOfAfter(scf::WhileOp loop, unsigned index) {
  return {{loop.getAfterArguments()[index], loop.getResult(index)},
          {&loop.getConditionOp().getArgsMutable()[index]}};
}

/// Inline assembly, maps and scans compute each result from the operands at the
/// same index.
static LayoutTie tieOfElements(Operation *op) {
  LayoutTie tie{llvm::to_vector_of<Value, 3>(op->getResults()), {}};
  for (OpOperand &operand : op->getOpOperands())
    tie.incoming.push_back(&operand);
  return tie;
}

/// An accumulator stays in its registers.
static LayoutTie tieOfWait(warp::WgmmaWaitOp wait, unsigned index) {
  return {{wait.getResult(index)}, {&wait->getOpOperand(index)}};
}

void LayoutTies::add(LayoutTie tie) {
  if (!isa<RankedTensorType>(tie.owned.front().getType()))
    return;
  for (Value value : tie.owned)
    owners[value] = ties.size();
  for (OpOperand *operand : tie.incoming)
    targets[operand] = ties.size();
  ties.push_back(std::move(tie));
}

LayoutTies::LayoutTies(Operation *root) {
  root->walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (unsigned i = 0; i < loop.getNumResults(); ++i)
        add(tieOfFor(loop, i));
    } else if (isa<tile::InlineAsmOp, tile::MapOp, tile::ScanOp>(op)) {
      add(tieOfElements(op));
    } else if (auto wait = dyn_cast<warp::WgmmaWaitOp>(op)) {
      for (unsigned i = 0; i < wait.getNumResults(); ++i)
        add(tieOfWait(wait, i));
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (unsigned i = 0; i < branch.getNumResults(); ++i)
        add(tieOfIf(branch, i));
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      for (unsigned i = 0; i < loop.getBeforeArguments().size(); ++i)
        add(tieOfBefore(loop, i));
      for (unsigned i = 0; i < loop.getNumResults(); ++i)
        add(tieOfAfter(loop, i));
    }
  });
}

const LayoutTie *LayoutTies::getOwner(Value value) const {
  auto it = owners.find(value);
  return it == owners.end() ? nullptr : &ties[it->second];
}

const LayoutTie *LayoutTies::getTarget(OpOperand &operand) const {
  auto it = targets.find(&operand);
  return it == targets.end() ? nullptr : &ties[it->second];
}
