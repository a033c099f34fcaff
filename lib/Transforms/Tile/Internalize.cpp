#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEINTERNALIZE
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

namespace {

/// Depth-first walk over calls that finds a way back.
class RecursionCheck {
public:
  explicit RecursionCheck(ModuleOp module) : symbols(module) {}

  LogicalResult visit(tile::FuncOp func) {
    if (done.contains(func))
      return success();
    active.insert(func);
    WalkResult result = func.walk([&](tile::CallOp call) {
      auto callee = symbols.lookup<tile::FuncOp>(call.getCallee());
      if (callee && active.contains(callee)) {
        InFlightDiagnostic error = call.emitError("function '")
                                   << call.getCallee()
                                   << "' calls itself; recursion is not "
                                      "supported in kernels";
        error.attachNote(callee.getLoc()) << "the function is defined here";
        return WalkResult::interrupt();
      }
      return WalkResult(callee ? visit(callee) : success());
    });
    active.erase(func);
    done.insert(func);
    return failure(result.wasInterrupted());
  }

private:
  SymbolTable symbols;
  llvm::DenseSet<Operation *> active, done;
};

struct Internalize : tile::impl::TileInternalizeBase<Internalize> {
  void runOnOperation() override {
    RecursionCheck check(getOperation());
    for (auto func : getOperation().getOps<tile::FuncOp>()) {
      if (failed(check.visit(func)))
        return signalPassFailure();
      if (!func.isKernel())
        func.setPrivate();
    }
  }
};

} // namespace
