// Transfer functions of AxisInfo for ops other than integer arithmetic.

#include "lib/Analysis/Facts/AxisArithmetic.h"

#include "dialect/Tile/GuardedDivisors.h"
#include "dialect/Tile/TileDialect.h"
#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

using Infos = ArrayRef<AxisInfo>;

//===----------------------------------------------------------------------===//
// Comparison, selection and casts
//===----------------------------------------------------------------------===//

static AxisInfo compare(arith::CmpIOp op, Infos operands) {
  using P = arith::CmpIPredicate;
  const AxisInfo &x = operands[0], &y = operands[1];
  bool less =
      llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, op.getPredicate());
  bool greater =
      llvm::is_contained({P::sgt, P::sle, P::ugt, P::ule}, op.getPredicate());
  SmallVector<AxisFacts> dims;
  for (unsigned d = 0; d < x.getRank(); ++d) {
    AxisFacts facts;
    facts.constancy = std::min(x[d].constancy, y[d].constancy);
    if (less)
      facts.constancy = std::max(facts.constancy, getGroupOfMultiples(x, y, d));
    if (greater)
      facts.constancy = std::max(facts.constancy, getGroupOfMultiples(y, x, d));
    dims.push_back(facts);
  }
  return AxisInfo(dims);
}

static AxisInfo select(arith::SelectOp op, Infos operands) {
  if (op->hasAttr(tile::kGuardsDivisorAttr))
    return operands[2];
  const AxisInfo &condition = operands[0], &x = operands[1], &y = operands[2];
  bool isScalar = !isa<RankedTensorType>(op.getCondition().getType());
  SmallVector<AxisFacts> dims;
  for (unsigned d = 0; d < x.getRank(); ++d) {
    auto within = [&](int64_t group) {
      return isScalar ? group : std::min(group, condition[d].constancy);
    };
    AxisFacts facts;
    facts.contiguity = within(std::min(x[d].contiguity, y[d].contiguity));
    facts.constancy = within(std::min(x[d].constancy, y[d].constancy));
    // Also valid for pointers, since neighbours differ by at least one byte.
    facts.divisibility = std::min(x.getDivisibility(d, facts.contiguity),
                                  y.getDivisibility(d, facts.contiguity));
    dims.push_back(facts);
  }
  return AxisInfo(dims, x.isNonNegative() && y.isNonNegative());
}

/// A cast that keeps the low bits and may wrap around.
static AxisInfo castInteger(Operation *op, const AxisInfo &x) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  unsigned bits = std::min(getElementTypeOrSelf(from).getIntOrFloatBitWidth(),
                           getElementTypeOrSelf(to).getIntOrFloatBitWidth());
  if (isa<arith::ExtSIOp>(op) && bits >= 32)
    return x;
  unsigned range = bits - isa<arith::ExtSIOp>(op);
  int64_t wrap = range < 40 ? int64_t(1) << range : AxisInfo::kMaxDivisibility;
  SmallVector<AxisFacts> dims;
  for (unsigned d = 0; d < x.getRank(); ++d) {
    // A group that is aligned to its size does not cross the end of the range.
    AxisFacts facts = x[d];
    if (!x.isNonNegative() || !isa<arith::ExtUIOp>(op))
      facts.contiguity = std::min({facts.contiguity, facts.divisibility, wrap});
    facts.divisibility = x.getDivisibility(d, facts.contiguity);
    dims.push_back(facts);
  }
  return AxisInfo(dims, isa<arith::ExtUIOp>(op));
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

static AxisInfo range(tile::RangeOp op) {
  int64_t start = static_cast<int32_t>(op.getStart());
  int64_t size = cast<RankedTensorType>(op.getType()).getDimSize(0);
  AxisFacts facts{getPowerOfTwoDivisor(size), getPowerOfTwoDivisor(start), 1};
  // A size like 24 gives groups of 8, which start at multiples of 8 from it.
  if (facts.contiguity < size)
    facts.divisibility = std::min(facts.divisibility, facts.contiguity);
  return AxisInfo(facts, start >= 0);
}

static AxisInfo splat(tile::SplatOp op, const AxisInfo &x) {
  SmallVector<AxisFacts> dims;
  auto type = cast<RankedTensorType>(op.getType());
  for (int64_t size : type.getShape())
    dims.push_back({1, x[0].divisibility, getPowerOfTwoDivisor(size)});
  if (dims.empty())
    dims.push_back(x[0]);
  return AxisInfo(dims, x.isNonNegative(), x.getConstant());
}

/// The difference of consecutive elements of a type in units of divisibility.
static int64_t getUnit(Type type) {
  return isa<tile::PtrType>(getElementTypeOrSelf(type)) ? getPointeeBytes(type)
                                                        : 1;
}

static AxisInfo expandDims(tile::ExpandDimsOp op, const AxisInfo &x) {
  SmallVector<AxisFacts> dims(x.getDims());
  if (cast<RankedTensorType>(op.getSource().getType()).getRank() == 0)
    dims.clear();
  AxisFacts added{1, x.getDivisibility(getUnit(op.getType())), 1};
  dims.insert(dims.begin() + op.getAxis(), added);
  return AxisInfo(dims, x.isNonNegative(), x.getConstant());
}

