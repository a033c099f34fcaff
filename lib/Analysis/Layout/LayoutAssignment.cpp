#include "lib/Analysis/Layout/LayoutAssignment.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Mma/ThreadDot.h"
#include "lib/Layout/LayoutInference.h"
#include "lib/Layout/WgmmaTiling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using warp::LinearAttr;

LayoutAssignment::LayoutAssignment(tile::FuncOp func, int64_t numWarps,
                                   const NvidiaTarget &target,
                                   const StagedVectors &rows)
    : func(func), numWarps(numWarps), target(target), rows(rows), axes(func),
      accesses(func, axes, numWarps, target), ties(func) {
  anchorDots();
  anchorLoads();
  anchorStores();
  anchorFreeLoads();
  assignTheRest();
}

LinearAttr LayoutAssignment::getLayout(Value value) const {
  return layouts.lookup(value);
}

const DotLayouts &LayoutAssignment::getDot(tile::DotOp dot) const {
  return dotLayouts.find(dot)->second;
}

/// `wanted`, of a row, with the lanes that hold copies of each other's elements
/// sharing what each of their threads holds: shuffles pass it on.
static LinearAttr shareAmongLanes(LinearAttr wanted) {
  const LinearLayout &layout = wanted.getLayout();
  SmallVector<uint64_t> held, lanes(layout.getColumns(LayoutAxis::Lane));
  for (uint64_t column : layout.getColumns(LayoutAxis::Register))
    if (column != 0)
      held.push_back(column);
  llvm::sort(held);
  for (uint64_t &lane : lanes)
    if (lane == 0 && !held.empty())
      lane = held.pop_back_val();
  SmallVector<Extent> ins(layout.getIns());
  SmallVector<uint64_t> columns;
  for (Extent &in : ins) {
    ArrayRef<uint64_t> own = in.axis == LayoutAxis::Register ? held
                             : in.axis == LayoutAxis::Lane
                                 ? ArrayRef<uint64_t>(lanes)
                                 : layout.getColumns(in.axis);
    in.bits = own.size();
    columns.append(own.begin(), own.end());
  }
  return LinearAttr::get(wanted.getContext(),
                         LinearLayout(ins, layout.getOuts(), columns));
}

//===----------------------------------------------------------------------===//
// Spreading
//===----------------------------------------------------------------------===//

void LayoutAssignment::assign(Value value, LinearAttr layout) {
  auto give = [&](Value value) {
    bool isNew = isa<RankedTensorType>(value.getType()) &&
                 layouts.try_emplace(value, layout).second;
    if (isNew)
      worklist.push_back(value);
    return isNew;
  };
  // What a tie owns has one layout at any time: the first that any of it gets.
  if (give(value))
    if (const LayoutTie *tie = ties.getOwner(value))
      llvm::for_each(tie->owned, give);
}

void LayoutAssignment::request(Value value, LinearAttr layout) {
  if (value.getDefiningOp<tile::ReduceOp>())
    return;
  if (auto load = value.getDefiningOp<tile::LoadOp>();
      load && !layouts.contains(value)) {
    if (isLoadedOnce(load, layout))
      return anchorAccess(load, shareAmongLanes(layout));
    layout = getOrderOfRow(load, layout);
  }
  assign(value, layout);
}

void LayoutAssignment::drain() {
  while (!worklist.empty())
    spread(worklist.pop_back_val());
}

