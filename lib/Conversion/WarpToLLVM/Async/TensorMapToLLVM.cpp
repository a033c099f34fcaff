// Tensor maps that the device writes.
//
// The first warp of a warpgroup writes the maps that its first lane uses. It
// replaces fields in a zero map in shared memory, copies the map to global
// memory and fences it for TMA. The warp that issues the copies wrote the map
// itself, so no other thread waits.
//
// MapMemoryToLLVM.cpp allocates the global memory.

#include "lib/Conversion/WarpToLLVM/Async/MapMemory.h"
#include "lib/Conversion/WarpToLLVM/Async/TransactionRing.h"
#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

static constexpr int64_t kMapBytes = warp::MapMemoryType::kMapBytes;

static void emitWarpBarrier(ImplicitLocOpBuilder &b) {
  NVVM::SyncWarpOp::create(b, emitI32(b, -1));
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// Returns the PTX code of an element type.
static int64_t getElementCode(Type element) {
  enum { U8, U16, U32, S32, U64, S64, F16, F32, F32Ftz, F64, BF16 };
  if (element.isF16())
    return F16;
  if (element.isBF16())
    return BF16;
  if (element.isF32())
    return F32;
  if (element.isF64())
    return F64;
  bool isUnsigned = element.isUnsignedInteger();
  switch (element.getIntOrFloatBitWidth()) {
  case 64:
    return isUnsigned ? U64 : S64;
  case 32:
    return isUnsigned ? U32 : S32;
  case 16:
    return U16;
  default:
    return U8;
  }
}

namespace {

/// An array as a map describes it: dimensions from the innermost to the
/// outermost.
struct DescribedArray {
  Value address;
  SmallVector<Value> sizes, strideBytes;
};

/// Writes the fields of one map.
class MapWriter {
public:
  MapWriter(ImplicitLocOpBuilder &b, warp::MakeTensorMapOp op, Value map)
      : b(b), op(op), map(map), acts(emitIsFirstLane(b)) {}

  void write(const DescribedArray &array);

private:
  void replace(StringRef field, std::optional<unsigned> dim, Value value);
  void replace(StringRef field, std::optional<unsigned> dim, int64_t value);
  void emit(InlinePtx &ptx, const std::string &predicate, StringRef field,
            StringRef type, std::optional<unsigned> dim, StringRef value);

  ImplicitLocOpBuilder &b;
  warp::MakeTensorMapOp op;
  Value map, acts;
};

} // namespace

void MapWriter::emit(InlinePtx &ptx, const std::string &predicate,
                     StringRef field, StringRef type,
                     std::optional<unsigned> dim, StringRef value) {
  std::string text = predicate + "tensormap.replace.tile." + field.str() +
                     ".shared::cta.b1024." + type.str() + " [" + ptx.in(map) +
                     "], ";
  if (dim)
    text += std::to_string(*dim) + ", ";
  ptx.emit(text + value.str() + ";", /*sideEffects=*/true);
}

void MapWriter::replace(StringRef field, std::optional<unsigned> dim,
                        Value value) {
  InlinePtx ptx(b);
  std::string predicate = ptx.predicate(acts), text = ptx.in(value);
  emit(ptx, predicate, field, value.getType().isInteger(32) ? "b32" : "b64",
       dim, text);
}

void MapWriter::replace(StringRef field, std::optional<unsigned> dim,
                        int64_t value) {
  InlinePtx ptx(b);
  std::string predicate = ptx.predicate(acts);
  emit(ptx, predicate, field, "b32", dim, std::to_string(value));
}

void MapWriter::write(const DescribedArray &array) {
  unsigned rank = array.sizes.size();
  replace("global_address", {}, array.address);
  // PTX encodes the rank minus one.
  replace("rank", {}, int64_t(rank) - 1);
  for (unsigned dim = 0; dim < rank; ++dim) {
    replace("box_dim", dim, op.getBox()[rank - 1 - dim]);
    replace("global_dim", dim, array.sizes[dim]);
    replace("element_stride", dim, 1);
  }
  for (auto [dim, stride] : llvm::enumerate(array.strideBytes))
    replace("global_stride", dim, stride);
  replace("elemtype", {}, getElementCode(op.getElement()));
  replace("interleave_layout", {}, 0);
  replace("swizzle_mode", {},
          op.getSwizzle() == 0 ? 0 : llvm::Log2_32(op.getSwizzle() / 16));
  replace("fill_mode", {}, int64_t(op.getPadding()));
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

static Value emitI64(ImplicitLocOpBuilder &b, int64_t value) {
  return LLVM::ConstantOp::create(b, b.getI64Type(),
                                  b.getI64IntegerAttr(value));
}

/// Traps if the hardware would silently copy other data.
static void emitCheck(ImplicitLocOpBuilder &b, const DescribedArray &array) {
  constexpr int64_t kMaxStrideBits = 40;
  Value strides = emitI64(b, 0);
  for (Value stride : array.strideBytes)
    strides = LLVM::OrOp::create(b, strides, stride);
  Value low = LLVM::AndOp::create(
      b, LLVM::OrOp::create(b, strides, array.address), emitI64(b, 15));
  Value high = LLVM::LShrOp::create(b, strides, emitI64(b, kMaxStrideBits));
  Value wrong =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne,
                           LLVM::OrOp::create(b, low, high), emitI64(b, 0));
  InlinePtx ptx(b);
  std::string predicate = ptx.predicate(wrong);
  ptx.emit(predicate + "trap;", /*sideEffects=*/true);
}

/// Returns the address that replaces an empty array, which a map cannot
/// describe: one element of padding, or a dummy element that may be written.
static Value emitDummyArray(ImplicitLocOpBuilder &b, warp::MakeTensorMapOp op) {
  Value memory;
  if (op.getWritten())
    memory = emitGlobal(b, "__tilewright_written", kMapBytes);
  else if (op.getPadding() == tile::Padding::NaN) // in any float type
    memory = emitGlobal(b, "__tilewright_nans", kMapBytes, /*fill=*/'\xff');
  else
    memory = emitGlobal(b, "__tilewright_zeros", kMapBytes);
  return LLVM::PtrToIntOp::create(b, b.getI64Type(), memory);
}

static DescribedArray emitArray(ImplicitLocOpBuilder &b,
                                warp::MakeTensorMapOp op, Value base,
                                ArrayRef<Value> shape,
                                ArrayRef<Value> strides) {
  constexpr int64_t kMaxSize = 0xffffffff;
  DescribedArray array;
  Value none;
  for (Value size : llvm::reverse(shape)) {
    Value isEmpty =
        LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::sle, size, emitI64(b, 0));
    none = none ? LLVM::OrOp::create(b, none, isEmpty).getResult() : isEmpty;
  }
  for (auto [dim, size] : llvm::enumerate(llvm::reverse(shape))) {
    Value extent = LLVM::SMinOp::create(b, size, emitI64(b, kMaxSize));
    extent = LLVM::SelectOp::create(b, none, emitI64(b, 1), extent);
    array.sizes.push_back(LLVM::TruncOp::create(b, b.getI32Type(), extent));
    if (dim == 0)
      continue;
    // The stride of a dimension of size 1 may be anything: use a valid one.
    Value bytes = LLVM::MulOp::create(
        b, strides[strides.size() - dim],
        emitI64(b, op.getElement().getIntOrFloatBitWidth() / 8));
    Value isSingle = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::sle, extent,
                                          emitI64(b, 1));
    array.strideBytes.push_back(
        LLVM::SelectOp::create(b, isSingle, emitI64(b, 16), bytes));
  }
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), base);
  array.address =
      LLVM::SelectOp::create(b, none, emitDummyArray(b, op), address);
  return array;
}

