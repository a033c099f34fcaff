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
  void sumInF32();
  Value roundToTF32(Value tile);
  void addDot(Value a, Value b);
  void splitIntoTF32();
  bool isCut();

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

void DotDecomposer::sumInF32() {
  Type sum = getElementType(dot.getAcc());
  if (sum.isF32())
    return;
  Value acc = withType(dot.getAcc(), builder.getF32Type());
  dot.getAccMutable().assign(acc);
  dot.getResult().setType(cast<RankedTensorType>(acc.getType()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfter(dot);
  Value narrow = withType(dot.getResult(), sum);
  dot.getResult().replaceAllUsesExcept(narrow, narrow.getDefiningOp());
}

/// To ten bits of mantissa, halves away from zero. Not for NaN, whose bits may
/// carry over into the sign.
Value DotDecomposer::roundToTF32(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto bitsType = type.clone(builder.getI32Type());
  auto splat = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(
        builder, DenseElementsAttr::get(bitsType, APInt(32, value, true)));
  };
  Value bits = arith::BitcastOp::create(builder, bitsType, tile);
  Value half = arith::AddIOp::create(builder, bits, splat(0x1000));
  Value kept = arith::AndIOp::create(builder, half, splat(~0x1fff));
  Value rounded = arith::BitcastOp::create(builder, type, kept);
  Value isNaN =
      arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, tile, tile);
  return arith::SelectOp::create(builder, isNaN, tile, rounded);
}

/// Whether the operands of a product in tf32 may be left as they are, which
/// tensor cores cut off to ten bits: where that is wanted, and for wgmma, which
/// reads them from shared memory, where rounding would take them through
/// registers first.
bool DotDecomposer::isCut() {
  return dot.getPrecision() == tile::DotPrecision::TF32 &&
         (cutTf32 || getWgmmaObstacle(dot, numWarps, target).empty());
}

/// Puts another dot before this one, whose accumulator its result becomes.
void DotDecomposer::addDot(Value a, Value b) {
  dot.getAccMutable().assign(tile::DotOp::create(
      builder, dot.getType(), a, b, dot.getAcc(), tile::DotPrecision::TF32));
}

/// With each operand split into what tf32 holds and the rest, the product but
/// for the product of the rests; the small parts are summed first.
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
  // Tensor cores sum products of 8-bit floats in f32 only.
  if (tile::isFloat8(operand))
    sumInF32();
  if (isTensorCoreDot(dot)) {
    if (dot.getPrecision() != tile::DotPrecision::IEEE && !isCut())
      splitIntoTF32();
    return;
  }
  // Too small for tensor cores: threads compute with full precision.
  dot.setPrecision(tile::DotPrecision::IEEE);
  if (isa<FloatType>(operand) && operand.getIntOrFloatBitWidth() < 32) {
    convertOperands(builder.getF32Type());
    sumInF32();
  }
}

void warp::decomposeDots(tile::FuncOp func, int64_t numWarps,
                         const NvidiaTarget &target, bool cutTf32) {
  SmallVector<tile::DotOp> dots;
  func.walk([&](tile::DotOp dot) { dots.push_back(dot); });
  for (tile::DotOp dot : dots)
    DotDecomposer(dot, numWarps, target, cutTf32).run();
}
