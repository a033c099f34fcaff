#include "lib/Layout/F2.h"
#include "lib/Layout/LayoutConversion.h"
#include "lib/Layout/LayoutInference.h"
#include "lib/Layout/TileLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tilewright;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr LayoutAxis kRegister = LayoutAxis::Register,
                            kLane = LayoutAxis::Lane;

/// Whether M keeps warps and blocks: each of their bits maps exactly to itself,
/// and no other bit maps to them.
static bool keepsWarps(const LinearLayout &map) {
  for (LayoutAxis axis : {LayoutAxis::Warp, LayoutAxis::Block}) {
    if (map.getInBits(axis) != map.getOutBits(axis))
      return false;
    for (unsigned bit = 0; bit < map.getInBits(axis); ++bit)
      if (map.getColumns(axis)[bit] !=
          map.flattenOut({{axis, uint64_t(1) << bit}}))
        return false;
    for (LayoutAxis moved : {kRegister, kLane})
      for (unsigned bit = 0; bit < map.getInBits(moved); ++bit)
        if (map.getBasis(moved, bit, axis) != 0)
          return false;
  }
  return true;
}

static uint64_t apply(ArrayRef<uint64_t> columns, uint64_t x) {
  uint64_t y = 0;
  for (auto [i, column] : llvm::enumerate(columns))
    if (x >> i & 1)
      y ^= column;
  return y;
}

namespace {
/// The four blocks of M inside a warp.
struct WarpMap {
  SmallVector<uint64_t> laneOfLane, laneOfRegister; // P, Q
  SmallVector<uint64_t> registerOfLane, registerOfRegister;

  explicit WarpMap(const LinearLayout &map)
      : laneOfLane(block(map, kLane, kLane)),
        laneOfRegister(block(map, kRegister, kLane)),
        registerOfLane(block(map, kLane, kRegister)),
        registerOfRegister(block(map, kRegister, kRegister)) {}

  static SmallVector<uint64_t> block(const LinearLayout &map, LayoutAxis in,
                                     LayoutAxis out) {
    SmallVector<uint64_t> columns;
    for (unsigned bit = 0; bit < map.getInBits(in); ++bit)
      columns.push_back(map.getBasis(in, bit, out));
    return columns;
  }

  /// The source lane (and below, register) of lane l and register r.
  uint64_t lane(uint64_t l, uint64_t r) const {
    return apply(laneOfLane, l) ^ apply(laneOfRegister, r);
  }
  uint64_t reg(uint64_t l, uint64_t r) const {
    return apply(registerOfLane, l) ^ apply(registerOfRegister, r);
  }
};
} // namespace

/// The A for which P + Q A is the identity, if there is one.
static std::optional<SmallVector<uint64_t>>
chooseButterfly(const WarpMap &map) {
  f2::Solver solver(map.laneOfRegister);
  SmallVector<uint64_t> a;
  for (auto [bit, column] : llvm::enumerate(map.laneOfLane)) {
    std::optional<uint64_t> reg = solver.solve(column ^ uint64_t(1) << bit);
    if (!reg)
      return std::nullopt;
    a.push_back(*reg);
  }
  return a;
}

/// The columns for lane bits of a linear map that has `values` at `basis`, a
/// basis of the lanes.
static SmallVector<uint64_t> onLaneBits(ArrayRef<uint64_t> basis,
                                        ArrayRef<uint64_t> values) {
  f2::Solver coordinates(basis);
  SmallVector<uint64_t> columns;
  for (unsigned bit = 0; bit < kLaneBits; ++bit)
    columns.push_back(
        apply(values, coordinates.solve(uint64_t(1) << bit).value_or(0)));
  return columns;
}