namespace {

struct MakeTensorMapLowering : ConvertOpToLLVMPattern<warp::MakeTensorMapOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::MakeTensorMapOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto scalars = [](ArrayRef<ValueRange> ranges) {
      return llvm::map_to_vector(
          ranges, [](ValueRange range) { return range.front(); });
    };
    Value memory = adaptor.getMemory().front();
    Value map =
        LLVM::GEPOp::create(b, memory.getType(), b.getI8Type(), memory,
                            LLVM::GEPArg(int32_t(op.getIndex() * kMapBytes)));
    auto branch = scf::IfOp::create(b, emitIsFirstWarp(b),
                                    /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    DescribedArray array =
        emitArray(b, op, adaptor.getBase().front(), scalars(adaptor.getShape()),
                  scalars(adaptor.getStrides()));
    emitCheck(b, array);
    emitMap(b, op, array, adaptor.getStaging().front(), map);
    b.setInsertionPointAfter(branch);
    rewriter.replaceOp(op,
                       LLVM::AddrSpaceCastOp::create(
                           b, LLVM::LLVMPointerType::get(getContext()), map));
    return success();
  }

private:
  /// The part that one warp runs.
  static void emitMap(ImplicitLocOpBuilder &b, warp::MakeTensorMapOp op,
                      const DescribedArray &array, Value staging, Value map) {
    // Stores through the previous map in this memory must have completed.
    InlinePtx(b).emit("cp.async.bulk.wait_group 0;", /*sideEffects=*/true);
    // Roles write their maps concurrently, so staging is indexed by the warp's
    // index in the CTA.
    Value warp = LLVM::UDivOp::create(
        b, NVVM::ThreadIdXOp::create(b, b.getI32Type()), emitI32(b, kWarpSize));
    Value mine = emitByteOffset(
        b, staging, LLVM::MulOp::create(b, warp, emitI32(b, kMapBytes)));
    Value word = emitByteOffset(
        b, mine, LLVM::MulOp::create(b, emitLaneId(b), emitI32(b, 4)));
    LLVM::StoreOp::create(b, emitI32(b, 0), word);
    emitWarpBarrier(b);
    MapWriter(b, op, mine).write(array);
    emitWarpBarrier(b);
    InlinePtx copy(b);
    std::string to = copy.in(map);
    copy.emit("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."
              "release.gpu.sync.aligned [" +
                  to + "], [" + copy.in(mine) + "], 128;",
              /*sideEffects=*/true);
    InlinePtx fence(b);
    fence.emit("fence.proxy.tensormap::generic.acquire.gpu [" + fence.in(map) +
                   "], 128;",
               /*sideEffects=*/true);
    emitWarpBarrier(b);
  }
};

struct RingDrainLowering : ConvertOpToLLVMPattern<warp::RingDrainOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(warp::RingDrainOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    emitDrain(b, RingSlots(op.getRing()), TransactionRing(adaptor.getRing()));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilewright::populateTensorMapToLLVM(const WarpTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<MakeTensorMapLowering, RingDrainLowering>(converter);
}
