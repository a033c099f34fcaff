// What does not need the sums of a product is done while tensor cores compute
// it.
//
// A product is a chain of a hundred clocks and more in which the threads that
// wait for it do nothing. Stores in front of it make it start later, and
// conversions behind it, of what was there before, make its use come later:
// both go between its start and its wait.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Memory/GlobalHazards.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Layout/LayoutConversion.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_FILLWGMMAWAITS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

//===----------------------------------------------------------------------===//
// Tiles that are in memory already
//===----------------------------------------------------------------------===//

/// Whether threads read `memory` 16 bytes at a time into the registers of
/// `tile`.
static bool isReadWide(SharedType memory, RankedTensorType tile) {
  constexpr unsigned kWide = 16;
  unsigned bytes = getElementBytes(tile.getElementType());
  SharedAccess access =
      getSharedAccess(getLayout(tile)->dropRedundantBits(LayoutAxis::Register),
                      memory.getLayout().getLayout(), bytes);
  return (bytes << access.vectorRegisters.size()) >= kWide;
}

/// Reads back from memory what is stored there for products and needed in other
/// registers, too.
static void readBack(AllocOp alloc, RewriterBase &b) {
  Value tile = alloc.getSource();
  if (!tile || alloc.getCluster() != 1 || isExplicit(alloc) ||
      llvm::any_of(alloc->getUsers(), llvm::IsaPred<LocalStoreOp>))
    return;
  for (Operation *user : llvm::make_early_inc_range(tile.getUsers())) {
    auto convert = dyn_cast<ConvertLayoutOp>(user);
    if (!convert || convert->getBlock() != alloc->getBlock() ||
        !alloc->isBeforeInBlock(convert) || !usesScratch(convert) ||
        !isReadWide(alloc.getType(), convert.getType()))
      continue;
    b.setInsertionPoint(convert);
    b.replaceOpWithNewOp<LocalLoadOp>(convert, convert.getType(), alloc);
  }
}

//===----------------------------------------------------------------------===//
// Chains of products
//===----------------------------------------------------------------------===//

/// Whether all products are waited for behind `product` before a slot is given
/// back.
static bool isAwaited(WgmmaOp product) {
  for (Operation *op = product->getNextNode(); op; op = op->getNextNode()) {
    if (op->getNumRegions() != 0 || isa<RingReleaseOp, PingPongPassOp>(op))
      return false;
    if (auto wait = dyn_cast<WgmmaWaitOp>(op); wait && wait.getPendings() == 0)
      return true;
  }
  return false;
}

