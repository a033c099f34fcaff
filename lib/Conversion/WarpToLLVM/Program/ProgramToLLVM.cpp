// Kernels, and the index of a CTA in the grid.

#include "lib/Analysis/Target/RoleRegisters.h"
#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpDialect.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

// The widest access to global memory: LLVM gains nothing from a larger known
// alignment.
static constexpr int64_t kMaxAlignment = 16;

/// Passes tensor maps by value, in constant memory.
static void setTensorMapAttributes(LLVM::LLVMFuncOp kernel, unsigned index,
                                   OpBuilder &b) {
  constexpr int64_t kBytes = 128, kAlignment = 64;
  kernel.setArgAttr(
      index, LLVM::LLVMDialect::getByValAttrName(),
      TypeAttr::get(LLVM::LLVMArrayType::get(b.getI8Type(), kBytes)));
  kernel.setArgAttr(index, NVVM::NVVMDialect::getGridConstantAttrName(),
                    b.getUnitAttr());
  kernel.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                    b.getI64IntegerAttr(kAlignment));
}

/// Prefetches the tensor maps among the `arguments` of a kernel while it
/// prepares its first copies, which would wait for them. The last warp does so,
/// since the first ones initialise barriers.
static void emitPrefetches(ImplicitLocOpBuilder &b, ValueRange arguments,
                           int64_t numWarps) {
  if (arguments.empty())
    return;
  Value fetches =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, emitThreadId(b),
                           emitI32(b, (numWarps - 1) * kWarpSize));
  for (Value map : arguments) {
    InlinePtx ptx(b);
    std::string predicate = ptx.predicate(fetches), address = ptx.in(map);
    ptx.emit(predicate + "prefetch.tensormap [" + address + "];",
             /*sideEffects=*/true);
  }
}

namespace {

struct FuncLowering : ConvertOpToLLVMPattern<tile::FuncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tile::FuncOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto numWarps =
        op->getAttrOfType<IntegerAttr>(warp::WarpDialect::kNumWarpsAttr);
    if (!op.isKernel() || !numWarps)
      return op.emitOpError("must be a kernel with '")
             << warp::WarpDialect::kNumWarpsAttr << "' to run on a GPU";
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    if (failed(getTypeConverter()->convertSignatureArgs(op.getArgumentTypes(),
                                                        signature)))
      return rewriter.notifyMatchFailure(op, "argument types");
    auto type = LLVM::LLVMFunctionType::get(
        LLVM::LLVMVoidType::get(getContext()), signature.getConvertedTypes());
    auto kernel =
        LLVM::LLVMFuncOp::create(rewriter, op.getLoc(), op.getName(), type);
    if (auto blockWarps =
            op->getAttrOfType<IntegerAttr>(warp::WarpDialect::kBlockWarpsAttr))
      numWarps = blockWarps;
    setKernelAttributes(op, kernel, numWarps.getInt(), rewriter);
    SmallVector<unsigned> maps = findTensorMaps(op);
    rewriter.inlineRegionBefore(op.getBody(), kernel.getBody(), kernel.end());
    Block *entry = rewriter.applySignatureConversion(
        &kernel.getBody().front(), signature, getTypeConverter());
    rewriter.setInsertionPointToStart(entry);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto arguments = llvm::map_to_vector(
        maps, [&](unsigned i) -> Value { return entry->getArgument(i); });
    emitPrefetches(b, arguments, numWarps.getInt());
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Returns the numbers of the arguments that are tensor maps.
  static SmallVector<unsigned> findTensorMaps(tile::FuncOp op) {
    SmallVector<unsigned> maps;
    for (BlockArgument argument : op.getArguments())
      if (isa<warp::TensorMapType>(argument.getType()))
        maps.push_back(argument.getArgNumber());
    return maps;
  }

  static void setNonNegative(LLVM::LLVMFuncOp kernel, unsigned argument,
                             OpBuilder &b) {
    unsigned bits = kernel.getArgumentTypes()[argument].getIntOrFloatBitWidth();
    kernel.setArgAttr(
        argument, LLVM::LLVMDialect::getRangeAttrName(),
        LLVM::ConstantRangeAttr::get(b.getContext(), APInt::getZero(bits),
                                     APInt::getSignedMinValue(bits)));
  }

  static void setKernelAttributes(tile::FuncOp op, LLVM::LLVMFuncOp kernel,
                                  int64_t numWarps, OpBuilder &b) {
    kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
    kernel->setAttr(
        NVVM::NVVMDialect::getReqntidAttrName(),
        b.getDenseI32ArrayAttr({int32_t(numWarps * kWarpSize), 1, 1}));
    if (auto cluster =
            op->getAttrOfType<IntegerAttr>(warp::WarpDialect::kClusterSizeAttr))
      kernel->setAttr(
          NVVM::NVVMDialect::getClusterDimAttrName(),
          b.getDenseI32ArrayAttr({int32_t(cluster.getInt()), 1, 1}));
    // Without a minimum of CTAs per SM the assembler ignores changes of the
    // register budget.
    op.walk([&](warp::SpecializeOp roles) {
      if (roles.getRegisters())
        kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        b.getI32IntegerAttr(warp::countCtasPerSm(roles)));
    });
    for (unsigned i = 0; i < op.getNumArguments(); ++i) {
      if (isa<warp::TensorMapType>(op.getArgument(i).getType()))
        setTensorMapAttributes(kernel, i, b);
      if (op.getArgAttr(i, tile::TileDialect::kNonNegativeAttr))
        setNonNegative(kernel, i, b);
      auto divisibility = op.getArgAttrOfType<IntegerAttr>(
          i, tile::TileDialect::kDivisibilityAttr);
      if (!divisibility || !isa<tile::PtrType>(op.getArgument(i).getType()))
        continue;
      int64_t alignment = std::min(divisibility.getInt(), kMaxAlignment);
      kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        b.getI64IntegerAttr(alignment));
    }
  }
};

