// Breaks kernels by one mutation at a time and requires that the checks fail.
//
// A mutation without a failing check is an error, unless the op gives a reason
// why it is harmless: `test.harmless = {erase = "reason"}`. A reason is an
// error if a check fails.

#include "test/lib/TestPasses.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace {

/// A mutation: changes an op, or returns false if it does not apply.
struct Mutation {
  StringRef name;
  bool (*apply)(Operation *op);
};

} // namespace

/// Whether the rules constrain the order of `op`.
static bool isOrdered(Operation *op) {
  return isa<RingAcquireOp, RingCommitOp, RingWaitOp, RingReleaseOp, RingSkipOp,
             PingPongWaitOp, PingPongPassOp, TmaLoadOp, RingPutScalarOp,
             RingGetScalarOp, AsyncCopyOp, AllocOp, LocalLoadOp, LocalStoreOp,
             WgmmaOp, WgmmaWaitOp, BarrierOp, ProxyFenceOp, TmaStoreWaitOp,
             ClusterBarrierOp>(op);
}

static bool eraseOp(Operation *op) {
  if (op->getNumResults() != 0 || !isOrdered(op))
    return false;
  op->erase();
  return true;
}

static bool repeatOp(Operation *op) {
  if (!isa<TmaLoadOp, RingPutScalarOp, RingReleaseOp, RingCommitOp, RingSkipOp,
           PingPongWaitOp, PingPongPassOp>(op))
    return false;
  OpBuilder(op).clone(*op);
  return true;
}

/// Moves `op` before the preceding ordered op, unless that defines an operand.
static bool moveUp(Operation *op) {
  if (!isa<RingReleaseOp, RingCommitOp, ProxyFenceOp, BarrierOp>(op))
    return false;
  Operation *before = op->getPrevNode();
  while (before && !isOrdered(before) && before->getNumRegions() == 0)
    before = before->getPrevNode();
  if (!before || llvm::is_contained(
                     op->getOperands(),
                     before->getNumResults() ? before->getResult(0) : Value()))
    return false;
  op->moveBefore(before);
  return true;
}

static bool moveDown(Operation *op) {
  if (!isa<ProxyFenceOp, BarrierOp>(op))
    return false;
  Operation *after = op->getNextNode();
  while (after && !isOrdered(after) && !usesScratch(after) &&
         !after->hasTrait<OpTrait::IsTerminator>())
    after = after->getNextNode();
  if (!after || after->hasTrait<OpTrait::IsTerminator>())
    return false;
  op->moveAfter(after);
  return true;
}

static bool skipWait(Operation *op) {
  auto wait = dyn_cast<WgmmaWaitOp>(op);
  if (!wait)
    return false;
  wait.replaceAllUsesWith(wait.getAccumulators());
  wait.erase();
  return true;
}

/// Leaves one more group pending.
static bool waitForLess(Operation *op) {
  if (auto wait = dyn_cast<WgmmaWaitOp>(op)) {
    wait.setPendings(wait.getPendings() + 1);
    return true;
  }
  auto wait = dyn_cast<RingWaitOp>(op);
  if (!wait || !wait.getIndex())
    return false;
  wait.setPending(wait.getPending() + 1);
  return true;
}

static bool dropCondition(Operation *op) {
  auto release = dyn_cast<RingReleaseOp>(op);
  if (!release || !release.getCondition())
    return false;
  release.getConditionMutable().clear();
  return true;
}

static bool shiftIndex(Operation *op) {
  Value index;
  if (auto acquire = dyn_cast<RingAcquireOp>(op))
    index = acquire.getIndex();
  else if (auto wait = dyn_cast<RingWaitOp>(op))
    index = wait.getIndex();
  if (!index)
    return false;
  OpBuilder b(op);
  Value one =
      arith::ConstantOp::create(b, op->getLoc(), b.getI32IntegerAttr(1));
  op->setOperand(1, arith::AddIOp::create(b, op->getLoc(), index, one));
  return true;
}

/// Moves memory to the offset of the preceding allocation.
static bool moveMemory(Operation *op) {
  constexpr StringRef kOffset = WarpDialect::kSharedOffsetAttr;
  if (!op->hasAttr(kOffset))
    return false;
  Operation *before = nullptr;
  op->getParentOfType<FunctionOpInterface>()->walk([&](Operation *other) {
    if (other == op)
      return WalkResult::interrupt();
    if (other->hasAttr(kOffset))
      before = other;
    return WalkResult::advance();
  });
  if (!before)
    return false;
  op->setAttr(kOffset, before->getAttr(kOffset));
  return true;
}

