#include "lib/Analysis/WrittenArguments.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// The arguments that a value is computed from.
struct Origins {
  llvm::BitVector arguments;

  static Origins join(const Origins &lhs, const Origins &rhs) {
    Origins both = lhs;
    both.arguments |= rhs.arguments;
    return both;
  }
  bool operator==(const Origins &other) const {
    return join(*this, other).arguments.count() == arguments.count() &&
           arguments.count() == other.arguments.count();
  }
  void print(raw_ostream &os) const {
    llvm::interleaveComma(arguments.set_bits(), os);
  }
};

using OriginsLattice = dataflow::Lattice<Origins>;

class OriginsAnalysis
    : public dataflow::SparseForwardDataFlowAnalysis<OriginsLattice> {
public:
  OriginsAnalysis(DataFlowSolver &solver, tile::FuncOp kernel)
      : SparseForwardDataFlowAnalysis(solver), kernel(kernel) {}

  /// An argument comes from itself, what is not understood from any of them.
  void setToEntryState(OriginsLattice *lattice) override {
    Origins origins{llvm::BitVector(kernel.getNumArguments(), true)};
    auto argument = dyn_cast<BlockArgument>(lattice->getAnchor());
    if (argument && argument.getOwner()->getParentOp() == kernel) {
      origins.arguments.reset();
      origins.arguments.set(argument.getArgNumber());
    }
    propagateIfChanged(lattice, lattice->join(origins));
  }

  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const OriginsLattice *> operands,
                               ArrayRef<OriginsLattice *> results) override {
    Origins origins{llvm::BitVector(kernel.getNumArguments())};
    // An offset leads nowhere by itself, and what memory holds has no origin
    // that could be known here.
    if (isa<tile::AddPtrOp, tile::MakeDescriptorOp>(op))
      origins = operands.front()->getValue();
    else if (!isa<tile::LoadOp, tile::DescriptorLoadOp, tile::AtomicRMWOp,
                  tile::AtomicCASOp>(op))
      for (const OriginsLattice *operand : operands)
        origins = Origins::join(origins, operand->getValue());
    for (OriginsLattice *result : results)
      propagateIfChanged(result, result->join(origins));
    return success();
  }

private:
  tile::FuncOp kernel;
};

} // namespace

/// The pointers through which `op` itself may write.
static OperandRange getWrittenPointers(Operation *op) {
  if (isa<tile::StoreOp, tile::DescriptorStoreOp, tile::AtomicRMWOp,
          tile::AtomicCASOp>(op))
    return op->getOperands().take_front(1);
  if (isa<tile::CallOp>(op))
    return op->getOperands();
  return op->getOperands().take_front(0);
}

ArgumentOrigins::ArgumentOrigins(tile::FuncOp kernel)
    : kernel(kernel), solver(std::make_unique<DataFlowSolver>(
                          DataFlowConfig().setInterprocedural(false))) {
  solver->load<dataflow::DeadCodeAnalysis>();
  solver->load<dataflow::SparseConstantPropagation>();
  solver->load<OriginsAnalysis>(kernel);
  if (failed(solver->initializeAndRun(kernel)))
    solver.reset();
}

ArgumentOrigins::~ArgumentOrigins() = default;

llvm::BitVector ArgumentOrigins::get(Value pointer) {
  if (!solver)
    return llvm::BitVector(kernel.getNumArguments(), true);
  // A value without a state is in code that never runs.
  auto *origins = solver->lookupState<OriginsLattice>(pointer);
  return origins ? origins->getValue().arguments
                 : llvm::BitVector(kernel.getNumArguments());
}

llvm::BitVector tilewright::findWrittenArguments(tile::FuncOp kernel) {
  llvm::BitVector written(kernel.getNumArguments());
  ArgumentOrigins origins(kernel);
  kernel.walk([&](Operation *op) {
    for (Value pointer : getWrittenPointers(op))
      written |= origins.get(pointer);
  });
  // Only pointers lead anywhere: an offset is not written through.
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (!isa<tile::PtrType>(type))
      written.reset(index);
  return written;
}
