#include "lib/Layout/WgmmaTiling.h"

#include "lib/Layout/F2.h"
#include "lib/Layout/TileLayouts.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tilewright;
using llvm::ArrayRef;
using llvm::Log2_64;
using llvm::SmallVector;

static constexpr LayoutAxis kRow = dimAxis(0), kColumn = dimAxis(1);
static constexpr unsigned kWarpBits = 2; // in a warpgroup
static constexpr int64_t kAtomColumns = 8;
/// Bytes along the contracted dimension that one instruction takes.
static constexpr int64_t kDepthBytes = 32, kChunkBytes = 16;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The tile that a warpgroup holds in the registers of one atom of `mma.sync`.
static LinearLayout warpgroupAtom(MmaOperand operand, unsigned elementBits) {
  return mmaAtom(operand, elementBits) *
         LinearLayout::identity(LayoutAxis::Warp, kRow, kWarpBits);
}

/// The number of warpgroups along the rows and columns of a result with `rows`.
static std::pair<int64_t, int64_t> getGroups(int64_t rows, int64_t numWarps) {
  int64_t groups = numWarps / kWarpsPerGroup;
  int64_t alongRows = std::min(groups, rows / kWgmmaRows);
  return {alongRows, groups / alongRows};
}

bool tilewright::hasWgmmaLayout(ArrayRef<int64_t> shape, int64_t numWarps) {
  return shape.size() == 2 && numWarps % kWarpsPerGroup == 0 &&
         shape[0] >= kWgmmaRows &&
         shape[1] / getGroups(shape[0], numWarps).second >= kAtomColumns;
}

std::optional<LinearLayout> tilewright::wgmmaLayout(ArrayRef<int64_t> shape,
                                                    int64_t numWarps) {
  if (!hasWgmmaLayout(shape, numWarps))
    return std::nullopt;
  auto [alongRows, alongColumns] = getGroups(shape[0], numWarps);
  return mmaLayout(MmaOperand::Accumulator, 32,
                   {shape[0], shape[1] / alongColumns},
                   {kWarpsPerGroup * alongRows, 1}) *
         LinearLayout::identity(LayoutAxis::Warp, kColumn,
                                Log2_64(alongColumns));
}

LinearLayout tilewright::wgmmaOperandLayout(const LinearLayout &acc,
                                            int64_t contractedSize,
                                            unsigned elementBits) {
  unsigned rowBits = 0;
  while (rowBits < acc.getInBits(LayoutAxis::Warp) &&
         acc.getBasis(LayoutAxis::Warp, rowBits, kRow) != 0)
    ++rowBits;
  LinearLayout layout = mmaLayout(MmaOperand::A, elementBits,
                                  {acc.getOutSize(kRow), contractedSize},
                                  {int64_t(1) << rowBits, 1});
  return layout *
         LinearLayout::zeros(LayoutAxis::Warp, kColumn,
                             acc.getInBits(LayoutAxis::Warp) - rowBits);
}

