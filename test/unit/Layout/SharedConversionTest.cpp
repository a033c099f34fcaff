// Runs plans of layout conversions on a model of shared memory, and counts
// their cost.

#include "RandomLayout.h"
#include "test/unit/Layout/Axes.h"

#include "lib/Layout/LayoutConversion.h"
#include "lib/Layout/LayoutInference.h"
#include "lib/Layout/TileLayouts.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace tilewright;
using namespace tilewright::test;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

/// Wavefronts of one access of a warp: in each phase, the maximum number of
/// words of one bank.
unsigned countWavefronts(ArrayRef<std::optional<uint64_t>> addresses,
                         unsigned bytes) {
  unsigned lanesInPhase = std::min(32u, 128u / std::max(bytes, 4u));
  unsigned wavefronts = 0;
  for (unsigned first = 0; first < 32; first += lanesInPhase) {
    std::map<uint64_t, std::set<uint64_t>> words; // by bank
    for (unsigned lane = first; lane < first + lanesInPhase; ++lane)
      if (addresses[lane])
        for (uint64_t byte = *addresses[lane]; byte < *addresses[lane] + bytes;
             byte += std::min(bytes, 4u))
          words[byte / 4 % 32].insert(byte / 4);
    size_t most = 0;
    for (const auto &[bank, inBank] : words)
      most = std::max(most, inBank.size());
    wavefronts += most;
  }
  return wavefronts;
}

/// The stores or loads of a conversion on the model of shared memory.
class SharedMemoryModel {
public:
  SharedMemoryModel(const SharedPlan &plan, unsigned elementBytes)
      : plan(plan), elementBytes(elementBytes) {}

  void run() {
    for (unsigned round = 0; round < plan.getNumRounds(); ++round) {
      memory.assign(size_t(1) << plan.offsetBits, std::nullopt);
      access(plan.source, plan.store, plan.storeMatrices, round,
             /*isStore=*/true);
      access(plan.result, plan.load, plan.loadMatrices, round,
             /*isStore=*/false);
    }
    EXPECT_EQ(loaded, uint64_t(1) << plan.result.getTotalInBits());
    EXPECT_EQ(stored, uint64_t(1) << plan.source.getTotalOutBits());
  }

  unsigned conflicts = 0;
  uint64_t stored = 0, loaded = 0;

private:
  void access(const LinearLayout &layout, const SharedAccess &access,
              const std::optional<MatrixAccess> &matrices, unsigned round,
              bool isStore) {
    if (matrices)
      return accessMatrices(layout, access, *matrices, round, isStore);
    for (uint64_t warp = 0; warp < uint64_t(layout.getInSize(kWarp)); ++warp)
      for (unsigned first : access.getVectors()) {
        SmallVector<unsigned> elements = access.getElements(first);
        if (plan.getRound(elementAt(access.offsets, first, 0, 0)) != round)
          continue;
        std::vector<std::optional<uint64_t>> addresses(32);
        for (uint64_t lane = 0; lane < 32; ++lane)
          if (!isStore || isOwner(layout, lane, warp))
            addresses[lane] =
                visit(layout, access, round, elements, lane, warp, isStore) *
                elementBytes;
        unsigned bytes = elements.size() * elementBytes;
        unsigned minimum = std::max(1u, bytes * 32 / 128);
        // Phases in which no lane writes cost nothing.
        conflicts +=
            std::max(countWavefronts(addresses, bytes), minimum) - minimum;
      }
  }

