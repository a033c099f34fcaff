#include "lib/Layout/F2.h"
#include "lib/Layout/LayoutConversion.h"
#include "lib/Layout/TileLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace tilewright;
using f2::Subspace;
using llvm::ArrayRef;
using llvm::SmallVector;

/// log2 of the bytes of a bank, of the widest access, and of all banks.
static constexpr unsigned kBankBits = 2, kVectorBits = 4, kRowBits = 7;

static Subspace span(const LinearLayout &layout,
                     std::initializer_list<LayoutAxis> axes) {
  Subspace result;
  for (LayoutAxis axis : axes)
    for (uint64_t column : layout.getColumns(axis))
      result.insert(column);
  return result;
}

static Subspace registersOf(const LinearLayout &layout) {
  return span(layout, {LayoutAxis::Register});
}
static Subspace threadsOf(const LinearLayout &layout) {
  return span(layout, {LayoutAxis::Lane, LayoutAxis::Warp});
}

/// Whether exactly one thread holds each element.
static bool hasNoCopies(const LinearLayout &layout) {
  return layout.getFreeBits(LayoutAxis::Lane) == 0 &&
         layout.getFreeBits(LayoutAxis::Warp) == 0;
}

namespace {
/// Builds W^-1, the elements at the bits of an offset, part by part:
///
///     vector | rest of a bank | banks | rows | rounds
///
/// The parts after the vector come from a complement of the vector that
/// contains the thread bits of both layouts. So no thread bit affects the
/// offset in a vector, and vectors are aligned for all threads.
class SharedPlanner {
public:
  SharedPlanner(SharedPlan &plan, unsigned elementBytes, bool hasStoreMatrix)
      : plan(plan), elementBits(llvm::Log2_32(elementBytes)),
        tileBits(plan.source.getTotalOutBits()),
        storesMatrices(hasStoreMatrix && hasNoCopies(plan.source)) {}

  /// Plans vectors of up to 2^`commonBits` bytes that both layouts have. If
  /// `row`, the elements of a matrix row, is not empty, it is the vector
  /// instead. False if a round does not contain such rows, or if banks
  /// conflict.
  bool run(int64_t maxScratchBytes, unsigned commonBits,
           ArrayRef<uint64_t> row);

private:
  using Vectors = SmallVector<uint64_t>;

  void chooseRounds(int64_t maxScratchBytes);
  void chooseVectors(unsigned commonBits);
  bool takeRow(ArrayRef<uint64_t> row);
  unsigned countInRow(const LinearLayout &layout, ArrayRef<uint64_t> row) const;
  void chooseWideVectors(const LinearLayout &wide, const LinearLayout &narrow,
                         unsigned &vectorBits);
  void chooseBeyond();
  void chooseBanksAndRows();
  bool hasConflicts() const;
  void extend(ArrayRef<uint64_t> candidates, unsigned limit);
  Subspace getLanes(const LinearLayout &layout, unsigned vectorBits) const;
  Subspace getPhase(const Subspace &lanes, unsigned vectorBits) const;
  SharedAccess getAccess(const LinearLayout &layout) const;

  /// Bits of an offset within a bank, and within a row of all banks.
  unsigned bankBits() const {
    return elementBits < kBankBits ? kBankBits - elementBits : 0;
  }
  unsigned rowBits() const { return kRowBits - elementBits; }

  SharedPlan &plan;
  unsigned elementBits, tileBits;
  Subspace kept;    // the elements of one round
  Vectors moved;    // a complement of it, which selects the round
  Vectors offsets;  // the elements at the bits of an offset, lowest first
  Subspace reached; // the span of these and of the rows
  Vectors beyond;   // a basis of a complement of the vector in `kept`
  unsigned storeVector = 0, loadVector = 0;
  Subspace storeLanes, loadLanes; // the lanes of one phase
  bool storesMatrices;
};
} // namespace

/// Appends independent `candidates` to the offsets, up to `limit` bits in
/// total.
void SharedPlanner::extend(ArrayRef<uint64_t> candidates, unsigned limit) {
  for (uint64_t v : candidates)
    if (offsets.size() < limit && reached.insert(v))
      offsets.push_back(v);
}