struct ReturnLowering : ConvertOpToLLVMPattern<tile::ReturnOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tile::ReturnOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

/// Lowers an op to a read of the special register X, Y or Z, by its axis.
template <typename Op, typename X, typename Y, typename Z>
struct GridLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  using OneToNOpAdaptor = typename ConvertOpToLLVMPattern<Op>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type type = rewriter.getI32Type();
    switch (op.getAxis()) {
    case tile::Axis::X:
      rewriter.replaceOpWithNewOp<X>(op, type);
      break;
    case tile::Axis::Y:
      rewriter.replaceOpWithNewOp<Y>(op, type);
      break;
    case tile::Axis::Z:
      rewriter.replaceOpWithNewOp<Z>(op, type);
      break;
    }
    return success();
  }
};

struct BarrierLowering : ConvertOpToLLVMPattern<warp::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::BarrierOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    std::string fence;
    if (std::optional<tile::MemoryScope> scope = op.getRelease())
      fence =
          ("fence.acq_rel." + tile::stringifyMemoryScope(*scope) + ";").str();
    // Each thread fences its own stores. The fence after the barrier orders the
    // atomic operations of the first thread, which acts for the CTA.
    if (!fence.empty())
      InlinePtx(b).emit(fence, /*sideEffects=*/true);
    emitBarrier(b);
    if (!fence.empty()) {
      InlinePtx ptx(b);
      std::string predicate = ptx.predicate(emitIsFirstThread(b));
      ptx.emit(predicate + fence, /*sideEffects=*/true);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Emits empty code that has side effects, as far as LLVM knows.
struct UnlikelyLowering : ConvertOpToLLVMPattern<warp::UnlikelyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::UnlikelyOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    InlinePtx(b).emit("", /*sideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Passes a register through empty code, which LLVM assumes to change it.
struct OpaqueLowering : ConvertOpToLLVMPattern<warp::OpaqueOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::OpaqueOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value value = adaptor.getValue().front();
    InlinePtx ptx(b);
    ptx.out(value.getType(), value);
    rewriter.replaceOp(op, ptx.emit("", /*sideEffects=*/true));
    return success();
  }
};

struct SchedAnchorLowering : ConvertOpToLLVMPattern<warp::SchedAnchorOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::SchedAnchorOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value all;
    for (ValueRange values : adaptor.getValues()) {
      Value value = values.front();
      if (value.getType() != b.getI32Type())
        value = LLVM::TruncOp::create(b, b.getI32Type(), value);
      all = all ? LLVM::OrOp::create(b, all, value).getResult() : value;
    }
    if (all)
      emitOrderPoint(b, all);
    rewriter.eraseOp(op);
    return success();
  }
};

/// A barrier between roles. Numbers count down from the last hardware barrier,
/// since those of the compiler count up.
template <typename OpT>
struct NamedBarrierLowering : ConvertOpToLLVMPattern<OpT> {
  using ConvertOpToLLVMPattern<OpT>::ConvertOpToLLVMPattern;
  using OneToNOpAdaptor = typename ConvertOpToLLVMPattern<OpT>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(OpT op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr unsigned kLastBarrier = 15;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    unsigned number = kLastBarrier - op.getBarrier();
    unsigned threads = op.getWarps() * kWarpSize;
    if (std::is_same_v<OpT, warp::NamedBarrierWaitOp>)
      NVVM::BarrierOp::create(b, Type(), emitI32(b, number),
                              emitI32(b, threads), {}, Value());
    else
      InlinePtx(b).emit(
          ("bar.arrive " + Twine(number) + ", " + Twine(threads) + ";").str(),
          /*sideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilewright::populateProgramToLLVM(const WarpTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<FuncLowering, ReturnLowering, BarrierLowering, UnlikelyLowering,
               SchedAnchorLowering, OpaqueLowering,
               NamedBarrierLowering<warp::NamedBarrierWaitOp>,
               NamedBarrierLowering<warp::NamedBarrierArriveOp>,
               GridLowering<tile::ProgramIdOp, NVVM::BlockIdXOp,
                            NVVM::BlockIdYOp, NVVM::BlockIdZOp>,
               GridLowering<tile::NumProgramsOp, NVVM::GridDimXOp,
                            NVVM::GridDimYOp, NVVM::GridDimZOp>>(converter);
}
