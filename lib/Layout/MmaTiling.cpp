#include "lib/Layout/MmaTiling.h"

#include "lib/Layout/F2.h"
#include "lib/Layout/TileLayouts.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilewright;
using llvm::SmallVector;

/// The layout of the atoms of a tile over registers and warps. Nothing if the
/// tile does not consist of atoms.
static std::optional<LinearLayout>
getAtoms(const LinearLayout &tile, MmaOperand operand, unsigned elementBits) {
  if (tile.getRank() != 2 && tile.getRank() != 3)
    return std::nullopt;
  std::optional<LinearLayout> atoms =
      tile.divideByInner(mmaAtom(operand, elementBits, tile.getRank()));
  if (!atoms || atoms->getInBits(LayoutAxis::Lane) != 0)
    return std::nullopt;
  return atoms;
}

/// Whether each warp (and block) has the same coordinates in both, and holds
/// the whole contracted dimension of the operand.
static bool agreeOnWarps(const LinearLayout &operand, const LinearLayout &acc,
                         unsigned contracted) {
  if (operand.getRank() != acc.getRank())
    return false;
  for (LayoutAxis axis : {LayoutAxis::Warp, LayoutAxis::Block}) {
    if (operand.getInBits(axis) != acc.getInBits(axis))
      return false;
    for (unsigned bit = 0; bit < acc.getInBits(axis); ++bit) {
      SmallVector<int64_t> coords = acc.getBasis(axis, bit);
      coords[contracted] = 0;
      if (operand.getBasis(axis, bit) != coords)
        return false;
    }
  }
  return true;
}

namespace {
/// Finds the registers of an operand that hold an atom.
class AtomFinder {
public:
  explicit AtomFinder(const LinearLayout &atoms)
      : atoms(atoms), solver(atoms.getColumns(LayoutAxis::Register)) {}

  std::optional<uint64_t> find(llvm::ArrayRef<int64_t> index) const {
    SmallVector<Coordinate> coordinates;
    for (auto [dim, value] : llvm::enumerate(index))
      coordinates.push_back({dimAxis(dim), uint64_t(value)});
    return solver.solve(atoms.flattenOut(coordinates));
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
  const unsigned row = acc.getRank() - 2, column = acc.getRank() - 1;
  if (!atomsA || !atomsB || !atomsC ||
      !agreeOnWarps(*atomsA, *atomsC, column) ||
      !agreeOnWarps(*atomsB, *atomsC, row))
    return std::nullopt;
  AtomFinder findA(*atomsA), findB(*atomsB);
  SmallVector<MmaStep> steps;
  for (int64_t k = 0; k < atomsA->getOutSize(dimAxis(column)); ++k)
    for (uint64_t c = 0; c < uint64_t(atomsC->getInSize(LayoutAxis::Register));
         ++c) {
      SmallVector<int64_t> inA =
          atomsC->getElement({{LayoutAxis::Register, c}});
      SmallVector<int64_t> inB(inA);
      inA[column] = inB[row] = k;
      std::optional<uint64_t> fromA = findA.find(inA), fromB = findB.find(inB);
      if (!fromA || !fromB)
        return std::nullopt;
      steps.push_back({unsigned(*fromA), unsigned(*fromB), unsigned(c)});
    }
  return steps;
}
