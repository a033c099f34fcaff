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

/// `wanted`, the layout of a row, with the registers of a thread distributed
/// over the lanes that hold copies. Shuffles bring the elements to the others.
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
  // The values of a tie share one layout: the first that one of them gets.
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
    layout = sortRowRegisters(load, layout);
  }
  assign(value, layout);
}

void LayoutAssignment::drain() {
  while (!worklist.empty())
    spread(worklist.pop_back_val());
}

/// Whether all elements are equal, so that every thread has them in any layout.
static bool isUniform(Value value) {
  if (value.getDefiningOp<tile::SplatOp>())
    return true;
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  return constant && isa<SplatElementsAttr>(constant.getValue());
}

/// Whether the user of `use` has a tile operand that is not uniform, which
/// decides about the layout of the result.
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
    // The layout that one user of a constant needs must not decide for others.
    bool isNoSource =
        isUniform(value) && (ties.getTarget(use) || hasOtherSource(use));
    if (!isNoSource)
      spreadToUser(use, layout);
  }
}

void LayoutAssignment::spreadOverTie(const LayoutTie &tie, LinearAttr layout) {
  for (Value owned : tie.owned)
    assign(owned, layout);
  // Requests the layout of the owned values, which may have been fixed before,
  // for the incoming ones.
  LinearAttr ofOwned = layouts.lookup(tie.owned.front());
  for (OpOperand *incoming : tie.incoming)
    request(incoming->get(), ofOwned);
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

/// The reduction whose axis `op` broadcasts to its former length, as in sorting
/// networks. Null if there is none.
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
  // Every thread that held operands of the reduction has its result. So the
  // broadcast tile in the layout of those operands needs no conversion.
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
  // The uses of an index decide about the layout of its load, not the operands
  // of its address.
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

/// Whether the lanes of a warp should load each element of `load` once and pass
/// it on by shuffles:
/// 1. A loop loads floats, such as scales of columns, from scattered addresses.
/// 2. In the layout `wanted` each thread needs at least 32 of them, so that
///    their addresses alone fill its registers.
/// 3. Distributing them over the lanes saves at least 7 of 8 loads.
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

/// The layouts of an explicit `warp.wgmma` in the kernel's source.
static DotLayouts getDotLayouts(warp::WgmmaOp wgmma, int64_t numWarps) {
  // warp::checkDots has checked that there is one dot, with a layout.
  auto type = cast<RankedTensorType>(wgmma.getSingleAcc().getType());
  auto b = cast<warp::SharedType>(wgmma.getSingleB().getType());
  LinearLayout acc = *wgmmaLayout(type.getShape(), numWarps);
  DotLayouts layouts;
  layouts.isWgmma = true;
  layouts.acc = LinearAttr::get(wgmma.getContext(), acc);
  if (isa<RankedTensorType>(wgmma.getA().getType()))
    layouts.a = LinearAttr::get(
        wgmma.getContext(),
        wgmmaOperandLayout(acc, b.getShape()[0],
                           8 * warp::getElementBytes(b.getElementType())));
  layouts.readsAsA = bool(layouts.a);
  return layouts;
}

/// Whether the threads that load `operand` hold consecutive elements along
/// `dim`, as far as that is known before layouts propagate.
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
  // The results of anchors are fixed before layouts propagate.
  func.walk([&](Operation *op) {
    if (auto wgmma = dyn_cast<warp::WgmmaOp>(op)) {
      dotLayouts[op] = getDotLayouts(wgmma, numWarps);
      assign(wgmma.getSingleResult(), dotLayouts[op].acc);
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
      // Loop-carried pointers must not need a conversion in the loop.
      if (rows.contains(op))
        if (const LayoutTie *tie =
                ties.getOwner(cast<tile::LoadOp>(op).getPtr()))
          for (Value owned : tie->owned)
            layouts.try_emplace(owned, layout);
    }
  });
  func.walk(
      [&](tile::DotOp dot) { request(dot.getAcc(), dotLayouts[dot].acc); });
  func.walk([&](warp::WgmmaOp wgmma) {
    request(wgmma.getSingleAcc(), dotLayouts[wgmma].acc);
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

/// Whether the other arm of the `if` around `store` stores the same tile
/// through a descriptor. That arm is taken nearly always, so this one must not
/// cost it registers or shared memory.
static bool isFallbackOfDescriptorStore(tile::StoreOp store) {
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
                           isFallbackOfDescriptorStore(store));
    // Loop-carried pointers take two registers each and would be converted in
    // each iteration. Converting the stored value instead is cheaper.
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
  // Ops with effects on single elements, like tile.print, take any layout.
  return layouts.lookup(use.get());
}
