#include "lib/Conversion/TileToWarp/TileToWarp.h"

#include "lib/Analysis/Mma/DotLayouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tilewright;

namespace {

/// Rewrites one dot.
class DotDecomposer {
public:
  DotDecomposer(tile::DotOp dot, int64_t numWarps, const NvidiaTarget &target,
                bool cutTf32)
      : dot(dot), numWarps(numWarps), target(target), cutTf32(cutTf32),
        builder(dot.getLoc(), dot) {}

  void run();

private:
  Value withType(Value tile, Type element);
  void convertOperands(Type element);
  void accumulateInF32();
  Value roundToTF32(Value tile);
  void addDot(Value a, Value b);
  void splitIntoTF32();
  bool isTruncated();

  tile::DotOp dot;
  int64_t numWarps;
  const NvidiaTarget &target;
  bool cutTf32;
  ImplicitLocOpBuilder builder;
};

} // namespace

static Type getElementType(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getElementType();
}

Value DotDecomposer::withType(Value tile, Type element) {
  Type from = getElementType(tile);
  if (from == element)
    return tile;
  auto type = cast<RankedTensorType>(tile.getType()).clone(element);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, type, tile);
  return arith::TruncFOp::create(builder, type, tile);
}

void DotDecomposer::convertOperands(Type element) {
  dot.getAMutable().assign(withType(dot.getA(), element));
  dot.getBMutable().assign(withType(dot.getB(), element));
}

void DotDecomposer::accumulateInF32() {
  Type element = getElementType(dot.getAcc());
  if (element.isF32())
    return;
  Value acc = withType(dot.getAcc(), builder.getF32Type());
  dot.getAccMutable().assign(acc);
  dot.getResult().setType(cast<RankedTensorType>(acc.getType()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(dot);
  Value narrow = withType(dot.getResult(), element);
  dot.getResult().replaceAllUsesExcept(narrow, narrow.getDefiningOp());
}

/// Rounds to ten bits of mantissa, ties away from zero. NaN stays as it is,
/// because its bits may carry over into the sign.
Value DotDecomposer::roundToTF32(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto bitsType = type.clone(builder.getI32Type());
  auto splat = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(bitsType, APInt(32, value, true)));
  };
  Value bits = arith::BitcastOp::create(builder, bitsType, tile);
  Value biased = arith::AddIOp::create(builder, bits, splat(0x1000));
  Value truncated = arith::AndIOp::create(builder, biased, splat(~0x1fff));
  Value rounded = arith::BitcastOp::create(builder, type, truncated);
  Value isNaN =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, tile, tile);
  return arith::SelectOp::create(builder, isNaN, tile, rounded);
}

/// Whether the operands of a tf32 dot are not rounded; tensor cores truncate
/// them to ten bits.
/// 1. The option `cutTf32` asks for it.
/// 2. wgmma reads them from shared memory: rounding would take them through
///    registers first.
bool DotDecomposer::isTruncated() {
  return dot.getPrecision() == tile::DotPrecision::TF32 &&
         (cutTf32 || getWgmmaObstacle(dot, numWarps, target).empty());
}

/// Inserts a dot of `a` and `b` before this one. Its result becomes the
/// accumulator of this one.
void DotDecomposer::addDot(Value a, Value b) {
  dot.getAccMutable().assign(tile::DotOp::create(
      builder, dot.getType(), a, b, dot.getAcc(), tile::DotPrecision::TF32));
}

/// Splits each operand into its tf32 part and a rest, and computes all partial
/// dots but that of the two rests. The small terms are accumulated first.
void DotDecomposer::splitIntoTF32() {
  Value a = dot.getA(), b = dot.getB();
  Value bigA = roundToTF32(a), bigB = roundToTF32(b);
  if (dot.getPrecision() == tile::DotPrecision::TF32x3) {
    auto rest = [&](Value tile, Value big) {
      return roundToTF32(arith::SubFOp::create(builder, tile, big));
    };
    addDot(rest(a, bigA), bigB);
    addDot(bigA, rest(b, bigB));
  }
  dot.setPrecision(tile::DotPrecision::TF32);
  dot.getAMutable().assign(bigA);
  dot.getBMutable().assign(bigB);
}

void DotDecomposer::run() {
  Type operand = getElementType(dot.getA());
  if (tile::isFloat8(operand) && !target.hasFloat8()) {
    operand = builder.getF16Type();
    convertOperands(operand);
  }
  // Tensor cores accumulate dots of 8-bit floats in f32 only.
  if (tile::isFloat8(operand))
    accumulateInF32();
  if (isTensorCoreDot(dot)) {
    if (dot.getPrecision() != tile::DotPrecision::IEEE && !isTruncated())
      splitIntoTF32();
    return;
  }
  // Too small for tensor cores: threads compute with full precision.
  dot.setPrecision(tile::DotPrecision::IEEE);
  if (isa<FloatType>(operand) && operand.getIntOrFloatBitWidth() < 32) {
    convertOperands(builder.getF32Type());
    accumulateInF32();
  }
}

void warp::decomposeDots(tile::FuncOp func, int64_t numWarps,
                         const NvidiaTarget &target, bool cutTf32) {
  SmallVector<tile::DotOp> dots;
  func.walk([&](tile::DotOp dot) { dots.push_back(dot); });
  for (tile::DotOp dot : dots)
    DotDecomposer(dot, numWarps, target, cutTf32).run();
}
