// Programmatic dependent launch: kernels that overlap on a stream.

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// Lowers an op to one instruction if the target has dependent launches, and
/// erases it otherwise. LLVM's intrinsics claim to touch no memory, so accesses
/// could move across them; inline PTX stays.
template <typename Op> struct LaunchLowering : ConvertOpToLLVMPattern<Op> {
  LaunchLowering(const LLVMTypeConverter &converter, const NvidiaTarget &target,
                 StringRef instruction)
      : ConvertOpToLLVMPattern<Op>(converter),
        instruction(target.hasDependentLaunches() ? instruction : StringRef()) {
  }
  using OneToNOpAdaptor = typename ConvertOpToLLVMPattern<Op>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    if (!instruction.empty())
      InlinePtx(b).emit(instruction, /*sideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }

  StringRef instruction;
};

} // namespace

void tilewright::populateLaunchToLLVM(const WarpTypeConverter &converter,
                                      const NvidiaTarget &target,
                                      RewritePatternSet &patterns) {
  patterns.add<LaunchLowering<tile::LaunchWaitOp>>(converter, target,
                                                   "griddepcontrol.wait;");
  patterns.add<LaunchLowering<tile::LaunchDependentsOp>>(
      converter, target, "griddepcontrol.launch_dependents;");
}
