// Kernels that overlap on a stream: programmatic dependent launches.

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// An op that is one instruction where kernels overlap, and nothing elsewhere.
/// LLVM's intrinsics are said to touch no memory, so that accesses could move
/// across; inline PTX stays.
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