  /// Models `ldmatrix` and `stmatrix`. Lane 8 m + r points to row r of matrix
  /// m. Lane l has a word of row l / 4 or, transposed, of column l / 4.
  void accessMatrices(const LinearLayout &layout, const SharedAccess &access,
                      const MatrixAccess &matrices, unsigned round,
                      bool isStore) {
    const unsigned perWord = 4 / elementBytes;
    for (uint64_t warp = 0; warp < uint64_t(layout.getInSize(kWarp)); ++warp)
      for (unsigned i = 0; i < matrices.getNumInstructions(); ++i) {
        if (plan.getRound(elementAt(matrices.rows, i, 0, 0)) != round)
          continue;
        for (unsigned m = 0; m < matrices.getNumMatrices(); ++m) {
          auto rowAt = [&](unsigned row) {
            return elementAt(matrices.rows, i, 8 * m + row, warp);
          };
          std::map<uint64_t, std::set<uint64_t>> words; // by bank
          for (unsigned row = 0; row < 8; ++row)
            for (unsigned word = 0; word < 4; ++word) {
              uint64_t address = rowAt(row) * elementBytes / 4 + word;
              words[address % 32].insert(address);
            }
          size_t most = 0;
          for (const auto &[bank, inBank] : words)
            most = std::max(most, inBank.size());
          conflicts += most - 1;
          for (unsigned lane = 0; lane < 32; ++lane)
            for (unsigned e = 0; e < perWord; ++e) {
              unsigned reg = matrices.getRegister(i, m, e);
              unsigned along = perWord * (lane % 4) + e, across = lane / 4;
              uint64_t offset = matrices.transposed ? rowAt(along) + across
                                                    : rowAt(across) + along;
              EXPECT_EQ(offset, elementAt(access.offsets, reg, lane, warp));
              EXPECT_EQ(plan.getRound(offset), round);
              move(layout, offset, reg, lane, warp, isStore);
            }
        }
      }
  }

  /// One element between a register and the memory of a round.
  void move(const LinearLayout &layout, uint64_t offset, unsigned reg,
            uint64_t lane, uint64_t warp, bool isStore) {
    offset &= (uint64_t(1) << plan.offsetBits) - 1;
    std::optional<uint64_t> &cell = memory[offset];
    uint64_t element = elementAt(layout, reg, lane, warp);
    if (isStore) {
      EXPECT_FALSE(cell); // written once
      cell = element;
      ++stored;
    } else {
      EXPECT_EQ(cell, element);
      ++loaded;
    }
  }

  bool isOwner(const LinearLayout &layout, uint64_t lane, uint64_t warp) {
    return !(lane & layout.getFreeBits(kLane)) &&
           !(warp & layout.getFreeBits(kWarp));
  }

  /// Moves one vector; returns its offset in elements.
  uint64_t visit(const LinearLayout &layout, const SharedAccess &access,
                 unsigned round, ArrayRef<unsigned> elements, uint64_t lane,
                 uint64_t warp, bool isStore) {
    uint64_t start = elementAt(access.offsets, elements[0], lane, warp);
    EXPECT_EQ(plan.getRound(start), round);
    start &= (uint64_t(1) << plan.offsetBits) - 1;
    EXPECT_EQ(start % elements.size(), 0u);
    for (auto [b, reg] : llvm::enumerate(elements))
      move(layout, start + b, reg, lane, warp, isStore);
    return start;
  }

  const SharedPlan &plan;
  unsigned elementBytes;
  std::vector<std::optional<uint64_t>> memory; // element at each offset
};

/// Runs the conversion, with and without `stmatrix`; returns wavefronts beyond
/// the least possible.
unsigned convert(const LinearLayout &source, const LinearLayout &result,
                 unsigned elementBytes,
                 int64_t maxScratchBytes = kMaxScratchBytes) {
  unsigned conflicts = 0;
  for (bool hasStoreMatrix : {false, true}) {
    SharedPlan plan = planSharedMemory(source, result, elementBytes,
                                       hasStoreMatrix, maxScratchBytes);
    EXPECT_EQ(plan.getScratchBytes(elementBytes),
              planSharedMemory(source, result, elementBytes, !hasStoreMatrix,
                               maxScratchBytes)
                  .getScratchBytes(elementBytes));
    EXPECT_TRUE(hasStoreMatrix || !plan.storeMatrices);
    SharedMemoryModel model(plan, elementBytes);
    model.run();
    conflicts += model.conflicts;
  }
  return conflicts;
}

/// Layouts that kernels have, all for 4 warps.
SmallVector<LinearLayout> usualLayouts(int64_t rows, int64_t columns,
                                       unsigned elementBytes) {
  SmallVector<LinearLayout> layouts;
  for (int64_t vector : {1, 2, 4, 8, 16})
    for (SmallVector<int32_t> order : {SmallVector<int32_t>{1, 0}, {0, 1}})
      layouts.push_back(coalescedLayout({rows, columns}, vector, 4, order));
  for (SmallVector<int64_t> warps :
       {SmallVector<int64_t>{4, 1}, {2, 2}, {1, 4}}) {
    layouts.push_back(
        mmaLayout(MmaOperand::Accumulator, 32, {rows, columns}, warps));
    if (elementBytes > 4)
      continue;
    for (MmaOperand operand : {MmaOperand::A, MmaOperand::B})
      layouts.push_back(
          mmaLayout(operand, elementBytes * 8, {rows, columns}, warps));
  }
  return layouts;
}

