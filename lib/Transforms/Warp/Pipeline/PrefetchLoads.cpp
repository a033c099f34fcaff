// Small tiles that the products of a loop wait for - scales of packed weights,
// sums of rows - are loaded into registers one iteration ahead.
//
// What is copied into rings runs ahead by itself. But copies take at least four
// bytes of neighbours, and what threads compute with is often less: a number
// for each row or column. Loaded where it is needed it costs each iteration the
// time of an access to memory.

#include "lib/Transforms/Warp/Passes.h"

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

/// Registers of a thread that the loads of a loop may take, and those that have
/// to be left for everything else.
static constexpr int64_t kMostLoaded = 16, kLeftRegisters = 64;

static bool isDot(Operation &op) { return isa<WgmmaOp, MmaOp>(op); }

/// Whether nothing but the next iteration uses `load`: it is one iteration
/// ahead already.
static bool runsAhead(tile::LoadOp load) {
  return llvm::all_of(load->getUsers(), [](Operation *user) {
    return user->hasTrait<OpTrait::IsTerminator>();
  });
}

/// Whether `load` arrives under products: it stands in front of them, and
/// threads compute with the sum of one while another runs.
static bool isHidden(tile::LoadOp load) {
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode())
    if (auto wait = dyn_cast<WgmmaWaitOp>(op))
      return wait.getPendings() != 0 &&
             llvm::any_of(wait->getUsers(), [](Operation *user) {
               return !isDot(*user) && !user->hasTrait<OpTrait::IsTerminator>();
             });
  return false;
}

/// Whether `load` brings an operand that goes to shared memory as it is.
/// Carried in registers such tiles leave fewer programs to a multiprocessor,
/// whose turns hide the loads as well; and whatever else is loaded in the
/// iteration arrives behind them.
static bool isOperand(Operation *load) {
  return llvm::all_of(load->getUsers(), [](Operation *user) {
    return isa<AllocOp>(user) ||
           (isa<tile::TransposeOp>(user) && isOperand(user));
  });
}

namespace {

/// Loads of a loop, and what they and their addresses are computed by.
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
  SmallVector<Value> load(Ahead &ahead, Value enable);

  Early &early;
  scf::ForOp loop;
  ImplicitLocOpBuilder b;
};

} // namespace

/// Adds `load` to what runs ahead, if its address can be computed there.
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

/// What of `loop` is to be loaded ahead; no loads for nothing.
static Early plan(scf::ForOp loop, int64_t limit) {
  Early early{loop, {}, {}};
  Block *body = loop.getBody();
  if (isExplicit(loop) || llvm::none_of(*body, isDot))
    return early;
  int64_t room = std::min(kMostLoaded, getRegisterBudget(loop).value_or(limit) -
                                           kLeftRegisters - countCarried(loop));
  for (auto load : body->getOps<tile::LoadOp>()) {
    int64_t registers = countHeld(load.getType());
    if (registers <= room && !load.getIsVolatile() && !runsAhead(load) &&
        !isOperand(load) && !isHidden(load) && add(early, load))
      room -= registers;
  }
  SmallVector<Value> read;
  for (Operation *op : early.slice.ops)
    if (auto load = dyn_cast<tile::LoadOp>(op))
      read.push_back(load.getPtr());
  // An assertion may guard what is loaded behind it.
  bool asserts =
      loop->walk([](tile::AssertOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (asserts || findInterference(loop, read))
    early.loads.clear();
  return early;
}

/// What an iteration loads, if it is run; `ahead` moves on to the next one.
SmallVector<Value> Loader::load(Ahead &ahead, Value enable) {
  IRMapping map;
  emitSlice(b, loop, early.slice, ahead, enable, map);
  ahead = advance(b, loop, early.slice, ahead, map);
  SmallVector<Value> loaded;
  for (tile::LoadOp load : early.loads)
    loaded.push_back(map.lookup(load.getResult()));
  return loaded;
}

/// The loop carries more: what the slice of the next iteration sees, and what
/// was loaded for this one.
void Loader::run() {
  Ahead ahead = getFirst(loop, early.slice);
  SmallVector<Value> loaded =
      load(ahead, emitRuns(loop, loop.getLowerBound(), b));
  SmallVector<Value> inits(ahead.carried);
  llvm::append_range(inits, loaded);

  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  // Filled in below: what is carried behind what was.
  auto carry = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return SmallVector<Value>(inits);
  };
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, carry));
  auto own = loop.getRegionIterArgs().take_back(inits.size());
  auto seen = own.take_front(ahead.carried.size());

  b.setInsertionPointToStart(loop.getBody());
  Value left =
      arith::SubIOp::create(b, loop.getUpperBound(), loop.getInductionVar());
  Value goesOn =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, left, loop.getStep());
  Value index =
      arith::AddIOp::create(b, loop.getInductionVar(), loop.getStep());
  ahead = {index, SmallVector<Value>(seen.begin(), seen.end())};
  loaded = load(ahead, goesOn);
  SmallVector<Value> next(ahead.carried);
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
            << remark::add("loaded into registers one iteration ahead");
      Loader(early).run();
    }
  }
};
} // namespace
