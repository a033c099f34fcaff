#include "compiler/Pipelines/Canonicalize.h"

#include "dialect/Tile/TileDialect.h"

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <mutex>

using namespace mlir;
using namespace tilewright;

namespace {

/// The canonicalisation patterns of all loaded dialects.
class CachedPatterns : public DialectInterface::Base<CachedPatterns> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CachedPatterns)
  explicit CachedPatterns(Dialect *dialect) : Base(dialect) {}

  FrozenRewritePatternSet get() const {
    MLIRContext *context = getContext();
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<Dialect *> dialects = context->getLoadedDialects();
    if (dialects.size() == count)
      return patterns;
    RewritePatternSet collected(context);
    for (Dialect *dialect : dialects)
      dialect->getCanonicalizationPatterns(collected);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(collected, context);
    count = dialects.size();
    return patterns = std::move(collected);
  }

private:
  mutable std::mutex mutex;
  mutable FrozenRewritePatternSet patterns;
  mutable size_t count = 0;
};

class Canonicalize : public PassWrapper<Canonicalize, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Canonicalize)

  StringRef getArgument() const override { return "canonicalize"; }

  LogicalResult initialize(MLIRContext *context) override {
    patterns = context->getOrLoadDialect<tile::TileDialect>()
                   ->getRegisteredInterface<CachedPatterns>()
                   ->get();
    return success();
  }

  void runOnOperation() override {
    // Regions are single blocks until the conversion to branches, which LLVM
    // simplifies.
    const auto config =
        GreedyRewriteConfig()
            .setUseTopDownTraversal()
            .setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled)
            .setMaxIterations(10);
    // Hitting the iteration limit is not a failure: the IR is valid.
    (void)applyPatternsGreedily(getOperation(), patterns, config);
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace

std::unique_ptr<Pass> tilewright::createCanonicalizer() {
  return std::make_unique<Canonicalize>();
}

void tilewright::registerCanonicalizer(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, tile::TileDialect *dialect) {
    dialect->addInterface<CachedPatterns>();
  });
}
