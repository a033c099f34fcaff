#include "lib/Layout/MatrixAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace tilewright;
using llvm::ArrayRef;
using llvm::SmallVector;

static constexpr unsigned kLanes = 5, kMaxMatrixBits = 2, kRowBytesLog2 = 4;

/// Spreads the bits of `value` to the positions `bits`.
static unsigned deposit(unsigned value, ArrayRef<unsigned> bits) {
  unsigned result = 0;
  for (auto [i, bit] : llvm::enumerate(bits))
    result |= (value >> i & 1) << bit;
  return result;
}

unsigned MatrixAccess::getRegister(unsigned instruction, unsigned matrix,
                                   unsigned element) const {
  return deposit(element, wordBits) | deposit(matrix, matrixBits) |
         deposit(instruction, instructionBits);
}

namespace {
class MatrixPlanner {
public:
  MatrixPlanner(const LinearLayout &offsets, unsigned elementBytes,
                unsigned offsetBits)
      : offsets(offsets), lanes(offsets.getColumns(LayoutAxis::Lane)),
        registers(offsets.getColumns(LayoutAxis::Register)),
        rowBits(kRowBytesLog2 - llvm::Log2_32(elementBytes)),
        offsetBits(offsetBits) {}

  std::optional<MatrixAccess> planStraight();
  std::optional<MatrixAccess> planTransposed();

private:
  bool isWholeRows(uint64_t offset) const {
    return (offset & ((uint64_t(1) << rowBits) - 1)) == 0;
  }
  bool isInRound(uint64_t offset) const {
    return offsetBits >= 64 || offset >> offsetBits == 0;
  }
  /// Completes `access` after the lanes of the rows are found. Nothing if the
  /// other columns split rows, or if the rows of a matrix are in several
  /// rounds.
  std::optional<MatrixAccess> finish(MatrixAccess access,
                                     ArrayRef<uint64_t> rowsOfLanes);

  const LinearLayout &offsets;
  ArrayRef<uint64_t> lanes, registers;
  unsigned rowBits, offsetBits;
};
} // namespace

std::optional<MatrixAccess>
MatrixPlanner::finish(MatrixAccess access, ArrayRef<uint64_t> rowsOfLanes) {
  SmallVector<uint64_t> inLanes(rowsOfLanes), instructions;
  for (unsigned bit = 0; bit < registers.size(); ++bit) {
    if (llvm::is_contained(access.wordBits, bit))
      continue;
    bool isMatrix =
        isInRound(registers[bit]) && access.matrixBits.size() < kMaxMatrixBits;
    (isMatrix ? access.matrixBits : access.instructionBits).push_back(bit);
    (isMatrix ? inLanes : instructions).push_back(registers[bit]);
  }
  // Lanes beyond the matrices of an instruction may point to any row.
  inLanes.resize(kLanes, 0);
  SmallVector<uint64_t> columns(instructions);
  columns.append(inLanes);
  llvm::append_range(columns, offsets.getColumns(LayoutAxis::Warp));
  if (!llvm::all_of(columns, [&](uint64_t c) { return isWholeRows(c); }) ||
      !llvm::all_of(inLanes, [&](uint64_t c) { return isInRound(c); }))
    return std::nullopt;
  access.rows =
      LinearLayout({{LayoutAxis::Register, unsigned(instructions.size())},
                    {LayoutAxis::Lane, kLanes},
                    {LayoutAxis::Warp, offsets.getInBits(LayoutAxis::Warp)}},
                   offsets.getOuts(), columns);
  return access;
}

std::optional<MatrixAccess> MatrixPlanner::planStraight() {
  unsigned wordBits = rowBits - 2;
  MatrixAccess access{/*transposed=*/false, {}, {}, {}, {}};
  for (unsigned bit = 0; bit < wordBits; ++bit) {
    const uint64_t *found = llvm::find(registers, uint64_t(1) << bit);
    if (found == registers.end())
      return std::nullopt;
    access.wordBits.push_back(found - registers.begin());
  }
  if (lanes[0] != uint64_t(1) << wordBits || lanes[1] != uint64_t(1)
                                                             << (wordBits + 1))
    return std::nullopt;
  return finish(std::move(access), lanes.drop_front(2));
}

std::optional<MatrixAccess> MatrixPlanner::planTransposed() {
  if (rowBits != 3 || registers.empty() || lanes[2] != 1 || lanes[3] != 2 ||
      lanes[4] != 4)
    return std::nullopt;
  MatrixAccess access{/*transposed=*/true, {}, {0}, {}, {}};
  return finish(std::move(access), {registers[0], lanes[0], lanes[1]});
}

std::optional<MatrixAccess>
tilewright::planMatrixAccess(const LinearLayout &offsets, unsigned elementBytes,
                             unsigned offsetBits) {
  if (elementBytes > 4 || offsets.getInBits(LayoutAxis::Lane) != kLanes)
    return std::nullopt;
  MatrixPlanner planner(offsets, elementBytes, offsetBits);
  if (auto access = planner.planStraight())
    return access;
  return planner.planTransposed();
}

SmallVector<MatrixRows> tilewright::getMatrixRows(const LinearLayout &layout,
                                                  unsigned elementBytes) {
  if (elementBytes > 4 || layout.getInBits(LayoutAxis::Lane) != kLanes)
    return {};
  SmallVector<MatrixRows> found;
  ArrayRef<uint64_t> lanes = layout.getColumns(LayoutAxis::Lane);
  ArrayRef<uint64_t> registers = layout.getColumns(LayoutAxis::Register);
  unsigned wordBits = 2 - llvm::Log2_32(elementBytes);
  if (registers.size() >= wordBits) {
    MatrixRows &straight = found.emplace_back();
    llvm::append_range(straight.row, registers.take_front(wordBits));
    llvm::append_range(straight.row, lanes.take_front(2));
    llvm::append_range(straight.rows, lanes.drop_front(2));
  }
  if (elementBytes == 2 && !registers.empty()) {
    MatrixRows &transposed = found.emplace_back();
    llvm::append_range(transposed.row, lanes.drop_front(2));
    transposed.rows.push_back(registers[0]);
    llvm::append_range(transposed.rows, lanes.take_front(2));
  }
  return found;
}
