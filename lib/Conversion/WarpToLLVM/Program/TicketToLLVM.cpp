// Ticket order among programs: a counter in global memory of the module, which
// one thread of each CTA polls for the others.

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"
#include "lib/Conversion/WarpToLLVM/Program/DebugEmission.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

static constexpr llvm::StringLiteral kTicketsSymbol = "__tilewright_tickets";
/// Must equal the number of slots in runtime/cuda/TicketSlots.h.
static constexpr int64_t kNumSlots = 16384;
/// Longest time in nanoseconds that the counter may stand still, as text.
static constexpr llvm::StringLiteral kTimeout = "20000000000";

static LLVM::GlobalOp declareTickets(ImplicitLocOpBuilder &b, ModuleOp module) {
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(kTicketsSymbol))
    return known;
  OpBuilder::InsertionGuard guard(b);
  auto type = LLVM::LLVMArrayType::get(b.getI32Type(), kNumSlots);
  OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
  auto zeros = DenseElementsAttr::get(
      RankedTensorType::get({kNumSlots}, b.getI32Type()), int32_t(0));
  return LLVM::GlobalOp::create(top, module.getLoc(), type,
                                /*isConstant=*/false, LLVM::Linkage::Internal,
                                kTicketsSymbol, zeros, /*alignment=*/4,
                                kGlobalSpace);
}

/// Returns the address of this launch's counter, number `slot`.
static Value emitCounter(ImplicitLocOpBuilder &b, Operation *op, Value slot) {
  auto tickets = declareTickets(b, op->getParentOfType<ModuleOp>());
  auto type = LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace);
  Value base = LLVM::AddressOfOp::create(b, type, tickets.getSymName());
  return LLVM::GEPOp::create(b, type, b.getI32Type(), base, slot);
}

/// Returns the linear index of this CTA in the grid, and the number of CTAs.
static std::pair<Value, Value> emitNumbers(ImplicitLocOpBuilder &b) {
  Type i32 = b.getI32Type();
  Value grid[] = {NVVM::GridDimXOp::create(b, i32),
                  NVVM::GridDimYOp::create(b, i32),
                  NVVM::GridDimZOp::create(b, i32)};
  Value number =
      LLVM::MulOp::create(b, NVVM::BlockIdZOp::create(b, i32), grid[1]);
  number = LLVM::AddOp::create(b, number, NVVM::BlockIdYOp::create(b, i32));
  number = LLVM::MulOp::create(b, number, grid[0]);
  number = LLVM::AddOp::create(b, number, NVVM::BlockIdXOp::create(b, i32));
  Value plane = LLVM::MulOp::create(b, grid[0], grid[1]);
  return {number, LLVM::MulOp::create(b, plane, grid[2])};
}

/// Polls the counter until it is `number` or has not changed for kTimeout.
/// Returns its last value.
static Value emitPoll(ImplicitLocOpBuilder &b, Value counter, Value number) {
  InlinePtx ptx(b);
  std::string result = ptx.out(b.getI32Type());
  std::string address = ptx.in(counter), wanted = ptx.in(number);
  std::string text =
      "{ .reg .pred p; .reg .b32 ticket, seen; .reg .b64 now, since; "
      "mov.b32 seen, 0; mov.u64 since, %globaltimer; "
      "WATCH: ld.acquire.gpu.global.b32 ticket, [" +
      address + "]; setp.eq.u32 p, ticket, " + wanted +
      "; @p bra DONE; nanosleep.u32 64; mov.u64 now, %globaltimer; "
      "setp.ne.u32 p, ticket, seen; mov.b32 seen, ticket; "
      "@p mov.b64 since, now; sub.u64 now, now, since; "
      "setp.lt.u64 p, now, " +
      kTimeout.str() + "; @p bra WATCH; DONE: mov.b32 " + result +
      ", ticket; }";
  return ptx.emit(text, /*sideEffects=*/true)[0];
}

namespace {

struct TicketWaitLowering : ConvertOpToLLVMPattern<warp::TicketWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::TicketWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto polls =
        scf::IfOp::create(b, emitIsFirstThread(b), /*withElseRegion=*/false);
    b.setInsertionPointToStart(polls.thenBlock());
    Value number = emitNumbers(b).first;
    Value ticket =
        emitPoll(b, emitCounter(b, op, adaptor.getSlot()[0]), number);
    Value isLate =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, ticket, number);
    auto fails = scf::IfOp::create(b, isLate, /*withElseRegion=*/false);
    b.setInsertionPointToStart(fails.thenBlock());
    emitAssertFailure(
        b, op,
        "deterministic=True: a program waits for a later one, or "
        "runs for more than 20 seconds after an atomic operation");
    b.setInsertionPointAfter(polls);
    emitBarrier(b);
    rewriter.eraseOp(op);
    return success();
  }
};

struct TicketPassLowering : ConvertOpToLLVMPattern<warp::TicketPassOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::TicketPassOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    emitBarrier(b);
    auto passes =
        scf::IfOp::create(b, emitIsFirstThread(b), /*withElseRegion=*/false);
    b.setInsertionPointToStart(passes.thenBlock());
    auto [number, count] = emitNumbers(b);
    Value next = LLVM::AddOp::create(b, number, emitI32(b, 1));
    Value isLast =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, next, count);
    next = LLVM::SelectOp::create(b, isLast, emitI32(b, 0), next);
    InlinePtx ptx(b);
    std::string address = ptx.in(emitCounter(b, op, adaptor.getSlot()[0]));
    ptx.emit("st.release.gpu.global.b32 [" + address + "], " + ptx.in(next) +
                 ";",
             /*sideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilewright::populateTicketToLLVM(const WarpTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<TicketWaitLowering, TicketPassLowering>(converter);
}