/// Splits the tile into rounds until one fits. Only bits that neither lanes nor
/// warps select in either layout may number the rounds.
void SharedPlanner::chooseRounds(int64_t maxScratchBytes) {
  kept = f2::sum(threadsOf(plan.source), threadsOf(plan.result));
  unsigned fitting =
      llvm::Log2_64(std::max<int64_t>(maxScratchBytes, 128)) - elementBits;
  unsigned target = std::min(tileBits, std::max(fitting, kept.dimension()));
  // A round contains whole vectors if possible.
  Subspace source = registersOf(plan.source), result = registersOf(plan.result);
  Subspace both = f2::intersection(source, result);
  for (ArrayRef<uint64_t> candidates :
       {both.getBasis(), source.getBasis(), result.getBasis()})
    for (uint64_t v : candidates)
      if (kept.dimension() < target)
        kept.insert(v);
  moved = f2::complementBasis(kept, tileBits);
  plan.roundBits = moved.size();
  plan.offsetBits = tileBits - plan.roundBits;
}

void SharedPlanner::chooseVectors(unsigned commonBits) {
  unsigned limit = std::min(
      commonBits > elementBits ? commonBits - elementBits : 0, plan.offsetBits);
  Subspace source = f2::intersection(registersOf(plan.source), kept);
  Subspace result = f2::intersection(registersOf(plan.result), kept);
  Subspace threads = f2::sum(threadsOf(plan.source), threadsOf(plan.result));
  Subspace both = f2::intersection(source, result);
  // In the order of registers, so that elements of one word stay together.
  for (ArrayRef<uint64_t> candidates :
       {plan.result.getColumns(LayoutAxis::Register),
        plan.source.getColumns(LayoutAxis::Register), both.getBasis()})
    for (uint64_t v : candidates)
      if (offsets.size() < limit && both.contains(v) && threads.insert(v))
        extend({v}, limit);
  storeVector = loadVector = offsets.size();
  chooseWideVectors(plan.source, plan.result, storeVector);
  if (storeVector == loadVector)
    chooseWideVectors(plan.result, plan.source, loadVector);
  storeLanes = getLanes(plan.source, storeVector);
  loadLanes = getLanes(plan.result, loadVector);
}

/// The number of the lowest bits of `row` that are register bits of a thread.
unsigned SharedPlanner::countInRow(const LinearLayout &layout,
                                   ArrayRef<uint64_t> row) const {
  Subspace registers = registersOf(layout);
  unsigned bits = 0;
  while (bits < row.size() && registers.contains(row[bits]))
    ++bits;
  return bits;
}

bool SharedPlanner::takeRow(ArrayRef<uint64_t> row) {
  for (uint64_t v : row) {
    if (!kept.contains(v) || offsets.size() >= plan.offsetBits ||
        !reached.insert(v))
      return false;
    offsets.push_back(v);
  }
  auto choose = [&](const LinearLayout &layout, bool movesMatrices,
                    unsigned &vectorBits, Subspace &lanes) {
    vectorBits = countInRow(layout, row);
    lanes = getLanes(layout, vectorBits);
    if (!movesMatrices)
      return;
    for (const MatrixRows &matrix : getMatrixRows(layout, 1u << elementBits))
      if (row == ArrayRef(matrix.row)) {
        vectorBits = row.size();
        lanes = Subspace(matrix.rows);
      }
  };
  choose(plan.source, storesMatrices, storeVector, storeLanes);
  choose(plan.result, /*movesMatrices=*/true, loadVector, loadLanes);
  return true;
}

/// Widens the vectors of the layout `wide` alone, along elements that lanes of
/// `narrow` hold. These lanes then access different banks of one vector.
void SharedPlanner::chooseWideVectors(const LinearLayout &wide,
                                      const LinearLayout &narrow,
                                      unsigned &vectorBits) {
  Subspace candidates = f2::intersection(
      f2::intersection(registersOf(wide), kept), getLanes(narrow, vectorBits));
  Subspace threads = f2::sum(threadsOf(wide), reached);
  for (uint64_t v : candidates.getBasis())
    if (offsets.size() < kVectorBits - elementBits && threads.insert(v))
      extend({v}, kVectorBits - elementBits);
  vectorBits = offsets.size();
}

