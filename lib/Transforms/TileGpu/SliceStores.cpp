// Computes blocks that exceed the registers in slices, from loads to stores.
//
// Code for thousands of elements per thread takes the assembler minutes, and
// most of the elements spill. Where each stored element depends only on
// elements at the same index, a loop computes one slice at a time.

#include "lib/Transforms/TileGpu/SplitBlocks.h"

#include "lib/Analysis/Facts/Elementwise.h"
#include "lib/Analysis/Layout/LayoutAssignment.h"
#include "lib/Analysis/Memory/GlobalHazards.h"
#include "lib/Analysis/Target/TargetOptions.h"
#include "lib/Transforms/Tile/FirstElements.h"
#include "lib/Transforms/TileGpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using tile::Cut;

namespace tilewright::tile_gpu {
#define GEN_PASS_DEF_SLICESTORES
#include "lib/Transforms/TileGpu/Passes.h.inc"
} // namespace tilewright::tile_gpu

/// Elements per warp: of a slice, and of the largest block that stays whole.
/// Twice as many fill the registers and spill.
static constexpr int64_t kSliceOfWarp = 32 * 32, kWholeOfWarp = 128 * 32;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {

/// Stores that share loads, and everything that they depend on along the sliced
/// dimension.
struct Slices {
  Cut cut;
  llvm::SetVector<Operation *> accesses;
  llvm::DenseMap<Value, Cut> cuts;

  /// Adds the ops that compute `tile`. Returns false if one can not be sliced,
  /// or would have to be sliced in two ways.
  bool add(Value tile, const Cut &cut, Block *block);
  bool add(tile::StoreOp store);
  bool sharesLoads(const Slices &other) const;
  void sort();
  /// Whether the sliced values have no other users.
  bool haveNoOtherUsers() const;
  /// Whether all accesses can move to the last one, those of each slice
  /// together.
  bool canMove(GlobalHazards &order) const;
};

} // namespace

bool Slices::add(Value tile, const Cut &cut, Block *block) {
  if (!isa<RankedTensorType>(tile.getType()) ||
      tile::cutType(tile.getType(), cut) == tile.getType())
    return true;
  auto [known, isNew] = cuts.try_emplace(tile, cut);
  if (!isNew)
    return known->second == cut;
  Operation *op = tile.getDefiningOp();
  if (!op)
    return false;
  SplatElementsAttr constant;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return matchPattern(op, m_Constant(&constant));
  if (isa<tile::SplatOp, tile::RangeOp>(op))
    return true;
  auto load = dyn_cast<tile::LoadOp>(op);
  if (load && !load.getIsVolatile() && op->getBlock() == block)
    accesses.insert(op);
  else if (!isEffectFreeElementwise(op) && !tile::cutSource(op, cut))
    return false;
  Cut source = tile::cutSource(op, cut).value_or(cut);
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return add(operand, source, block);
  });
}

bool Slices::add(tile::StoreOp store) {
  accesses.insert(store);
  return llvm::all_of(store->getOperands(), [&](Value operand) {
    return add(operand, cut, store->getBlock());
  });
}

bool Slices::sharesLoads(const Slices &other) const {
  return llvm::any_of(
      accesses, [&](Operation *op) { return other.accesses.contains(op); });
}

void Slices::sort() {
  SmallVector<Operation *> inOrder = accesses.takeVector();
  llvm::sort(inOrder,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  accesses.insert_range(inOrder);
}

bool Slices::haveNoOtherUsers() const {
  SmallVector<Operation *> left(accesses.begin(), accesses.end());
  llvm::DenseSet<Operation *> seen;
  while (!left.empty()) {
    Operation *op = left.pop_back_val();
    if (!seen.insert(op).second)
      continue;
    bool isSliced =
        isa<tile::StoreOp>(op)
            ? accesses.contains(op)
            : op->getNumResults() == 1 && cuts.contains(op->getResult(0));
    if (!isSliced)
      return false;
    llvm::append_range(left, op->getUsers());
  }
  return true;
}

bool Slices::canMove(GlobalHazards &order) const {
  auto conflicts = [&](Operation *a, Operation *b) {
    return (isa<tile::StoreOp>(a) || isa<tile::StoreOp>(b)) &&
           order.mayOverlap(a->getOperand(0), b->getOperand(0));
  };
  // No slice may access what another one writes.
  for (Operation *access : accesses)
    for (Operation *other : accesses)
      if (other->getOperand(0) != access->getOperand(0) &&
          conflicts(access, other))
        return false;
  SmallVector<Operation *> passed;
  for (Operation *op = accesses.front(); op != accesses.back();
       op = op->getNextNode()) {
    if (accesses.contains(op)) {
      passed.push_back(op);
      continue;
    }
    auto load = dyn_cast<tile::LoadOp>(op);
    bool isAccess = isa<tile::StoreOp>(op) || (load && !load.getIsVolatile());
    if (isAccess
            ? llvm::any_of(passed,
                           [&](Operation *own) { return conflicts(own, op); })
            : !isMemoryEffectFree(op))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {

/// Emits one slice that begins at `start`.
class SliceEmitter {
public:
  SliceEmitter(OpBuilder &b, Value start) : b(b), start(start) {}

  void emit(Operation *access, const Cut &cut);

private:
  Value get(Value tile, const Cut &cut);
  Value compute(Value tile, RankedTensorType type, const Cut &cut);
  Operation *copy(Operation *op, TypeRange types, const Cut &cut);

  OpBuilder &b;
  Value start;
  llvm::DenseMap<Value, Value> made;
};

} // namespace

void SliceEmitter::emit(Operation *access, const Cut &cut) {
  if (isa<tile::StoreOp>(access))
    copy(access, {}, cut);
  else
    get(access->getResult(0), cut);
}

Value SliceEmitter::get(Value tile, const Cut &cut) {
  if (!isa<RankedTensorType>(tile.getType()))
    return tile;
  RankedTensorType type = tile::cutType(tile.getType(), cut);
  if (type == tile.getType())
    return tile;
  if (Value known = made.lookup(tile))
    return known;
  return made[tile] = compute(tile, type, cut);
}

Operation *SliceEmitter::copy(Operation *op, TypeRange types, const Cut &cut) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand, cut));
  Operation *slice = clone(b, op, types, operands);
  if (!types.empty())
    slice->setDiscardableAttrs(
        getAttributes(op, cast<RankedTensorType>(types.front()).getShape()));
  return slice;
}