/// The layout of the atoms of a tile over registers and warpgroups.
static std::optional<LinearLayout>
getAtoms(const LinearLayout &tile, MmaOperand operand, unsigned elementBits) {
  if (tile.getRank() != 2)
    return std::nullopt;
  std::optional<LinearLayout> atoms =
      tile.divideByInner(warpgroupAtom(operand, elementBits));
  if (!atoms || atoms->getInBits(LayoutAxis::Lane) != 0 ||
      atoms->getInBits(LayoutAxis::Block) != 0)
    return std::nullopt;
  return atoms;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

namespace {

/// The offsets of an operand in shared memory before the swizzle.
class PlainOffsets {
public:
  /// `across` is the dimension that the operand shares with the result.
  PlainOffsets(const LinearLayout &layout, LayoutAxis across,
               LayoutAxis contracted, unsigned elementBits,
               unsigned swizzleBytes)
      : inverse(layout.inverse()), across(across), contracted(contracted),
        bytes(elementBits / 8), swizzleBytes(swizzleBytes) {}

  uint64_t at(uint64_t m, uint64_t k) const {
    uint64_t offset =
        inverse.applyFlat(inverse.flattenIn({{across, m}, {contracted, k}})) *
        bytes;
    uint64_t chunks = swizzleBytes - kChunkBytes;
    return offset ^ ((offset >> 3) & chunks);
  }

  /// Whether every bit of the tile is one bit of the offset.
  bool isPermutation() const {
    for (unsigned i = 0; i < inverse.getInBits(across); ++i)
      if (!llvm::isPowerOf2_64(at(uint64_t(1) << i, 0)))
        return false;
    for (unsigned i = 0; i < inverse.getInBits(contracted); ++i)
      if (!llvm::isPowerOf2_64(at(0, uint64_t(1) << i)))
        return false;
    return true;
  }

  std::optional<WgmmaDescriptor> match(int64_t size) const {
    if (!isPermutation())
      return std::nullopt;
    if (auto found = matchContractedMajor(size))
      return found;
    // Only 16-bit elements may be contiguous across the contracted dimension.
    return bytes == 2 ? matchAcrossMajor(size) : std::nullopt;
  }

private:
  /// Whether elements from `begin` to `end` along a dimension (powers of two)
  /// are `stride` bytes apart in units of `begin`.
  template <typename At>
  static bool isStrided(At at, uint64_t begin, uint64_t end, uint64_t stride) {
    for (uint64_t i = begin; i < end; i *= 2, stride *= 2)
      if (at(i) != stride)
        return false;
    return true;
  }

  std::optional<WgmmaDescriptor> matchContractedMajor(int64_t size) const {
    auto alongM = [&](uint64_t m) { return at(m, 0); };
    auto alongK = [&](uint64_t k) { return at(0, k); };
    int64_t stride = size > 8 ? at(8, 0) : 8 * swizzleBytes;
    if (!isStrided(alongK, 1, kDepthBytes / bytes, bytes) ||
        !isStrided(alongM, 1, 8, swizzleBytes) ||
        !isStrided(alongM, 8, size, stride))
      return std::nullopt;
    return WgmmaDescriptor{swizzleBytes, false, kChunkBytes, stride};
  }

  std::optional<WgmmaDescriptor> matchAcrossMajor(int64_t size) const {
    auto alongM = [&](uint64_t m) { return at(m, 0); };
    auto alongK = [&](uint64_t k) { return at(0, k); };
    int64_t span = swizzleBytes / bytes;
    int64_t leading = size > span ? at(span, 0) : kChunkBytes;
    if (inverse.getInSize(across) < span ||
        !isStrided(alongM, 1, span, bytes) ||
        !isStrided(alongM, span, size, leading) ||
        !isStrided(alongK, 1, 8, swizzleBytes))
      return std::nullopt;
    return WgmmaDescriptor{swizzleBytes, true, leading, int64_t(at(0, 8))};
  }

  LinearLayout inverse;
  LayoutAxis across, contracted;
  uint64_t bytes;
  unsigned swizzleBytes;
};

/// An operand and the descriptor that expresses it.
struct SharedOperand {
  PlainOffsets offsets;
  WgmmaDescriptor descriptor;

  static std::optional<SharedOperand> get(const LinearLayout &layout,
                                          LayoutAxis across,
                                          LayoutAxis contracted,
                                          unsigned elementBits, int64_t size) {
    int64_t depth = kDepthBytes * 8 / elementBits;
    if (layout.getRank() != 2 || !layout.isInvertible() ||
        layout.getOutSize(contracted) < depth ||
        layout.getOutSize(across) < size)
      return std::nullopt;
    for (unsigned swizzleBytes : {128, 64, 32}) {
      PlainOffsets offsets(layout, across, contracted, elementBits,
                           swizzleBytes);
      if (auto descriptor = offsets.match(size))
        return SharedOperand{offsets, *descriptor};
    }
    return std::nullopt;
  }
};

} // namespace

uint64_t WgmmaDescriptor::getBits() const {
  uint64_t swizzle = swizzleBytes == 128 ? 1 : swizzleBytes == 64 ? 2 : 3;
  return swizzle << 62 | uint64_t(strideBytes >> 4) << 32 |
         uint64_t(leadingBytes >> 4) << 16;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// The parts of a result, each of which one instruction computes.
namespace {
struct ResultParts {
  LinearLayout atoms;
  unsigned columnBits; // registers of `atoms` that count along the columns

  static std::optional<ResultParts> get(const LinearLayout &acc) {
    auto atoms = getAtoms(acc, MmaOperand::Accumulator, 32);
    if (!atoms)
      return std::nullopt;
    int64_t columns =
        std::min(atoms->getNumConsecutive(LayoutAxis::Register, kColumn),
                 kWgmmaMaxColumns / kAtomColumns);
    return ResultParts{*atoms, unsigned(Log2_64(columns))};
  }
  int64_t getColumns() const { return kAtomColumns << columnBits; }
  unsigned getCount() const {
    return atoms.getInSize(LayoutAxis::Register) >> columnBits;
  }
  /// Row and column where part `index` starts.
  SmallVector<int64_t> getStart(unsigned index) const {
    SmallVector<int64_t> atom = atoms.getElement(
        {{LayoutAxis::Register, uint64_t(index) << columnBits}});
    return {atom[0] * kWgmmaRows, atom[1] * kAtomColumns};
  }
  unsigned getGroupBits() const { return atoms.getInBits(LayoutAxis::Warp); }
  /// The same for a bit of the warpgroup number.
  SmallVector<int64_t> getGroupStart(unsigned bit) const {
    SmallVector<int64_t> atom = atoms.getBasis(LayoutAxis::Warp, bit);
    return {atom[0] * kWgmmaRows, atom[1] * kAtomColumns};
  }
};
} // namespace

/// Whether each warpgroup holds the rows of A that its part of the result
/// needs.
static bool agreeOnGroups(const LinearLayout &a, const ResultParts &parts) {
  if (a.getInBits(LayoutAxis::Warp) != parts.getGroupBits())
    return false;
  for (unsigned bit = 0; bit < parts.getGroupBits(); ++bit)
    if (a.getBasis(LayoutAxis::Warp, bit, kColumn) != 0 ||
        a.getBasis(LayoutAxis::Warp, bit, kRow) !=
            parts.atoms.getBasis(LayoutAxis::Warp, bit, kRow))
      return false;
  return true;
}

/// The number of the atom of A in registers at `row` (in atoms) and `step`
/// along k.
static std::optional<unsigned> findAtom(const LinearLayout &atoms,
                                        const f2::Solver &solver, uint64_t row,
                                        uint64_t step) {
  auto found = solver.solve(atoms.flattenOut({{kRow, row}, {kColumn, step}}));
  return found ? std::optional<unsigned>(*found) : std::nullopt;
}

/// Sets the numbers of the parts of A in registers for all steps.
static bool assignRegisters(const LinearLayout &a, unsigned elementBits,
                            const ResultParts &parts, WgmmaPlan &plan) {
  auto atoms = getAtoms(a, MmaOperand::A, elementBits);
  if (!atoms || !agreeOnGroups(*atoms, parts))
    return false;
  f2::Solver solver(atoms->getColumns(LayoutAxis::Register));
  for (auto [i, step] : llvm::enumerate(plan.steps)) {
    int64_t row = parts.getStart(step.part)[0] / kWgmmaRows;
    auto found = findAtom(*atoms, solver, row, i / plan.parts);
    if (!found)
      return false;
    step.aRegisters = *found;
  }
  return true;
}

std::optional<WgmmaPlan>
tilewright::planWgmma(const LinearLayout &a, bool aInShared,
                      const LinearLayout &b, const LinearLayout &acc,
                      unsigned elementBits, WgmmaObstacle &obstacle) {
  auto fail = [&](WgmmaObstacle which) {
    obstacle = which;
    return std::nullopt;
  };
  auto parts = ResultParts::get(acc);
  if (!parts)
    return fail(WgmmaObstacle::Accumulator);
  auto sharedB =
      SharedOperand::get(b, kColumn, kRow, elementBits, parts->getColumns());
  if (!sharedB)
    return fail(WgmmaObstacle::B);
  std::optional<SharedOperand> sharedA;
  if (aInShared)
    sharedA = SharedOperand::get(a, kRow, kColumn, elementBits, kWgmmaRows);
  if (aInShared && !sharedA)
    return fail(WgmmaObstacle::A);

  WgmmaPlan plan;
  plan.columns = parts->getColumns();
  plan.parts = parts->getCount();
  plan.b = sharedB->descriptor;
  int64_t depth = kDepthBytes * 8 / elementBits;
  for (int64_t k = 0; k < b.getOutSize(kRow); k += depth)
    for (unsigned part = 0; part < parts->getCount(); ++part) {
      SmallVector<int64_t> start = parts->getStart(part);
      int64_t aOffset = sharedA ? sharedA->offsets.at(start[0], k) : 0;
      plan.steps.push_back({part, 0, aOffset,
                            int64_t(sharedB->offsets.at(start[1], k)),
                            /*first=*/k == 0});
    }
  for (unsigned bit = 0; bit < parts->getGroupBits(); ++bit) {
    SmallVector<int64_t> start = parts->getGroupStart(bit);
    plan.aOffsets.push_back(sharedA ? sharedA->offsets.at(start[0], 0) : 0);
    plan.bOffsets.push_back(sharedB->offsets.at(start[1], 0));
  }
  if (sharedA)
    plan.a = sharedA->descriptor;
  else if (!assignRegisters(a, elementBits, *parts, plan))
    return fail(WgmmaObstacle::A);
  return plan;
}

//===----------------------------------------------------------------------===//
// Merged wgmma
//===----------------------------------------------------------------------===//

/// Whether both plans combine the same offsets of A and B.
static bool haveSameSteps(const WgmmaPlan &first, const WgmmaPlan &next) {
  return first.parts == next.parts && first.aOffsets == next.aOffsets &&
         llvm::equal(first.steps, next.steps,
                     [](const WgmmaStep &a, const WgmmaStep &b) {
                       return a.part == b.part && a.first == b.first &&
                              a.aRegisters == b.aRegisters &&
                              a.aOffset == b.aOffset && a.bOffset == b.bOffset;
                     });
}

/// Whether the descriptor of `first` also expresses `next`, which follows it in
/// shared memory.
static bool isContinuedBy(const AdjacentWgmma &first,
                          const AdjacentWgmma &next) {
  const WgmmaDescriptor &a = first.plan.b, &b = next.plan.b;
  if (a.swizzleBytes != b.swizzleBytes || a.transposed != b.transposed ||
      a.strideBytes != b.strideBytes)
    return false;
  // A transposed B has its columns in spans of the swizzle. The descriptor of a
  // single span does not define the distance of the next.
  int64_t step = a.transposed ? a.leadingBytes : a.strideBytes;
  int64_t columns = a.transposed ? a.swizzleBytes / 2 : 8;
  return first.bytes == first.plan.columns / columns * step &&
         first.plan.columns % columns == 0 &&
         next.plan.columns % columns == 0 &&
         (!a.transposed || next.plan.columns == columns ||
          a.leadingBytes == b.leadingBytes);
}

std::optional<WgmmaPlan>
tilewright::mergeWgmmaPlans(ArrayRef<AdjacentWgmma> wgmmas) {
  WgmmaPlan merged = wgmmas.front().plan;
  auto isZero = [](uint64_t offset) { return offset == 0; };
  for (const AdjacentWgmma &wgmma : wgmmas) {
    if (!llvm::all_of(wgmma.plan.bOffsets, isZero) ||
        !haveSameSteps(merged, wgmma.plan))
      return std::nullopt;
    if (&wgmma == &wgmmas.front())
      continue;
    AdjacentWgmma before = *std::prev(&wgmma);
    before.plan.b.leadingBytes = merged.b.leadingBytes;
    if (!isContinuedBy(before, wgmma))
      return std::nullopt;
    merged.columns += wgmma.plan.columns;
  }
  // Instructions for 8-bit integers have columns in multiples of 16.
  if (merged.columns > kWgmmaMaxColumns || merged.columns % 16 != 0)
    return std::nullopt;
  return merged;
}