/// The elements at the lane bits that take part in one phase of an access.
Subspace SharedPlanner::getLanes(const LinearLayout &layout,
                                 unsigned vectorBits) const {
  unsigned lanes = std::min(kLaneBits, rowBits() - vectorBits);
  return Subspace(layout.getColumns(LayoutAxis::Lane).take_front(lanes));
}

/// The elements that one phase accesses, in whole banks.
Subspace SharedPlanner::getPhase(const Subspace &lanes,
                                 unsigned vectorBits) const {
  unsigned whole =
      std::min<unsigned>(std::max(vectorBits, bankBits()), offsets.size());
  return f2::sum(Subspace(ArrayRef(offsets).take_front(whole)), lanes);
}

void SharedPlanner::chooseBeyond() {
  // The layout with the wider vectors comes first: no thread bit of it may
  // affect the offset in a vector.
  bool storesWide = storeVector >= loadVector;
  const LinearLayout &wide = storesWide ? plan.source : plan.result;
  const LinearLayout &narrow = storesWide ? plan.result : plan.source;
  Subspace all = reached;
  for (const LinearLayout *layout : {&wide, &narrow})
    for (LayoutAxis axis : {LayoutAxis::Lane, LayoutAxis::Warp})
      for (uint64_t v : layout->getColumns(axis))
        if (all.insert(v))
          beyond.push_back(v);
  for (uint64_t v : kept.getBasis())
    if (all.insert(v))
      beyond.push_back(v);
}

/// Chooses a complement of both phases for the rows, and the rest for the
/// banks.
void SharedPlanner::chooseBanksAndRows() {
  Subspace free(beyond);
  Subspace common =
      f2::intersection(f2::intersection(storeLanes, loadLanes), free);
  extend(common.getBasis(), std::min(bankBits(), plan.offsetBits));
  extend(beyond, std::min(bankBits(), plan.offsetBits));

  Vectors rows;
  if (plan.offsetBits > rowBits()) {
    f2::Solver solver(beyond);
    auto inCoordinates = [&](const Subspace &phase) {
      Subspace result;
      Subspace inside = f2::intersection(phase, free);
      for (uint64_t v : inside.getBasis())
        result.insert(solver.solve(v).value_or(0));
      return result;
    };
    Vectors complement = f2::commonComplement(
        inCoordinates(getPhase(storeLanes, storeVector)),
        inCoordinates(getPhase(loadLanes, loadVector)), beyond.size());
    // Phases that need less than all banks leave a choice. The last vectors are
    // in neither phase.
    for (uint64_t v :
         ArrayRef(complement).take_back(plan.offsetBits - rowBits())) {
      uint64_t row = 0;
      for (auto [i, basis] : llvm::enumerate(beyond))
        if (v >> i & 1)
          row ^= basis;
      rows.push_back(row);
      reached.insert(row);
    }
  }
  extend(beyond, plan.offsetBits - rows.size());
  offsets.append(rows);
}

/// Whether a phase of the stores or loads intersects the rows. This is
/// unavoidable if threads hold little of a matrix row, and the lanes of a phase
/// need more banks than the row leaves.
bool SharedPlanner::hasConflicts() const {
  if (offsets.size() <= rowBits())
    return false;
  Subspace rows(ArrayRef(offsets).drop_front(rowBits()));
  return f2::intersection(rows, getPhase(storeLanes, storeVector))
                 .dimension() != 0 ||
         f2::intersection(rows, getPhase(loadLanes, loadVector)).dimension() !=
             0;
}

SharedAccess SharedPlanner::getAccess(const LinearLayout &layout) const {
  Vectors columns = offsets;
  columns.append(moved);
  LinearLayout memory({{LayoutAxis::Offset, tileBits}}, layout.getOuts(),
                      columns);
  return getSharedAccess(layout, memory, 1u << elementBits);
}