/// Redirects lanes that read different registers of one lane to lanes with
/// copies, if the source has any. For lanes in the kernel of P, adds
/// differences of positions with the same element to M.
static WarpMap spreadOverCopies(WarpMap map, const LinearLayout &source) {
  LinearLayout inWarp = source.sublayout(
      {kRegister, kLane},
      llvm::map_to_vector(source.getOuts(),
                          [](const Extent &e) { return e.axis; }));
  f2::Solver positions(inWarp.getColumns());
  f2::Solver lanes(map.laneOfLane);
  f2::Subspace image(map.laneOfLane);
  SmallVector<uint64_t> basis, laneValues, registerValues;
  auto define = [&](uint64_t lane, uint64_t addLane, uint64_t addRegister) {
    basis.push_back(lane);
    laneValues.push_back(map.lane(lane, 0) ^ addLane);
    registerValues.push_back(map.reg(lane, 0) ^ addRegister);
  };
  for (uint64_t lane : lanes.getKernel().getBasis()) {
    uint64_t addLane = 0, addRegister = 0;
    for (uint64_t copy : positions.getKernel().getBasis()) {
      SmallVector<Coordinate> position = inWarp.unflattenIn(copy);
      if (map.reg(lane, 0) == 0 || !image.insert(position[1].value))
        continue;
      addRegister = position[0].value;
      addLane = position[1].value;
      break;
    }
    define(lane, addLane, addRegister);
  }
  for (uint64_t lane : f2::complementBasis(lanes.getKernel(), kLaneBits))
    define(lane, 0, 0);
  map.laneOfLane = onLaneBits(basis, laneValues);
  map.registerOfLane = onLaneBits(basis, registerValues);
  return map;
}

/// A register r with M (r, lane) = 0, so that lanes that differ by `lane` hold
/// copies. If there is none, a register that maps outside of the lanes in
/// `image`.
static std::optional<uint64_t> chooseRegister(const WarpMap &map, uint64_t lane,
                                              const f2::Subspace &image) {
  constexpr unsigned registerShift = kLaneBits;
  SmallVector<uint64_t> both;
  for (auto [l, r] :
       llvm::zip_equal(map.laneOfRegister, map.registerOfRegister))
    both.push_back(l | r << registerShift);
  uint64_t target = map.lane(lane, 0) | map.reg(lane, 0) << registerShift;
  if (std::optional<uint64_t> copy = f2::Solver(both).solve(target))
    return copy;
  for (unsigned bit = 0; bit < map.laneOfRegister.size(); ++bit)
    if (!image.contains(map.lane(lane, uint64_t(1) << bit)))
      return uint64_t(1) << bit;
  return std::nullopt;
}

/// An A for which all lanes that read from one lane read the same register. A
/// basis of the lanes consists of the kernel of P and a complement. A is zero
/// on the complement, where P is injective.
static std::optional<SmallVector<uint64_t>> chooseGeneral(const WarpMap &map) {
  f2::Solver lanes(map.laneOfLane);
  SmallVector<uint64_t> basis(lanes.getKernel().getBasis()), values;
  f2::Subspace image(map.laneOfLane);
  for (uint64_t lane : basis) {
    std::optional<uint64_t> reg = chooseRegister(map, lane, image);
    if (!reg)
      return std::nullopt;
    values.push_back(*reg);
    image.insert(map.lane(lane, *reg));
  }
  for (uint64_t lane : f2::complementBasis(lanes.getKernel(), kLaneBits)) {
    basis.push_back(lane);
    values.push_back(0);
  }
  return onLaneBits(basis, values);
}

/// The linear map from sourceLane l to the register that lane l reads there,
/// for all l. Nothing if two lanes read different registers of one lane.
static std::optional<SmallVector<uint64_t>>
chooseGivenRegister(const WarpMap &map, ArrayRef<uint64_t> a,
                    ArrayRef<uint64_t> sourceLane) {
  auto wanted = [&](uint64_t lane) { return map.reg(lane, apply(a, lane)); };
  f2::Solver solver(sourceLane);
  for (uint64_t lane : solver.getKernel().getBasis())
    if (wanted(lane) != 0)
      return std::nullopt;
  // No lane reads from lanes outside of the image, so any extension is valid.
  SmallVector<uint64_t> basis, values;
  f2::Subspace image;
  for (unsigned bit = 0; bit < kLaneBits; ++bit)
    if (image.insert(sourceLane[bit])) {
      basis.push_back(sourceLane[bit]);
      values.push_back(wanted(uint64_t(1) << bit));
    }
  for (uint64_t lane : f2::complementBasis(image, kLaneBits)) {
    basis.push_back(lane);
    values.push_back(0);
  }
  return onLaneBits(basis, values);
}