/// Whether all elements are one number, which every thread has in any layout.
static bool isUniform(Value value) {
  if (value.getDefiningOp<tile::SplatOp>())
    return true;
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// Whether something else than uniform values decides about the result of the
/// operand's user.
static bool hasOtherSource(OpOperand &use) {
  return llvm::any_of(use.getOwner()->getOperands(), [](Value operand) {
    return isa<RankedTensorType>(operand.getType()) && !isUniform(operand);
  });
}

void LayoutAssignment::spread(Value value) {
  LinearAttr layout = layouts.lookup(value);
  if (const LayoutTie *tie = ties.getOwner(value))
    spreadOverTie(*tie, layout);
  spreadToOperands(value, layout);
  for (OpOperand &use : value.getUses()) {
    // What one user of a constant needs must not decide for the others.
    bool isNoSource =
        isUniform(value) && (ties.getTarget(use) || hasOtherSource(use));
    if (!isNoSource)
      spreadToUser(use, layout);
  }
}

void LayoutAssignment::spreadOverTie(const LayoutTie &tie, LinearAttr layout) {
  for (Value owned : tie.owned)
    assign(owned, layout);
  // What comes in had better be in the layout of what is owned, which may have
  // been fixed before.
  LinearAttr kept = layouts.lookup(tie.owned.front());
  for (OpOperand *incoming : tie.incoming)
    request(incoming->get(), kept);
}

void LayoutAssignment::spreadToOperands(Value value, LinearAttr layout) {
  Operation *op = value.getDefiningOp();
  if (!op || accessLayouts.contains(op))
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    LinearAttr wanted =
        isa<tile::LoadOp>(op) ? layout : getOperandLayout(operand, layout);
    if (wanted)
      request(operand.get(), wanted);
  }
}

/// The reduction that a dimension of the source of `op` comes from, which the
/// broadcast gives its length again, as in sorting networks.
static tile::ReduceOp getUndoneReduction(tile::BroadcastOp op) {
  auto expand = op.getSource().getDefiningOp<tile::ExpandDimsOp>();
  Value value = expand ? expand.getSource() : Value();
  while (Operation *def = value ? value.getDefiningOp() : nullptr) {
    if (auto reduce = dyn_cast<tile::ReduceOp>(def)) {
      auto source = cast<RankedTensorType>(reduce.getOperands()[0].getType());
      auto result = cast<RankedTensorType>(op.getType());
      bool isUndone = reduce.getAxis() == expand.getAxis() &&
                      source.getShape() == result.getShape();
      return isUndone ? reduce : tile::ReduceOp();
    }
    if (!isElementwise(def))
      break;
    value = def->getOperand(0);
  }
  return {};
}

LinearAttr LayoutAssignment::getBroadcastLayout(OpOperand &use,
                                                LinearAttr layout) const {
  // All threads that a reduction took elements from have what it gives: as
  // copies, or as the elements of the broadcast tile without a move.
  if (auto reduce = getUndoneReduction(cast<tile::BroadcastOp>(use.getOwner())))
    if (LinearAttr source = layouts.lookup(reduce.getOperands()[0]);
        source && getOperandLayout(use, source) == layout)
      return source;
  return getResultLayout(use, layout);
}

void LayoutAssignment::spreadToUser(OpOperand &use, LinearAttr layout) {
  Operation *op = use.getOwner();
  if (const LayoutTie *tie = ties.getTarget(use))
    return spreadOverTie(*tie, layout);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return spreadOverReduce(reduce, layout);
  // What an index is needed for decides where it is loaded, not what its
  // address happens to be computed from.
  bool isIndex = isa<tile::LoadOp>(op) && isOnlyExpanded(op->getResult(0));
  if (accessLayouts.contains(op) || isIndex)
    return;
  LinearAttr result = isa<tile::LoadOp>(op) ? layout
                      : isa<tile::BroadcastOp>(op)
                          ? getBroadcastLayout(use, layout)
                          : getResultLayout(use, layout);
  if (result)
    assign(op->getResult(0), result);
}

void LayoutAssignment::spreadOverReduce(tile::ReduceOp reduce,
                                        LinearAttr layout) {
  for (Value operand : reduce.getOperands())
    request(operand, layout);
  // The first operand decides, see getDemand.
  LinearAttr source = layouts.lookup(reduce.getOperands().front());
  if (!source)
    return;
  for (Value result : reduce.getResults())
    if (isa<RankedTensorType>(result.getType()))
      assign(result, LinearAttr::get(
                         reduce.getContext(),
                         reducedLayout(source.getLayout(), reduce.getAxis())));
}

//===----------------------------------------------------------------------===//
// Anchors
//===----------------------------------------------------------------------===//