/// Whether a product that another wait follows alone uses what `wait` gives, as
/// its sum, and nothing in between touches memory.
static bool isNeedless(WgmmaWaitOp wait) {
  if (isExplicit(wait) || wait.getPendings() != 0 ||
      wait.getNumResults() != 1 || !wait.getResult(0).hasOneUse() ||
      !wait.getAccumulators()[0].getDefiningOp<WgmmaOp>())
    return false;
  auto next = dyn_cast<WgmmaOp>(*wait->user_begin());
  if (!next || next.getAcc() != wait.getResult(0) ||
      next->getBlock() != wait->getBlock())
    return false;
  for (Operation *op = wait->getNextNode(); op != next; op = op->getNextNode())
    if (!isMemoryEffectFree(op) || usesScratch(op))
      return false;
  return isAwaited(next);
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

namespace {

class Filler {
public:
  Filler(Block &block, GlobalHazards &order) : block(block), order(order) {}

  void run();

private:
  void sinkWait(RingWaitOp wait);
  void hoistConversions(WgmmaWaitOp wait, WgmmaOp product);
  void sinkStores(WgmmaWaitOp wait, WgmmaOp product);
  bool addSlice(Operation *op, llvm::SetVector<Operation *> &slice);
  bool mayPass(tile::StoreOp store, Operation *op);
  void sink(tile::StoreOp store, Operation *&before);

  Block &block;
  GlobalHazards &order;
};

} // namespace

/// The last product in front of `wait`, if no other wait stands in between.
static WgmmaOp findDot(WgmmaWaitOp wait) {
  for (Operation *op = wait->getPrevNode(); op; op = op->getPrevNode()) {
    if (auto product = dyn_cast<WgmmaOp>(op))
      return product;
    if (isa<WgmmaWaitOp>(op) || op->getNumRegions() != 0)
      return {};
  }
  return {};
}

/// Whether threads have to wait for copies only where `op` stands.
static bool endsSink(Operation *op, RingWaitOp wait) {
  return op->getNumRegions() != 0 || usesScratch(op) ||
         isa<RingAcquireOp, RingWaitOp, RingCommitOp, RingReleaseOp, WgmmaOp,
             WgmmaWaitOp, LocalLoadOp, BarrierOp>(op) ||
         op->hasTrait<OpTrait::IsTerminator>() ||
         llvm::is_contained(op->getOperands(), wait.getSlot()) ||
         llvm::any_of(wait.getTiles(), [&](Value tile) {
           return llvm::is_contained(op->getOperands(), tile);
         });
}

/// Waits for copies of threads, with the barrier behind, once the operands that
/// threads make are stored, which need one, too.
void Filler::sinkWait(RingWaitOp wait) {
  auto barrier = dyn_cast_or_null<BarrierOp>(wait->getNextNode());
  if (!barrier || !wait.getIndex())
    return;
  Operation *last = nullptr, *op = barrier->getNextNode();
  for (; !endsSink(op, wait); op = op->getNextNode())
    if (isa<AllocOp>(op))
      last = op;
  if (!last || !isa<WgmmaOp>(op))
    return;
  wait->moveAfter(last);
  barrier->moveAfter(wait);
}

/// Conversions behind `wait` of what was there before `product`.
void Filler::hoistConversions(WgmmaWaitOp wait, WgmmaOp product) {
  constexpr int64_t kMostRegisters = 32;
  SmallVector<ConvertLayoutOp> conversions;
  for (Operation *op = wait->getNextNode(); op; op = op->getNextNode()) {
    if (op->getNumRegions() != 0 || isa<WgmmaOp>(op))
      break;
    auto convert = dyn_cast<ConvertLayoutOp>(op);
    if (!convert || !usesScratch(convert))
      continue;
    Operation *source = convert.getSource().getDefiningOp();
    if ((!source || source->getBlock() != &block ||
         source->isBeforeInBlock(product)) &&
        getLayout(convert.getType())->getInSize(LayoutAxis::Register) <=
            kMostRegisters)
      conversions.push_back(convert);
  }
  for (ConvertLayoutOp convert : conversions)
    convert->moveBefore(wait);
}

/// Whether `value` lies in the registers of a product's sum.
static bool isSum(Value value) {
  return value.getDefiningOp<WgmmaWaitOp>() ||
         llvm::any_of(value.getUsers(), [&](Operation *user) {
           auto product = dyn_cast<WgmmaOp>(user);
           return product && product.getAcc() == value;
         });
}

/// Whether `op` gives the same wherever it stands: what it reads is not stored
/// to a second time.
static bool isFixedRead(Operation *op) {
  if (isa<ConvertLayoutOp>(op))
    return true;
  auto load = dyn_cast<LocalLoadOp>(op);
  auto alloc = load ? load.getMemory().getDefiningOp<AllocOp>() : AllocOp();
  return alloc && alloc.getSource() && alloc.getCluster() == 1 &&
         llvm::none_of(alloc->getUsers(), llvm::IsaPred<LocalStoreOp>);
}

/// Adds `op`, and what is only computed for what is in `slice`, which stands in
/// the block. Values stay as small as they are: conversions alone are taken
/// along of what is stored, of places and masks all.
bool Filler::addSlice(Operation *op, llvm::SetVector<Operation *> &slice) {
  slice.insert(op);
  for (unsigned i = 0; i < slice.size(); ++i)
    for (Value operand : slice[i]->getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (!from || from->getBlock() != &block || from->getNumRegions() != 0 ||
          from->hasTrait<OpTrait::ConstantLike>())
        continue;
      bool isPlace = !isa<FloatType>(getElementTypeOrSelf(operand.getType()));
      if ((isFixedRead(from) ||
           (isPlace && isMemoryEffectFree(from) && !usesScratch(from))) &&
          llvm::none_of(from->getOperands(), isSum) &&
          llvm::all_of(from->getUsers(),
                       [&](Operation *user) { return slice.contains(user); }))
        slice.insert(from);
    }
  return llvm::none_of(op->getOperands(), isSum);
}

/// Whether `store` may come behind `op`.
bool Filler::mayPass(tile::StoreOp store, Operation *op) {
  if (op->getNumRegions() != 0)
    return false;
  if (isMemoryEffectFree(op))
    return true;
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return !load.getIsVolatile() &&
           !order.mayOverlap(store.getPtr(), load.getPtr());
  if (auto copy = dyn_cast<AsyncCopyOp>(op))
    return !order.mayOverlap(store.getPtr(), copy->getOperand(0));
  if (auto other = dyn_cast<tile::StoreOp>(op))
    return !order.mayOverlap(store.getPtr(), other.getPtr());
  return isa<WgmmaOp, AllocOp, LocalLoadOp, LocalStoreOp, RingAcquireOp,
             RingCommitOp, RingWaitOp, SharedTransposeOp>(op);
}

/// Moves `store`, with what is computed for it alone, in front of `before`,
/// and `before` in front of that; leaves it where an op in between forbids it.
void Filler::sink(tile::StoreOp store, Operation *&before) {
  llvm::SetVector<Operation *> slice;
  if (!addSlice(store, slice))
    return;
  for (Operation *op = store->getNextNode(); op != before;
       op = op->getNextNode())
    if (!mayPass(store, op))
      return;
  SmallVector<Operation *> ordered = slice.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (Operation *op : ordered)
    op->moveBefore(before);
  before = ordered.front();
}

/// Stores in front of `product`, from the last wait on.
void Filler::sinkStores(WgmmaWaitOp wait, WgmmaOp product) {
  SmallVector<tile::StoreOp> stores;
  for (Operation *op = product->getPrevNode(); op && !isa<WgmmaWaitOp>(op);
       op = op->getPrevNode())
    if (auto store = dyn_cast<tile::StoreOp>(op))
      stores.push_back(store);
  Operation *before = wait;
  // From the last on, so that they keep their order.
  for (tile::StoreOp store : stores)
    sink(store, before);
}

void Filler::run() {
  for (auto wait : llvm::to_vector(block.getOps<WgmmaWaitOp>()))
    if (WgmmaOp product = findDot(wait)) {
      sinkStores(wait, product);
      hoistConversions(wait, product);
    }
  for (auto wait : llvm::to_vector(block.getOps<RingWaitOp>()))
    sinkWait(wait);
}

namespace {
struct FillWgmmaWaits : warp::impl::FillWgmmaWaitsBase<FillWgmmaWaits> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (auto function : getOperation().getOps<tile::FuncOp>())
      visit(function, rewriter);
  }

  void visit(tile::FuncOp function, RewriterBase &rewriter) {
    SmallVector<AllocOp> allocs;
    SmallVector<WgmmaWaitOp> waits;
    function.walk([&](AllocOp alloc) { allocs.push_back(alloc); });
    function.walk([&](WgmmaWaitOp wait) { waits.push_back(wait); });
    for (AllocOp alloc : allocs)
      readBack(alloc, rewriter);
    for (WgmmaWaitOp wait : waits)
      if (isNeedless(wait))
        rewriter.replaceOp(wait, wait.getAccumulators());
    GlobalHazards order(function);
    llvm::SetVector<Block *> blocks;
    function.walk([&](WgmmaWaitOp wait) {
      if (!isExplicit(wait))
        blocks.insert(wait->getBlock());
    });
    for (Block *block : blocks)
      Filler(*block, order).run();
  }
};
} // namespace
