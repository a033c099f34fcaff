// Memory for tensor maps that the device writes: an array of the module. An SM
// has 32 pieces, more than the warpgroups with maps that fit it. A word per SM
// holds a bit for each piece in use.

#include "lib/Conversion/WarpToLLVM/Async/MapMemory.h"

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/Shuffle.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

/// Number of bit words. With more SMs than words, two SMs share a word and may
/// wait for each other.
static constexpr int64_t kNumWords = 192, kPiecesOfWord = 32;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Value tilewright::emitIsFirstWarp(ImplicitLocOpBuilder &b) {
  Value inGroup =
      LLVM::AndOp::create(b, emitThreadId(b), emitI32(b, kGroupThreads - 1));
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, inGroup,
                              emitI32(b, kWarpSize));
}

Value tilewright::emitIsFirstLane(ImplicitLocOpBuilder &b) {
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, emitLaneId(b),
                              emitI32(b, 0));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value tilewright::emitGlobal(ImplicitLocOpBuilder &b, const Twine &symbol,
                             int64_t bytes, char fill) {
  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  std::string name = symbol.str();
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes);
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    // A global has no source location, least of all one inside a call.
    Location user = b.getLoc();
    b.setLoc(module.getLoc());
    auto global = LLVM::GlobalOp::create(
        b, type, /*isConstant=*/false, LLVM::Linkage::Internal, name,
        fill ? b.getStringAttr(std::string(bytes, fill)) : Attribute(),
        warp::MapMemoryType::kMapBytes, kGlobalSpace);
    if (!fill) {
      b.createBlock(&global.getInitializerRegion());
      LLVM::ReturnOp::create(b, LLVM::ZeroOp::create(b, type));
    }
    b.setLoc(user);
  }
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace);
  return LLVM::AddressOfOp::create(b, pointer, name);
}

/// Returns the address of all pieces of memory of a type.
static Value emitPieces(ImplicitLocOpBuilder &b, warp::MapMemoryType type) {
  int64_t bytes = type.getSizeInBytes();
  return emitGlobal(b, "__tilewright_maps_" + Twine(bytes),
                    kNumWords * kPiecesOfWord * bytes);
}

/// Returns the address of the words whose bits mark the pieces in use.
static Value emitWords(ImplicitLocOpBuilder &b, warp::MapMemoryType type) {
  return emitGlobal(b, "__tilewright_taken_" + Twine(type.getSizeInBytes()),
                    kNumWords * 4);
}

/// Takes a free piece of the word and returns its index. Acts only if `acts`.
static Value emitTake(ImplicitLocOpBuilder &b, Value word, Value acts) {
  InlinePtx ptx(b);
  std::string piece = ptx.out(b.getI32Type(), emitI32(b, 0));
  std::string address = ptx.in(word), predicate = ptx.in(acts);
  return ptx.emit("{\n.reg .pred retry;\n.reg .b32 taken, free, bit;\n@!" +
                      predicate +
                      " bra done;\nagain:\n"
                      "ld.relaxed.gpu.global.b32 taken, [" +
                      address +
                      "];\nnot.b32 free, taken;\n"
                      "setp.eq.u32 retry, free, 0;\n@retry bra again;\n"
                      "bfind.u32 " +
                      piece + ", free;\nshl.b32 bit, 1, " + piece +
                      ";\natom.acquire.gpu.global.or.b32 taken, [" + address +
                      "], bit;\nand.b32 taken, taken, bit;\n"
                      "setp.ne.u32 retry, taken, 0;\n@retry bra again;\n"
                      "done:\n}",
                  /*sideEffects=*/true)[0];
}

namespace {

struct AcquireLowering : ConvertOpToLLVMPattern<warp::AcquireMapMemoryOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::AcquireMapMemoryOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    warp::MapMemoryType type = op.getType();
    InlinePtx ptx(b);
    std::string processor = ptx.out(b.getI32Type());
    Value number = ptx.emit("mov.u32 " + processor + ", %smid;",
                            /*sideEffects=*/true)[0];
    number = LLVM::URemOp::create(b, number, emitI32(b, kNumWords));
    Value word = emitByteOffset(b, emitWords(b, type),
                                LLVM::MulOp::create(b, number, emitI32(b, 4)));
    Value acts = LLVM::AndOp::create(b, emitIsFirstWarp(b), emitIsFirstLane(b));
    Value piece = emitTake(b, word, acts);
    NVVM::SyncWarpOp::create(b, emitI32(b, -1));
    // Broadcast, so that the address of every warp is within the array.
    piece = emitShuffleIndex(b, piece, emitI32(b, 0));
    number = LLVM::AddOp::create(
        b,
        LLVM::MulOp::create(b, emitShuffleIndex(b, number, emitI32(b, 0)),
                            emitI32(b, kPiecesOfWord)),
        piece);
    Value offset =
        LLVM::MulOp::create(b, number, emitI32(b, type.getSizeInBytes()));
    rewriter.replaceOp(op, emitByteOffset(b, emitPieces(b, type), offset));
    return success();
  }
};

struct ReleaseLowering : ConvertOpToLLVMPattern<warp::ReleaseMapMemoryOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::ReleaseMapMemoryOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    warp::MapMemoryType type = op.getMemory().getType();
    InlinePtx(b).emit("cp.async.bulk.wait_group 0;", /*sideEffects=*/true);
    Type i64 = b.getI64Type();
    auto toInt = [&](Value pointer) -> Value {
      return LLVM::PtrToIntOp::create(b, i64, pointer);
    };
    Value offset = LLVM::SubOp::create(b, toInt(adaptor.getMemory().front()),
                                       toInt(emitPieces(b, type)));
    Value number = LLVM::UDivOp::create(
        b, LLVM::TruncOp::create(b, b.getI32Type(), offset),
        emitI32(b, type.getSizeInBytes()));
    Value piece = LLVM::URemOp::create(b, number, emitI32(b, kPiecesOfWord));
    Value word = LLVM::UDivOp::create(b, number, emitI32(b, kPiecesOfWord));
    Value address = emitByteOffset(b, emitWords(b, type),
                                   LLVM::MulOp::create(b, word, emitI32(b, 4)));
    Value bit = LLVM::ShlOp::create(b, emitI32(b, 1), piece);
    Value others = LLVM::XOrOp::create(b, bit, emitI32(b, -1));
    Value acts = LLVM::AndOp::create(b, emitIsFirstWarp(b), emitIsFirstLane(b));
    InlinePtx ptx(b);
    std::string predicate = ptx.predicate(acts);
    ptx.emit(predicate + "red.release.gpu.global.and.b32 [" + ptx.in(address) +
                 "], " + ptx.in(others) + ";",
             /*sideEffects=*/true);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilewright::populateMapMemoryToLLVM(const WarpTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<AcquireLowering, ReleaseLowering>(converter);
}