/// Whether the numbers that `load` brings in each iteration of a loop, as
/// scales of columns, lie anywhere, and each thread would need so many of them
/// for the layout `wanted` that their addresses alone fill its registers. The
/// lanes of a warp share them out then, and shuffles pass them on.
bool LayoutAssignment::isLoadedOnce(tile::LoadOp load,
                                    LinearAttr wanted) const {
  constexpr unsigned kManyBits = 5, kWorthBits = 3;
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || !isa<FloatType>(type.getElementType()) || load.getIsVolatile() ||
      !load->getParentOfType<LoopLikeOpInterface>() ||
      !isOnlyExpanded(load.getResult()) ||
      accesses.isContiguous(*MemoryAccess::of(load)))
    return false;
  auto countBits = [](LinearAttr attr) {
    return attr.getLayout().countTellingBits(LayoutAxis::Register);
  };
  unsigned bits = countBits(wanted);
  return bits >= kManyBits &&
         bits >= countBits(shareAmongLanes(wanted)) + kWorthBits;
}

void LayoutAssignment::anchorAccess(Operation *op, LinearAttr layout) {
  accessLayouts[op] = layout;
  for (Value result : op->getResults())
    assign(result, layout);
  for (Value operand : op->getOperands())
    request(operand, layout);
}

/// The layouts of a product that the kernel's source says.
static DotLayouts getDotLayouts(warp::WgmmaOp product, int64_t numWarps) {
  RankedTensorType type = product.getAcc().getType();
  auto b = cast<warp::SharedType>(product.getB().getType());
  // The product was checked: warp::checkDots.
  LinearLayout acc = *wgmmaLayout(type.getShape(), numWarps);
  DotLayouts layouts;
  layouts.isWgmma = true;
  layouts.acc = LinearAttr::get(product.getContext(), acc);
  if (isa<RankedTensorType>(product.getA().getType()))
    layouts.a = LinearAttr::get(
        product.getContext(),
        wgmmaOperandLayout(acc, b.getShape()[0],
                           8 * warp::getElementBytes(b.getElementType())));
  layouts.readsAsA = bool(layouts.a);
  return layouts;
}

/// Whether the threads that load `operand` have neighbours along `dim`, as far
/// as that is known before anything spreads.
bool LayoutAssignment::liesAlong(Value operand, unsigned dim) const {
  while (!layouts.contains(operand)) {
    Operation *op = operand.getDefiningOp();
    if (auto transpose = dyn_cast_if_present<tile::TransposeOp>(op))
      dim = transpose.getOrder()[dim];
    else if (!op || !isElementwise(op))
      return false;
    operand = op->getOperand(0);
  }
  return hasNeighboursAlong(layouts.lookup(operand).getLayout(), dim);
}

void LayoutAssignment::anchorDots() {
  // What anchors give is fixed before anything spreads.
  func.walk([&](Operation *op) {
    if (auto product = dyn_cast<warp::WgmmaOp>(op)) {
      dotLayouts[op] = getDotLayouts(product, numWarps);
      assign(product.getResult(), dotLayouts[op].acc);
    } else if (auto dot = dyn_cast<tile::DotOp>(op)) {
      OperandOrder order;
      if (cast<RankedTensorType>(dot.getType()).getRank() == 2)
        order = {liesAlong(dot.getA(), 1), liesAlong(dot.getB(), 0)};
      DotLayouts chosen = chooseDotLayouts(dot, numWarps, target, order);
      dotLayouts[op] = chosen;
      assign(dot.getResult(), chosen.acc);
    } else if (isAnchoredLoad(op)) {
      LinearAttr layout = getLoadLayout(op);
      accessLayouts[op] = layout;
      layouts[op->getResult(0)] = layout;
      // Pointers that a loop carries must not need a conversion in it.
      if (rows.contains(op))
        if (const LayoutTie *tie =
                ties.getOwner(cast<tile::LoadOp>(op).getPtr()))
          for (Value owned : tie->owned)
            layouts.try_emplace(owned, layout);
    }
  });
  func.walk(
      [&](tile::DotOp dot) { request(dot.getAcc(), dotLayouts[dot].acc); });
  func.walk([&](warp::WgmmaOp product) {
    request(product.getAcc(), dotLayouts[product].acc);
  });
  drain();
  func.walk([&](Operation *op) {
    if (auto it = dotLayouts.find(op);
        it != dotLayouts.end() && it->second.readsAsA)
      request(op->getOperand(0), it->second.a);
  });
  drain();
}