/// Adds an iteration to a loop that fills slots.
static bool runLonger(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || loop.getBody()->getOps<RingAcquireOp>().empty() ||
      !SpecializeOp::getRole(op->getBlock()))
    return false;
  OpBuilder b(op);
  loop.setUpperBound(arith::AddIOp::create(
      b, op->getLoc(), loop.getUpperBound(), loop.getStep()));
  return true;
}

/// Erases a slot together with its fills.
static bool skipSlot(Operation *op) {
  auto acquire = dyn_cast<RingAcquireOp>(op);
  if (!acquire || acquire.getIndex())
    return false;
  for (Value result : acquire.getResults())
    for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
      user->erase();
  acquire.erase();
  return true;
}

/// Makes a group skip one slot less than the other one reads.
static bool skipFewer(Operation *op) {
  auto skip = dyn_cast<RingSkipOp>(op);
  if (!skip)
    return false;
  OpBuilder b(op);
  skip.getLowerMutable().assign(
      arith::AddIOp::create(b, op->getLoc(), skip.getLower(), skip.getStep()));
  return true;
}

/// Makes a ping-pong parity constant, or that of the other group.
static bool keepParity(Operation *op) {
  auto flip = dyn_cast<arith::XOrIOp>(op);
  if (!flip || !flip.getType().isInteger(1) ||
      !SpecializeOp::getRole(op->getBlock()))
    return false;
  flip.replaceAllUsesWith(flip.getLhs());
  flip.erase();
  return true;
}

/// Makes all groups use the same memory.
static bool shareMemory(Operation *op) {
  return bool(op->removeAttr(WarpDialect::kPingPongBytesAttr));
}

static constexpr Mutation kMutations[] = {{"erase", eraseOp},
                                          {"repeat", repeatOp},
                                          {"move_up", moveUp},
                                          {"move_down", moveDown},
                                          {"skip_wait", skipWait},
                                          {"wait_for_less", waitForLess},
                                          {"no_condition", dropCondition},
                                          {"shift_index", shiftIndex},
                                          {"move_memory", moveMemory},
                                          {"run_longer", runLonger},
                                          {"skip_slot", skipSlot},
                                          {"skip_fewer", skipFewer},
                                          {"keep_parity", keepParity},
                                          {"share_memory", shareMemory}};

/// Returns the first error of the checks, or an empty string.
static std::string runChecks(ModuleOp module) {
  std::string first;
  ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &found) {
    if (first.empty() && found.getSeverity() == DiagnosticSeverity::Error)
      first = found.str();
    return success();
  });
  if (failed(verify(module)))
    return first;
  PassManager checks(module.getContext());
  checks.addPass(createCheckBarriers());
  checks.addPass(createCheckRings());
  return succeeded(checks.run(module)) ? "" : first;
}

static StringRef getReason(Operation *op, StringRef mutation) {
  auto harmless = op->getAttrOfType<DictionaryAttr>("test.harmless");
  auto reason = harmless ? harmless.getAs<StringAttr>(mutation) : StringAttr();
  return reason ? reason.getValue() : "";
}

namespace {

struct TestBreakRings : PassWrapper<TestBreakRings, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestBreakRings)

  StringRef getArgument() const override { return "test-break-rings"; }
  StringRef getDescription() const override {
    return "require that the checks reject mutated kernels";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }

  void runOnOperation() override {
    if (std::string error = runChecks(getOperation()); !error.empty()) {
      getOperation().emitError("not right to start with: ") << error;
      return signalPassFailure();
    }
    unsigned number = 0;
    getOperation()->walk([&](Operation *op) {
      for (const Mutation &mutation : kMutations)
        breakOp(op, number, mutation);
      ++number;
    });
  }

  /// Breaks op number `number` of a copy of the module.
  void breakOp(Operation *op, unsigned number, const Mutation &mutation) {
    OwningOpRef<ModuleOp> copy = getOperation().clone();
    SmallVector<Operation *> ops;
    copy->walk([&](Operation *inner) { ops.push_back(inner); });
    if (!mutation.apply(ops[number]))
      return;
    std::string found = runChecks(*copy);
    StringRef reason = getReason(op, mutation.name);
    llvm::outs() << mutation.name << " " << op->getName() << ": "
                 << (found.empty() ? "harmless: " + reason.str() : found)
                 << "\n";
    if (found.empty() == !reason.empty())
      return;
    if (found.empty())
      op->emitError("nothing notices '") << mutation.name << "'";
    else
      op->emitError("'") << mutation.name << "' is not harmless: " << found;
    signalPassFailure();
  }
};

} // namespace

void test::registerTestBreakRings() { PassRegistration<TestBreakRings>(); }
