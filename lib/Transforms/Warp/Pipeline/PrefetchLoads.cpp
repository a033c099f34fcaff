// Loads small tiles that dots wait for, such as scales of packed weights, into
// registers one iteration early.
//
// Asynchronous copies into rings are early by themselves. But they copy at
// least four adjacent bytes, and threads often compute with less: a scalar for
// each row or column. Without prefetch each iteration would wait for the
// latency of such a load.

#include "lib/Transforms/Warp/Passes.h"

#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Transforms/Warp/Pipeline/PrefetchSlice.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"
#include "lib/Transforms/Warp/Schedule/LoopEntry.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_PREFETCHLOADS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

static bool isDot(Operation &op) { return isa<WgmmaOp, MmaOp>(op); }

/// Whether only the next iteration uses `load`: it is prefetched already.
static bool isPrefetched(tile::LoadOp load) {
  return llvm::all_of(load->getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
}

/// Whether wgmmas already hide `load`: it precedes them, and threads compute
/// with one accumulator while another wgmma is in flight.
static bool isHidden(tile::LoadOp load) {
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode())
    if (auto wait = dyn_cast<WgmmaWaitOp>(op))
      return wait.getPendings() != 0 &&
             llvm::any_of(wait->getUsers(), [](Operation *user) {
               return !isDot(*user) && !user->hasTrait<OpTrait::IsTerminator>();
             });
  return false;
}

/// Whether `load` loads an operand that goes to shared memory unchanged. In
/// registers such tiles lower the occupancy, which hides loads as well. Other
/// loads of the iteration would arrive after them.
static bool isOperand(Operation *load) {
  return llvm::all_of(load->getUsers(), [](Operation *user) {
    return isa<AllocOp>(user) ||
           (isa<tile::TransposeOp>(user) && isOperand(user));
  });
}

namespace {

/// Loads to prefetch in a loop, and the slice that computes them and their
/// addresses.
struct Early {
  scf::ForOp loop;
  SmallVector<tile::LoadOp> loads;
  AddressSlice slice;
};

class Loader {
public:
  explicit Loader(Early &early)
      : early(early), loop(early.loop), b(loop.getLoc(), loop) {}

  void run();

private:
  SmallVector<Value> load(SliceInputs &inputs, Value enable);

  Early &early;
  scf::ForOp loop;
  ImplicitLocOpBuilder b;
};

} // namespace

/// Adds `load` to `early` if its address can be computed early.
static bool add(Early &early, tile::LoadOp load) {
  AddressSlice slice = early.slice;
  for (Value operand : load->getOperands())
    if (!slice.add(early.loop, operand, /*keepsLoads=*/true).empty())
      return false;
  slice.ops.insert(load);
  early.slice = std::move(slice);
  early.loads.push_back(load);
  return true;
}

/// Returns the loads of `loop` to prefetch, none if that is not possible.
static Early plan(scf::ForOp loop, int64_t limit) {
  Early early{loop, {}, {}};
  Block *body = loop.getBody();
  if (isExplicit(loop) || llvm::none_of(*body, isDot))
    return early;
  int64_t room =
      std::min(OccupancyParameters::kMaxPrefetched,
               getRegisterBudget(loop).value_or(limit) -
                   OccupancyParameters::kLeftByPrefetches - countCarried(loop));
  for (auto load : body->getOps<tile::LoadOp>()) {
    int64_t registers = countHeld(load.getType());
    if (registers <= room && !load.getIsVolatile() && !isPrefetched(load) &&
        !isOperand(load) && !isHidden(load) && add(early, load))
      room -= registers;
  }
  SmallVector<Value> read;
  for (Operation *op : early.slice.ops)
    if (auto load = dyn_cast<tile::LoadOp>(op))
      read.push_back(load.getPtr());
  // An assertion may guard loads after it.
  bool asserts =
      loop->walk([](tile::AssertOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (asserts || findInterference(loop, read))
    early.loads.clear();
  return early;
}

/// Emits the loads of an iteration, masked off unless `enable` holds, and
/// advances `inputs` to the next one.
SmallVector<Value> Loader::load(SliceInputs &inputs, Value enable) {
  IRMapping map;
  emitSlice(b, loop, early.slice, inputs, enable, map);
  inputs = advance(b, loop, early.slice, inputs, map);
  SmallVector<Value> loaded;
  for (tile::LoadOp load : early.loads)
    loaded.push_back(map.lookup(load.getResult()));
  return loaded;
}

/// Rewrites the loop to carry more values: the inputs of the next iteration's
/// slice, and the values loaded for this one.
void Loader::run() {
  SliceInputs inputs = getFirstInputs(loop, early.slice);
  SmallVector<Value> loaded =
      load(inputs, emitRuns(loop, loop.getLowerBound(), b));
  SmallVector<Value> inits(inputs.carried);
  llvm::append_range(inits, loaded);

  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  // Set below: the new yielded values follow the old ones.
  auto carry = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return SmallVector<Value>(inits);
  };
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, carry));
  auto own = loop.getRegionIterArgs().take_back(inits.size());
  auto seen = own.take_front(inputs.carried.size());

  b.setInsertionPointToStart(loop.getBody());
  Value left =
      arith::SubIOp::create(b, loop.getUpperBound(), loop.getInductionVar());
  Value goesOn =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, left, loop.getStep());
  Value index =
      arith::AddIOp::create(b, loop.getInductionVar(), loop.getStep());
  inputs = {index, SmallVector<Value>(seen.begin(), seen.end())};
  loaded = load(inputs, goesOn);
  SmallVector<Value> next(inputs.carried);
  llvm::append_range(next, loaded);
  for (auto [load, value] :
       llvm::zip_equal(early.loads, own.drop_front(seen.size())))
    load.replaceAllUsesWith(value);
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [number, value] : llvm::enumerate(next))
    yield.setOperand(yield.getNumOperands() - next.size() + number, value);
  for (tile::LoadOp load : early.loads)
    load.erase();
}

namespace {
struct PrefetchLoads : warp::impl::PrefetchLoadsBase<PrefetchLoads> {
  using PrefetchLoadsBase::PrefetchLoadsBase;

  void runOnOperation() override {
    SmallVector<Early, 0> found;
    for (auto function : getOperation().getOps<tile::FuncOp>()) {
      int64_t limit = getRegisterLimit(function, most);
      function.walk([&](scf::ForOp loop) {
        Early early = plan(loop, limit);
        if (!early.loads.empty())
          found.push_back(std::move(early));
      });
    }
    for (Early &early : found) {
      constexpr auto kRemark = remark::RemarkOpts::name("PrefetchLoads")
                                   .category("warp-prefetch-loads");
      for (tile::LoadOp load : early.loads)
        remark::passed(load.getLoc(), kRemark)
            << remark::add("loaded into registers one iteration early");
      Loader(early).run();
    }
  }
};
} // namespace
