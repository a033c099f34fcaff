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

/// Whether M keeps warps and blocks: their bits go to themselves and to nothing
/// else, and no other bit goes to them.
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
/// M inside a warp, as its four blocks.
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

  /// The lane (first) and register of a lane l and a register r.
  uint64_t lane(uint64_t l, uint64_t r) const {
    return apply(laneOfLane, l) ^ apply(laneOfRegister, r);
  }
  uint64_t reg(uint64_t l, uint64_t r) const {
    return apply(registerOfLane, l) ^ apply(registerOfRegister, r);
  }
};
} // namespace

/// A with P + Q A the identity, if there is one.
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

/// Linear maps given on `basis`, a basis of the lanes, as columns for lane
/// bits.
static SmallVector<uint64_t> onLaneBits(ArrayRef<uint64_t> basis,
                                        ArrayRef<uint64_t> values) {
  f2::Solver coordinates(basis);
  SmallVector<uint64_t> columns;
  for (unsigned bit = 0; bit < kLaneBits; ++bit)
    columns.push_back(
        apply(values, coordinates.solve(uint64_t(1) << bit).value_or(0)));
  return columns;
}

/// Lanes that read different registers of one lane had better read from lanes
/// of their own, where the source has copies: adds to M, on the lanes that P
/// does not tell apart, differences of places with the same element.
static WarpMap spreadOverCopies(WarpMap map, const LinearLayout &source) {
  LinearLayout inWarp = source.sublayout(
      {kRegister, kLane},
      llvm::map_to_vector(source.getOuts(),
                          [](const Extent &e) { return e.axis; }));
  f2::Solver places(inWarp.getColumns());
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
    for (uint64_t copy : places.getKernel().getBasis()) {
      SmallVector<Coordinate> place = inWarp.unflattenIn(copy);
      if (map.reg(lane, 0) == 0 || !image.insert(place[1].value))
        continue;
      addRegister = place[0].value;
      addLane = place[1].value;
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

/// A register r with M (r, lane) = 0 (lanes that differ by `lane` hold copies),
/// or else one that leads out of the lanes in `image`.
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

/// A such that lanes that read from one lane read one register. On a basis of
/// the lanes made of the kernel of P and a complement of it, A is zero on the
/// complement, where P is injective already.
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

/// The linear map that takes sourceLane l to the register wanted from there,
/// for all l; nothing if two lanes want different registers of one lane.
static std::optional<SmallVector<uint64_t>>
chooseGivenRegister(const WarpMap &map, ArrayRef<uint64_t> a,
                    ArrayRef<uint64_t> sourceLane) {
  auto wanted = [&](uint64_t lane) { return map.reg(lane, apply(a, lane)); };
  f2::Solver solver(sourceLane);
  for (uint64_t lane : solver.getKernel().getBasis())
    if (wanted(lane) != 0)
      return std::nullopt;
  // Lanes outside of the image give what nobody reads: any extension will do.
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
  // Where all lanes take from a register of the same number nobody selects.
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

/// What a way through shared memory costs a warp beside its accesses, in half
/// cycles: its latency, which other warps hide in part, and the barriers, at
/// which warps wait for each other.
static unsigned getBarrierCost(unsigned warpBits) {
  constexpr unsigned kOfOneWarp = 64, kMost = 128;
  return std::min(kOfOneWarp << warpBits, kMost);
}

/// Whether `plan`, with its selects, takes longer than shared memory would.
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