bool SharedPlanner::run(int64_t maxScratchBytes, unsigned commonBits,
                        ArrayRef<uint64_t> row) {
  chooseRounds(maxScratchBytes);
  if (row.empty())
    chooseVectors(commonBits);
  else if (!takeRow(row))
    return false;
  chooseBeyond();
  chooseBanksAndRows();
  if (!row.empty() && hasConflicts())
    return false;
  plan.store = getAccess(plan.source);
  plan.load = getAccess(plan.result);
  unsigned elementBytes = 1u << elementBits;
  if (storesMatrices)
    plan.storeMatrices =
        planMatrixAccess(plan.store.offsets, elementBytes, plan.offsetBits);
  plan.loadMatrices =
      planMatrixAccess(plan.load.offsets, elementBytes, plan.offsetBits);
  return true;
}

/// The number of words of an access that need a move between registers.
/// Instructions before and after it are assumed to use adjacent registers of
/// the tile together. Words move if these are not adjacent in the vector.
static unsigned countMovedWords(const SharedAccess &access, unsigned words,
                                unsigned elementBytes) {
  unsigned inOrder = 0;
  for (auto [bit, registers] : llvm::enumerate(access.vectorRegisters)) {
    if (registers != uint64_t(1) << bit)
      break;
    ++inOrder;
  }
  // Parts of words that are not adjacent have to be packed.
  if (elementBytes << inOrder < 1u << kBankBits)
    return words;
  if (inOrder == access.vectorRegisters.size())
    return 0;
  return elementBytes << inOrder == 1u << kBankBits ? words : words / 2;
}

/// Half cycles of the stores or of the loads: for each access, for each 128
/// bytes that a warp moves, and for moves between registers.
static unsigned getCost(const SharedAccess &access,
                        const std::optional<MatrixAccess> &matrices,
                        unsigned elementBytes) {
  constexpr unsigned kBankBytes = 1u << kBankBits, kAccess = 1, kWavefront = 2;
  if (matrices)
    return matrices->getNumInstructions() *
           (kAccess + kWavefront * matrices->getNumMatrices());
  unsigned accesses = access.offsets.getInSize(LayoutAxis::Register) >>
                      access.vectorRegisters.size();
  unsigned bytes = elementBytes << access.vectorRegisters.size();
  unsigned words = std::max(bytes / kBankBytes, 1u);
  return accesses * (kAccess + kWavefront * words +
                     countMovedWords(access, words, elementBytes));
}

unsigned SharedPlan::getCost(unsigned elementBytes) const {
  return ::getCost(store, storeMatrices, elementBytes) +
         ::getCost(load, loadMatrices, elementBytes);
}

SharedPlan tilewright::planSharedMemory(const LinearLayout &source,
                                        const LinearLayout &result,
                                        unsigned elementBytes,
                                        bool hasStoreMatrix,
                                        int64_t maxScratchBytes) {
  SharedPlan start;
  start.source = source.dropRedundantBits(LayoutAxis::Register);
  start.result = result.dropRedundantBits(LayoutAxis::Register);
  std::optional<SharedPlan> best;
  auto consider = [&](unsigned commonBits, ArrayRef<uint64_t> row) {
    SharedPlan plan = start;
    SharedPlanner planner(plan, elementBytes, hasStoreMatrix);
    if (planner.run(maxScratchBytes, commonBits, row) &&
        (!best || plan.getCost(elementBytes) < best->getCost(elementBytes)))
      best = std::move(plan);
  };
  for (unsigned commonBits = kVectorBits; commonBits >= kBankBits; --commonBits)
    consider(commonBits, /*row=*/{});
  for (const LinearLayout *layout : {&start.source, &start.result})
    for (const MatrixRows &matrix : getMatrixRows(*layout, elementBytes))
      consider(kVectorBits, matrix.row);
  return *best;
}

int64_t tilewright::getScratchBytes(const LinearLayout &source,
                                    const LinearLayout &result,
                                    unsigned elementBytes) {
  if (chooseConversion(source, result, elementBytes) !=
      ConversionKind::SharedMemory)
    return 0;
  return planSharedMemory(source, result, elementBytes)
      .getScratchBytes(elementBytes);
}