Value SliceEmitter::compute(Value tile, RankedTensorType type, const Cut &cut) {
  Operation *op = tile.getDefiningOp();
  SplatElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)))
    return arith::ConstantOp::create(b, op->getLoc(),
                                     constant.resizeSplat(type));
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return tile::SplatOp::create(b, op->getLoc(), type, splat.getSource());
  if (auto range = dyn_cast<tile::RangeOp>(op)) {
    uint32_t first = range.getStart();
    Value line = tile::RangeOp::create(b, op->getLoc(), type, first,
                                       first + type.getNumElements());
    return arith::AddIOp::create(
        b, op->getLoc(), line,
        tile::SplatOp::create(b, op->getLoc(), type, start));
  }
  Cut source = tile::cutSource(op, cut).value_or(cut);
  // A broadcast dimension may have had size 1 before.
  if (isa<tile::BroadcastOp>(op))
    if (Value line = get(op->getOperand(0), source); line.getType() == type)
      return line;
  return copy(op, type, source)->getResult(0);
}

static void emitLoop(const Slices &slices) {
  Operation *last = slices.accesses.back();
  ImplicitLocOpBuilder b(last->getLoc(), last);
  auto shape = cast<RankedTensorType>(last->getOperand(0).getType()).getShape();
  unsigned dim =
      llvm::find_if(slices.cut, [](int64_t parts) { return parts != 1; }) -
      slices.cut.begin();
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  };
  auto loop = scf::ForOp::create(b, number(0), number(shape[dim]),
                                 number(shape[dim] / slices.cut[dim]));
  loop->setAttr("tile.num_stages", b.getI32IntegerAttr(1));
  OpBuilder body = OpBuilder::atBlockTerminator(loop.getBody());
  SliceEmitter emitter(body, loop.getInductionVar());
  for (Operation *access : slices.accesses)
    emitter.emit(access, isa<tile::StoreOp>(access)
                             ? slices.cut
                             : slices.cuts.at(access->getResult(0)));
  remark::passed(last->getLoc(), remark::RemarkOpts::name("Blocks").category(
                                     "tile-gpu-slice-stores"))
      << remark::add(
             "computed in {0} slices, as the block exceeds the registers",
             slices.cut[dim]);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Cuts the longest dimension into a power of two of parts, so that slices are
/// small enough. Returns nothing for a block that stays whole.
static std::optional<Cut> chooseCut(tile::StoreOp store, int64_t numWarps) {
  auto type = dyn_cast<RankedTensorType>(store.getPtr().getType());
  if (!type || type.getNumElements() <= numWarps * kWholeOfWarp)
    return std::nullopt;
  ArrayRef<int64_t> shape = type.getShape();
  unsigned dim = llvm::max_element(shape) - shape.begin();
  int64_t wanted = llvm::PowerOf2Ceil(
      llvm::divideCeil(type.getNumElements(), numWarps * kSliceOfWarp));
  Cut cut(shape.size(), 1);
  cut[dim] = std::min<int64_t>(wanted, shape[dim] & -shape[dim]);
  return cut[dim] == 1 ? std::nullopt : std::optional(cut);
}

/// Groups the stores of one block, given in their order, by shared loads.
static SmallVector<Slices> findSlices(ArrayRef<tile::StoreOp> stores,
                                      int64_t numWarps) {
  SmallVector<Slices> found;
  for (tile::StoreOp store : stores) {
    std::optional<Cut> cut = chooseCut(store, numWarps);
    Slices own;
    own.cut = cut.value_or(Cut());
    if (!cut || !own.add(store))
      continue;
    auto *known = llvm::find_if(
        found, [&](const Slices &other) { return other.sharesLoads(own); });
    if (known == found.end())
      found.push_back(std::move(own));
    else if (known->cut != own.cut || !known->add(store))
      found.erase(known); // The stores slice their loads differently.
  }
  for (Slices &slices : found)
    slices.sort();
  return found;
}

namespace {

struct SliceStores : tile_gpu::impl::SliceStoresBase<SliceStores> {
  using SliceStoresBase::SliceStoresBase;

  void runOnOperation() override {
    if (failed(checkNumWarps(getOperation(), numWarps)))
      return signalPassFailure();
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (func.isKernel())
        slice(func);
  }

  void slice(tile::FuncOp func) {
    SmallVector<Slices> found;
    GlobalHazards order(func);
    func.walk([&](Block *block) {
      SmallVector<tile::StoreOp> stores(block->getOps<tile::StoreOp>());
      for (Slices &slices : findSlices(stores, numWarps))
        if (slices.haveNoOtherUsers() && slices.canMove(order))
          found.push_back(std::move(slices));
    });
    if (found.empty())
      return;
    for (const Slices &slices : found)
      emitLoop(slices);
    for (const Slices &slices : found)
      for (Operation *access : slices.accesses)
        if (isa<tile::StoreOp>(access))
          access->erase();
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, func->getRegions());
  }
};

} // namespace