TEST(SharedPlan, UsualConversionsHaveNoBankConflicts) {
  for (unsigned elementBytes : {1, 2, 4, 8})
    for (auto [rows, columns] :
         {std::pair<int64_t, int64_t>{64, 64}, {128, 32}, {16, 128}}) {
      auto layouts = usualLayouts(rows, columns, elementBytes);
      for (const LinearLayout &source : layouts)
        for (const LinearLayout &result : layouts)
          EXPECT_EQ(convert(source, result, elementBytes), 0u)
              << elementBytes << " bytes\n"
              << source.toString() << "\n"
              << result.toString();
    }
}

TEST(SharedPlan, RandomLayoutsHaveNoBankConflicts) {
  LayoutGenerator random(3);
  for (int trial = 0; trial < 200; ++trial) {
    unsigned elementBytes = 1u << random.below(4);
    LinearLayout source = random.tile({32, 16}, 1 + random.below(4), 3);
    LinearLayout result = random.tile({32, 16}, 1 + random.below(4), 3);
    EXPECT_EQ(convert(source, result, elementBytes), 0u)
        << elementBytes << " bytes\n"
        << source.toString() << "\n"
        << result.toString();
  }
}

TEST(SharedPlan, TilesSmallerThanARowOfBanks) {
  LayoutGenerator random(4);
  for (int trial = 0; trial < 100; ++trial) {
    unsigned elementBytes = 1u << random.below(4);
    LinearLayout source = random.tile({2, 4}, random.below(3), 2);
    LinearLayout result = random.tile({2, 4}, random.below(3), 2);
    EXPECT_EQ(convert(source, result, elementBytes), 0u);
  }
}

TEST(SharedPlan, MovesVectorsThatBothLayoutsHave) {
  // Rows to rows: both layouts have 16 bytes.
  LinearLayout a = coalescedLayout({64, 64}, 8, 4, {1, 0});
  LinearLayout b = blockedLayout({64, 64}, {{1, 8}, {32, 1}, {2, 2}, {1, 0}});
  SharedPlan plan = planSharedMemory(a, b, 2);
  EXPECT_EQ(plan.store.vectorRegisters.size(), 3u);
  EXPECT_EQ(plan.load.vectorRegisters.size(), 3u);
}

TEST(SharedPlan, MovesVectorsOfOneLayoutOfATranspose) {
  LinearLayout rows =
      blockedLayout({32, 128}, {{1, 4}, {1, 32}, {4, 1}, {1, 0}});
  LinearLayout columns =
      blockedLayout({32, 128}, {{1, 1}, {1, 32}, {4, 1}, {1, 0}});
  SharedPlan plan = planSharedMemory(rows, columns, 4);
  EXPECT_EQ(std::max(plan.store.vectorRegisters.size(),
                     plan.load.vectorRegisters.size()),
            2u);
}

TEST(SharedPlan, MovesMatricesBetweenTensorCores) {
  // An accumulator becomes a transposed operand: rows are stored straight and
  // loaded transposed.
  LinearLayout acc = mmaLayout(MmaOperand::Accumulator, 32, {64, 64}, {4, 1});
  LinearLayout b = mmaLayout(MmaOperand::B, 16, {64, 64}, {4, 1});
  SharedPlan plan = planSharedMemory(acc, b, 2, /*hasStoreMatrix=*/true);
  ASSERT_TRUE(plan.storeMatrices && plan.loadMatrices);
  EXPECT_FALSE(plan.storeMatrices->transposed);
  EXPECT_TRUE(plan.loadMatrices->transposed);
  EXPECT_EQ(plan.loadMatrices->getNumMatrices(), 4u);
  plan = planSharedMemory(acc, b, 2);
  EXPECT_FALSE(plan.storeMatrices);
  EXPECT_TRUE(plan.loadMatrices);
  // Coalesced tiles are stored in vectors of a row.
  LinearLayout rows = coalescedLayout({64, 64}, 8, 4, {1, 0});
  plan = planSharedMemory(rows, b, 2, /*hasStoreMatrix=*/true);
  EXPECT_EQ(plan.store.vectorRegisters.size(), 3u);
  ASSERT_TRUE(plan.loadMatrices);
  EXPECT_TRUE(plan.loadMatrices->transposed);
  // 32-bit and 8-bit elements along the contracted dimension.
  for (unsigned bytes : {1, 4}) {
    LinearLayout a = mmaLayout(MmaOperand::A, bytes * 8, {64, 64}, {4, 1});
    rows = coalescedLayout({64, 64}, 16 / bytes, 4, {1, 0});
    plan = planSharedMemory(rows, a, bytes);
    EXPECT_EQ(bytes << plan.store.vectorRegisters.size(), 16u);
    ASSERT_TRUE(plan.loadMatrices);
    EXPECT_FALSE(plan.loadMatrices->transposed);
  }
}

