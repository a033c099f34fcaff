#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/ProgramVariation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using llvm::StringRef;

namespace tilewright::warp {
#define GEN_PASS_DEF_MAKEPERSISTENT
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Whether `value` may be computed from the program id.
static bool dependsOnProgram(Value value) {
  llvm::SetVector<Value> open;
  open.insert(value);
  for (unsigned i = 0; i < open.size(); ++i) {
    Value next = open[i];
    Operation *op = next.getDefiningOp();
    // Loop-carried values and results of regions may depend on anything.
    if (!op) {
      if (!isa<tile::FuncOp>(next.getParentBlock()->getParentOp()))
        return true;
      continue;
    }
    if (isa<tile::ProgramIdOp>(op) || op->getNumRegions() != 0)
      return true;
    open.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// Returns the upper bound of all programs that enter `loop`. If the bound is a
/// select of which one value makes the loop empty, it is the other value.
static Value getCommonBound(scf::ForOp loop) {
  auto choice = loop.getUpperBound().getDefiningOp<arith::SelectOp>();
  if (!choice || variesOverGrid(choice.getCondition()))
    return loop.getUpperBound();
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  auto isEmptyBelow = [&](Value bound) {
    std::optional<int64_t> upper = getConstantIntValue(bound);
    return lower && upper && *upper <= *lower;
  };
  if (isEmptyBelow(choice.getFalseValue()))
    return choice.getTrueValue();
  if (isEmptyBelow(choice.getTrueValue()))
    return choice.getFalseValue();
  return loop.getUpperBound();
}

/// Whether `op` is a wgmma whose operand A threads compute, possibly from the
/// results of other dots. CTAs of one SM then overlap better than iterations.
static bool isChained(Operation *op) {
  auto wgmma = dyn_cast<WgmmaOp>(op);
  return wgmma && isa<RankedTensorType>(wgmma.getA().getType());
}

/// Returns why `func` must not be persistent, or nothing. Programs that wait
/// for each other or take unequal time are left to the scheduling of the
/// hardware, which starts a CTA whenever another one ends.
static StringRef getObstacle(tile::FuncOp func) {
  constexpr StringRef kUnequal = "its programs may take unequal time";
  if (!func.getBody().hasOneBlock())
    return "it may end early";
  StringRef reason;
  func.walk([&](Operation *op) {
    if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op))
      reason = "its programs may wait for each other through atomic operations";
    else if (isChained(op))
      reason = "threads compute operands of its dots, which CTAs of one SM "
               "overlap better";
    else if (auto branch = dyn_cast<scf::IfOp>(op);
             branch && isUneven(branch, [](Operation *inside) {
               return isa<WgmmaOp>(inside);
             }))
      reason = kUnequal;
    else if (auto loop = dyn_cast<scf::ForOp>(op);
             loop ? dependsOnProgram(loop.getLowerBound()) ||
                        dependsOnProgram(getCommonBound(loop))
                  : isa<scf::WhileOp>(op))
      reason = kUnequal;
    return reason.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return reason;
}

static bool loadsFromDescriptors(tile::FuncOp func) {
  return func
      .walk([](tile::DescriptorLoadOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {

/// Creates the loop over the programs of the grid.
class PersistentLoop {
public:
  explicit PersistentLoop(tile::FuncOp func)
      : func(func), b(func.getLoc(), func.getContext()) {}

  void create();

private:
  void addDims();

  tile::FuncOp func;
  ImplicitLocOpBuilder b;
  SmallVector<Value, 3> extents;
};

} // namespace

void PersistentLoop::addDims() {
  for (int i = 0; i < 3; ++i) {
    unsigned number = func.getNumArguments();
    (void)func.insertArgument(number, b.getI32Type(), {}, func.getLoc());
    extents.push_back(func.getArgument(number));
  }
}

void PersistentLoop::create() {
  addDims();
  Block &body = func.getBody().front();
  Operation *first = &body.front(), *last = body.getTerminator();
  b.setInsertionPointToStart(&body);
  Value start = tile::ProgramIdOp::create(b, b.getI32Type(), tile::Axis::X);
  Value step = tile::NumProgramsOp::create(b, b.getI32Type(), tile::Axis::X);
  Value total = arith::MulIOp::create(
      b, arith::MulIOp::create(b, extents[0], extents[1]), extents[2]);
  auto loop = scf::ForOp::create(b, start, total, step);
  // A load that runs once per program is not prefetched for the next one.
  loop->setAttr("tile.num_stages", b.getI32IntegerAttr(1));
  loop.getBody()->getOperations().splice(
      loop.getBody()->begin(), body.getOperations(), first->getIterator(),
      last->getIterator());
  b.setInsertionPointToStart(loop.getBody());
  Value program = loop.getInductionVar();
  Value ids[] = {
      arith::RemUIOp::create(b, program, extents[0]),
      arith::RemUIOp::create(b, arith::DivUIOp::create(b, program, extents[0]),
                             extents[1]),
      arith::DivUIOp::create(b, arith::DivUIOp::create(b, program, extents[0]),
                             extents[1])};
  loop.getBody()->walk([&](Operation *op) {
    if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
      id.replaceAllUsesWith(ids[unsigned(id.getAxis())]);
      id.erase();
    } else if (auto count = dyn_cast<tile::NumProgramsOp>(op)) {
      count.replaceAllUsesWith(extents[unsigned(count.getAxis())]);
      count.erase();
    }
  });
  func->setAttr(WarpDialect::kPersistentAttr, b.getUnitAttr());
}

namespace {
struct MakePersistent : warp::impl::MakePersistentBase<MakePersistent> {
  using MakePersistentBase::MakePersistentBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<tile::FuncOp>())
      if (!isExplicit(func) && loadsFromDescriptors(func))
        visit(func);
  }

  void visit(tile::FuncOp func) {
    constexpr auto kRemark =
        remark::RemarkOpts::name("Persistent").category("warp-make-persistent");
    if (singleWave) {
      func->setAttr(WarpDialect::kSingleWaveAttr, UnitAttr::get(&getContext()));
      remark::analysis(func.getLoc(), kRemark) << remark::add(
          "one program per CTA: launches are declared a single wave");
      return;
    }
    if (StringRef reason = getObstacle(func); !reason.empty()) {
      remark::missed(func.getLoc(), kRemark)
          << remark::add("one program per CTA: {0}", reason);
      return;
    }
    PersistentLoop(func).create();
    remark::passed(func.getLoc(), kRemark)
        << remark::add("persistent: as many CTAs as fit run all programs, and "
                       "prefetch the next one during the epilogue of the "
                       "previous one");
  }
};
} // namespace