void LayoutAssignment::anchorLoads() {
  func.walk([&](Operation *op) {
    if (!isAnchoredLoad(op))
      return;
    worklist.push_back(op->getResult(0));
    if (rows.contains(op))
      worklist.push_back(op->getOperand(0));
    anchorAccess(op, accessLayouts[op]);
    drain();
  });
}

/// Whether the other way of the branch that `store` stands in stores the same
/// tile as a block: that is the way that is taken nearly always, so this one
/// must not cost it registers or shared memory.
static bool standsBesideBlock(tile::StoreOp store) {
  auto branch = dyn_cast<scf::IfOp>(store->getParentOp());
  if (!branch)
    return false;
  return llvm::any_of(store.getValue().getUsers(), [&](Operation *user) {
    return isa<tile::DescriptorStoreOp>(user) &&
           user->getParentOp() == branch &&
           user->getBlock() != store->getBlock();
  });
}

void LayoutAssignment::anchorStores() {
  func.walk([&](tile::StoreOp store) {
    std::optional<MemoryAccess> access = MemoryAccess::of(store);
    if (!access)
      return;
    LinearAttr given = layouts.lookup(store.getValue());
    bool keeps = given && (accesses.isGoodEnough(*access, given) ||
                           standsBesideBlock(store));
    // Pointers that a loop carries take two registers each, and would be
    // brought into another layout in each iteration: rather what is stored is.
    LinearAttr carried = ties.getOwner(store.getPtr())
                             ? layouts.lookup(store.getPtr())
                             : LinearAttr();
    if (carried && !accesses.isGoodEnough(*access, carried))
      carried = {};
    LinearAttr wanted = keeps     ? given
                        : carried ? carried
                        : given   ? accesses.getCoalescedAlone(*access)
                                  : accesses.getCoalesced(*access);
    anchorAccess(store, wanted);
    drain();
  });
}

void LayoutAssignment::anchorFreeLoads() {
  func.walk([&](tile::LoadOp load) {
    std::optional<MemoryAccess> access = MemoryAccess::of(load);
    if (!access || layouts.contains(load.getResult()) ||
        layouts.contains(load.getPtr()) || !accesses.hasNearestDim(*access))
      return;
    anchorAccess(load, accesses.getCoalesced(*access));
    drain();
  });
}

void LayoutAssignment::assignTheRest() {
  auto assignDefault = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || layouts.contains(value))
      return;
    auto load = value.getDefiningOp<tile::LoadOp>();
    LinearAttr ofPointers = load ? layouts.lookup(load.getPtr()) : LinearAttr();
    assign(value, ofPointers ? ofPointers : accesses.getDefault(type));
    drain();
  };
  func.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), assignDefault);
    llvm::for_each(op->getResults(), assignDefault);
  });
}

//===----------------------------------------------------------------------===//
// Demands
//===----------------------------------------------------------------------===//

LinearAttr LayoutAssignment::getDemand(OpOperand &use) const {
  Operation *op = use.getOwner();
  if (const LayoutTie *tie = ties.getTarget(use))
    return layouts.lookup(tie->owned.front());
  if (auto it = accessLayouts.find(op); it != accessLayouts.end())
    return it->second;
  if (auto it = dotLayouts.find(op); it != dotLayouts.end()) {
    const DotLayouts &dot = it->second;
    LinearAttr wanted[] = {dot.a, dot.b, dot.acc};
    LinearAttr demand = wanted[use.getOperandNumber()];
    return demand ? demand : layouts.lookup(use.get());
  }
  if (isa<tile::ReduceOp, tile::HistogramOp>(op))
    return layouts.lookup(op->getOperand(0));
  if (op->getNumResults() == 1)
    if (LinearAttr result = layouts.lookup(op->getResult(0)))
      if (LinearAttr wanted =
              isa<tile::LoadOp>(op) ? result : getOperandLayout(use, result))
        return wanted;
  // Ops with effects on single elements, like tile.print, take what there is.
  return layouts.lookup(use.get());
}