TEST(SharedPlan, KeepsTogetherWhatLiesTogetherInRegisters) {
  // From four elements of a row to an operand with two elements along the
  // columns, and distant atoms, in the registers of a thread. Vectors that both
  // layouts have would mix the words of instructions.
  LinearLayout rows = coalescedLayout({64, 64}, 4, 4, {1, 0});
  LinearLayout b = mmaLayout(MmaOperand::B, 32, {64, 64}, {4, 1});
  SharedPlan plan = planSharedMemory(rows, b, 4);
  EXPECT_FALSE(plan.loadMatrices);
  EXPECT_EQ(plan.store.vectorRegisters.size(), 2u);
  EXPECT_EQ(plan.load.vectorRegisters.size(), 0u);
  // Both f16 elements of a word stay together in a vector.
  LinearLayout wide = coalescedLayout({64, 64}, 8, 4, {1, 0});
  LinearLayout acc = mmaLayout(MmaOperand::Accumulator, 32, {64, 64}, {4, 1});
  plan = planSharedMemory(acc, wide, 2);
  ASSERT_FALSE(plan.store.vectorRegisters.empty());
  EXPECT_EQ(plan.store.vectorRegisters[0], 1u);
}

TEST(SharedPlan, MovesMatricesInRounds) {
  LinearLayout acc = mmaLayout(MmaOperand::Accumulator, 32, {128, 128}, {2, 2});
  LinearLayout b = mmaLayout(MmaOperand::B, 16, {128, 128}, {2, 2});
  SharedPlan plan =
      planSharedMemory(acc, b, 2, /*hasStoreMatrix=*/true, 16 * 1024);
  EXPECT_EQ(plan.getNumRounds(), 2u);
  EXPECT_TRUE(plan.storeMatrices && plan.loadMatrices);
  EXPECT_EQ(convert(acc, b, 2, 16 * 1024), 0u);
  EXPECT_EQ(convert(acc, b, 2, 8 * 1024), 0u);
  // An accumulator of one warp, whose row neighbours go in different rounds.
  acc = mmaLayout(MmaOperand::Accumulator, 32, {256, 128}, {1, 1});
  LinearLayout rows = coalescedLayout({256, 128}, 8, 1, {1, 0});
  EXPECT_EQ(planSharedMemory(acc, rows, 2).getNumRounds(), 2u);
  convert(acc, rows, 2);
  for (unsigned bytes : {1, 2, 4})
    for (const LinearLayout &source : usualLayouts(64, 64, bytes))
      for (const LinearLayout &result : usualLayouts(64, 64, bytes))
        convert(source, result, bytes, 1024);
}

TEST(SharedPlan, GoesInRoundsWhereMemoryIsShort) {
  LinearLayout a = coalescedLayout({128, 128}, 4, 4, {1, 0});
  LinearLayout b = mmaLayout(MmaOperand::Accumulator, 32, {128, 128}, {2, 2});
  SharedPlan plan = planSharedMemory(a, b, 4, false, 16 * 1024);
  EXPECT_EQ(plan.getNumRounds(), 4u);
  EXPECT_EQ(plan.getScratchBytes(4), 16 * 1024);
  EXPECT_EQ(convert(a, b, 4, 16 * 1024), 0u);
  // Never more rounds than the registers allow.
  EXPECT_GE(planSharedMemory(a, b, 4, false, 1).getScratchBytes(4), 128 * 4);
  convert(a, b, 4, 1);
}

} // namespace