static std::optional<ShufflePlan>
makePlan(const WarpMap &map, std::optional<SmallVector<uint64_t>> a) {
  if (!a)
    return std::nullopt;
  ShufflePlan plan;
  plan.resultRegister = *a;
  for (unsigned bit = 0; bit < kLaneBits; ++bit)
    plan.sourceLane.push_back(map.lane(uint64_t(1) << bit, (*a)[bit]));
  auto given = chooseGivenRegister(map, *a, plan.sourceLane);
  if (!given)
    return std::nullopt;
  plan.sourceRegister = *given;
  f2::Solver lanes(map.laneOfRegister);
  llvm::append_range(plan.packable, lanes.getKernel().getBasis());
  for (unsigned k = 0; k < 1u << map.laneOfRegister.size(); ++k) {
    uint64_t lane = map.lane(0, k);
    uint64_t reg = map.reg(0, k) ^ apply(plan.sourceRegister, lane);
    plan.rounds.push_back({k, unsigned(lane), unsigned(reg)});
  }
  return plan;
}

bool ShufflePlan::isButterfly() const {
  for (auto [bit, column] : llvm::enumerate(sourceLane))
    if (column != uint64_t(1) << bit)
      return false;
  return true;
}

unsigned ShufflePlan::getCost(unsigned elementBytes) const {
  constexpr unsigned kWordBytes = 4, kShuffle = 2, kSelect = 1, kPack = 1;
  const f2::Subspace given(sourceRegister), taken(resultRegister);
  unsigned stages = given.dimension() + taken.dimension();
  unsigned moved = llvm::count_if(rounds, [&](const Round &round) {
    return !isButterfly() || round.laneXor != 0;
  });
  unsigned cost = stages * rounds.size() * kSelect;
  if (elementBytes >= kWordBytes)
    return cost + moved * (elementBytes / kWordBytes) * kShuffle;
  unsigned packed = std::min<unsigned>(llvm::Log2_32(kWordBytes / elementBytes),
                                       packable.size());
  return cost + (moved >> packed) * kShuffle + 2 * moved * kPack;
}

std::optional<ShufflePlan> tilewright::planShuffle(const LinearLayout &source,
                                                   const LinearLayout &result) {
  LinearLayout from = source.dropRedundantBits(kRegister);
  LinearLayout to = result.dropRedundantBits(kRegister);
  LinearLayout map = to.invertAndCompose(from);
  if (!keepsWarps(map))
    return std::nullopt;
  WarpMap warpMap(map);
  // If all lanes read the same register number, no selects are needed.
  std::optional<ShufflePlan> plan;
  if (llvm::all_of(warpMap.registerOfLane,
                   [](uint64_t column) { return column == 0; }))
    plan = makePlan(warpMap, SmallVector<uint64_t>(kLaneBits, 0));
  if (!plan)
    plan = makePlan(warpMap, chooseButterfly(warpMap));
  if (!plan) {
    WarpMap spread = spreadOverCopies(warpMap, from);
    plan = makePlan(spread, chooseGeneral(spread));
  }
  if (plan) {
    plan->source = std::move(from);
    plan->result = std::move(to);
  }
  return plan;
}

/// The cost of a conversion through shared memory in addition to its accesses,
/// in half cycles of a warp: the latency, which other warps hide in part, and
/// the barriers.
static unsigned getBarrierCost(unsigned warpBits) {
  constexpr unsigned kOfOneWarp = 64, kMost = 128;
  return std::min(kOfOneWarp << warpBits, kMost);
}

/// Whether `plan`, with its selects, costs more than shared memory.
static bool isSlowerThanSharedMemory(const ShufflePlan &plan,
                                     unsigned elementBytes) {
  unsigned cost = plan.getCost(elementBytes);
  unsigned barriers = getBarrierCost(plan.source.getInBits(LayoutAxis::Warp));
  return plan.source.getInBits(LayoutAxis::Block) == 0 && cost > barriers &&
         cost >
             barriers + planSharedMemory(plan.source, plan.result, elementBytes)
                            .getCost(elementBytes);
}

ConversionKind tilewright::chooseConversion(const LinearLayout &source,
                                            const LinearLayout &result,
                                            unsigned elementBytes) {
  if (source == result)
    return ConversionKind::None;
  if (registerMap(source, result))
    return ConversionKind::Registers;
  std::optional<ShufflePlan> plan = planShuffle(source, result);
  return plan && !isSlowerThanSharedMemory(*plan, elementBytes)
             ? ConversionKind::Shuffle
             : ConversionKind::SharedMemory;
}