static AxisInfo broadcast(tile::BroadcastOp op, const AxisInfo &x) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  auto to = cast<RankedTensorType>(op.getType());
  SmallVector<AxisFacts> dims(x.getDims());
  for (int64_t d = 0; d < to.getRank(); ++d)
    if (from.getDimSize(d) != to.getDimSize(d))
      dims[d].constancy = getPowerOfTwoDivisor(to.getDimSize(d));
  return AxisInfo(dims, x.isNonNegative(), x.getConstant());
}

static AxisInfo transpose(tile::TransposeOp op, const AxisInfo &x) {
  SmallVector<AxisFacts> dims;
  for (int32_t d : op.getOrder())
    dims.push_back(x[d]);
  return AxisInfo(dims, x.isNonNegative(), x.getConstant());
}

/// A reshape keeps row-major order. So groups along the last dimension stay as
/// far as they fit the new one.
static AxisInfo reshape(tile::ReshapeOp op, const AxisInfo &x) {
  auto to = cast<RankedTensorType>(op.getType());
  if (x.getConstant())
    return AxisInfo::getConstant(to, *x.getConstant());
  int64_t unit = getUnit(to);
  AxisFacts any{1, x.getDivisibility(unit), 1};
  SmallVector<AxisFacts> dims(std::max<int64_t>(to.getRank(), 1), any);
  if (to.getRank() != 0) {
    unsigned last = x.getRank() - 1;
    int64_t room = getPowerOfTwoDivisor(to.getShape().back());
    AxisFacts &facts = dims.back();
    facts.contiguity = std::min(x[last].contiguity, room);
    facts.constancy = std::min(x[last].constancy, room);
    facts.divisibility = x.getDivisibility(last, facts.contiguity, unit);
  }
  return AxisInfo(dims, x.isNonNegative());
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// Reinterprets the same bits with elements of another unit. Only facts that
/// hold for every element stay.
static AxisInfo recount(Type from, Type to, const AxisInfo &x) {
  if (getUnit(from) == getUnit(to))
    return x;
  SmallVector<AxisFacts> dims;
  for (const AxisFacts &facts : x.getDims())
    dims.push_back({1, x.getDivisibility(getUnit(from)), facts.constancy});
  return AxisInfo(dims);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static AxisInfo constant(arith::ConstantOp op) {
  Type type = op.getType();
  IntegerAttr value = dyn_cast<IntegerAttr>(op.getValue());
  if (auto splat = dyn_cast<SplatElementsAttr>(op.getValue()))
    value = dyn_cast<IntegerAttr>(splat.getSplatValue<Attribute>());
  if (!value || value.getValue().getBitWidth() > 64)
    return AxisInfo::getUnknown(type);
  // A boolean is 0 or 1, not -1.
  APInt bits = value.getValue();
  return AxisInfo::getConstant(type, bits.getBitWidth() == 1
                                         ? int64_t(bits.getZExtValue())
                                         : bits.getSExtValue());
}

static AxisInfo nonNegativeScalar() {
  return AxisInfo(AxisFacts(), /*nonNegative=*/true);
}

AxisInfo tilewright::inferAxisInfo(Operation *op, Infos in) {
  if (std::optional<AxisInfo> info = inferArithmetic(op, in))
    return *info;
  Type type = op->getResult(0).getType();
  return TypeSwitch<Operation *, AxisInfo>(op)
      .Case([](arith::ConstantOp op) { return constant(op); })
      .Case([&](arith::CmpIOp op) { return compare(op, in); })
      .Case([&](arith::SelectOp op) { return select(op, in); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          [&](Operation *op) { return castInteger(op, in[0]); })
      .Case([](tile::RangeOp op) { return range(op); })
      .Case([&](tile::SplatOp op) { return splat(op, in[0]); })
      .Case([&](tile::ExpandDimsOp op) { return expandDims(op, in[0]); })
      .Case([&](tile::BroadcastOp op) { return broadcast(op, in[0]); })
      .Case([&](tile::TransposeOp op) { return transpose(op, in[0]); })
      .Case([&](tile::ReshapeOp op) { return reshape(op, in[0]); })
      .Case([&](tile::AddPtrOp) {
        return addScaled(in[0], in[1], getPointeeBytes(type), false);
      })
      .Case<tile::BitcastOp, tile::IntToPtrOp, tile::PtrToIntOp>(
          [&](Operation *op) {
            return recount(op->getOperand(0).getType(), type, in[0]);
          })
      .Case<tile::ProgramIdOp, tile::NumProgramsOp>(
          [](Operation *) { return nonNegativeScalar(); })
      .Case<warp::ConvertLayoutOp, warp::OpaqueOp>(
          [&](Operation *) { return in[0]; })
      .Default([&](Operation *) { return AxisInfo::getUnknown(type); });
}
