#include "lib/Support/MmaTiling.h"

#include "lib/Support/F2.h"
#include "lib/Support/TileLayouts.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilewright;
using llvm::SmallVector;

static constexpr LayoutAxis kRow = dimAxis(0), kColumn = dimAxis(1);

/// The layout of the atoms of a tile: which atom is in which registers of which
/// warp. Nothing if the tile does not consist of atoms.
static std::optional<LinearLayout>
getAtoms(const LinearLayout &tile, MmaOperand operand, unsigned elementBits) {
  if (tile.getRank() != 2)
    return std::nullopt;
  std::optional<LinearLayout> atoms =
      tile.divideByInner(mmaAtom(operand, elementBits));
  if (!atoms || atoms->getInBits(LayoutAxis::Lane) != 0)
    return std::nullopt;
  return atoms;
}

/// Whether each warp (and block) has the same place along `dim` in both, and
/// all of `contracted` in the operand.
static bool agreeOnWarps(const LinearLayout &operand, const LinearLayout &acc,
                         LayoutAxis dim, LayoutAxis contracted) {
  for (LayoutAxis axis : {LayoutAxis::Warp, LayoutAxis::Block}) {
    if (operand.getInBits(axis) != acc.getInBits(axis))
      return false;
    for (unsigned bit = 0; bit < acc.getInBits(axis); ++bit)
      if (operand.getBasis(axis, bit, dim) != acc.getBasis(axis, bit, dim) ||
          operand.getBasis(axis, bit, contracted) != 0)
        return false;
  }
  return true;
}

namespace {
/// Finds the registers of an operand that hold an atom.
class AtomFinder {
public:
  explicit AtomFinder(const LinearLayout &atoms)
      : atoms(atoms), solver(atoms.getColumns(LayoutAxis::Register)) {}

  std::optional<uint64_t> find(uint64_t row, uint64_t column) const {
    return solver.solve(atoms.flattenOut({{kRow, row}, {kColumn, column}}));
  }

private:
  const LinearLayout &atoms;
  f2::Solver solver;
};
} // namespace

std::optional<SmallVector<MmaStep>> tilewright::planMma(const LinearLayout &a,
                                                        const LinearLayout &b,
                                                        const LinearLayout &acc,
                                                        unsigned elementBits) {
  auto atomsA = getAtoms(a, MmaOperand::A, elementBits);
  auto atomsB = getAtoms(b, MmaOperand::B, elementBits);
  auto atomsC = getAtoms(acc, MmaOperand::Accumulator, 32);
  if (!atomsA || !atomsB || !atomsC ||
      !agreeOnWarps(*atomsA, *atomsC, kRow, kColumn) ||
      !agreeOnWarps(*atomsB, *atomsC, kColumn, kRow))
    return std::nullopt;
  AtomFinder findA(*atomsA), findB(*atomsB);
  SmallVector<MmaStep> steps;
  for (uint64_t k = 0; k < uint64_t(atomsA->getOutSize(kColumn)); ++k)
    for (uint64_t c = 0; c < uint64_t(atomsC->getInSize(LayoutAxis::Register));
         ++c) {
      SmallVector<int64_t> place =
          atomsC->getElement({{LayoutAxis::Register, c}});
      std::optional<uint64_t> fromA = findA.find(place[0], k);
      std::optional<uint64_t> fromB = findB.find(k, place[1]);
      if (!fromA || !fromB)
        return std::nullopt;
      steps.push_back({unsigned(*fromA), unsigned(*fromB), unsigned(c)});
    }
  return steps;
}
