#include "lib/Layout/WgmmaTiling.h"
#include "test/unit/Layout/Axes.h"

#include "lib/Layout/TileLayouts.h"

#include "gtest/gtest.h"

#include <set>

using namespace tilewright;
using namespace tilewright::test;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

constexpr LayoutAxis kOffset = LayoutAxis::Offset;

/// A model of the hardware: the address of element (m, k) of the operand of one
/// instruction that starts at `start`. Applies the canonical layouts of the PTX
/// ISA in units of 16 bytes, then the swizzle of the whole address.
uint64_t hardwareAddress(const WgmmaDescriptor &descriptor, uint64_t start,
                         uint64_t m, uint64_t k, unsigned bytes) {
  uint64_t row = descriptor.swizzleBytes, address = start;
  if (descriptor.transposed)
    address += m * bytes % row + m * bytes / row * descriptor.leadingBytes +
               k % 8 * row + k / 8 * descriptor.strideBytes;
  else
    address += k * bytes + m % 8 * row + m / 8 * descriptor.strideBytes;
  unsigned bits = row == 128 ? 3 : row == 64 ? 2 : 1;
  uint64_t lines = address >> 7 & ((1 << bits) - 1);
  return address ^ lines << 4;
}

LinearLayout makeOperand(unsigned across, ArrayRef<int64_t> shape,
                         bool transposed, unsigned elementBits,
                         int64_t swizzleBytes) {
  int32_t fast = transposed ? across : 1 - across;
  return panelSharedLayout(shape, {fast, 1 - fast}, elementBits, swizzleBytes);
}

/// Checks each element that each instruction of each warpgroup reads.
void checkOperand(const LinearLayout &layout, const WgmmaPlan &plan, bool isA,
                  const LinearLayout &acc, unsigned elementBits) {
  unsigned bytes = elementBits / 8;
  int64_t depth = 256 / elementBits, size = isA ? 64 : plan.columns;
  const WgmmaDescriptor &descriptor = isA ? *plan.a : plan.b;
  unsigned registers =
      acc.getInSize(kReg) / plan.parts; // of the part of one instruction
  for (int64_t group = 0; group < acc.getInSize(kWarp) / kWarpsPerGroup;
       ++group)
    for (auto [i, step] : llvm::enumerate(plan.steps)) {
      SmallVector<int64_t> corner =
          acc.getElement({{kReg, uint64_t(step.part) * registers},
                          {kWarp, uint64_t(group * kWarpsPerGroup)}});
      uint64_t start = isA ? step.aOffset : step.bOffset;
      ArrayRef<uint64_t> offsets = isA ? plan.aOffsets : plan.bOffsets;
      for (unsigned bit = 0; bit < offsets.size(); ++bit)
        start += group >> bit & 1 ? offsets[bit] : 0;
      ASSERT_EQ(start % 16, 0u);
      int64_t k0 = i / plan.parts * depth;
      for (int64_t m = 0; m < size; ++m)
        for (int64_t k = 0; k < depth; ++k) {
          uint64_t address = hardwareAddress(descriptor, start, m, k, bytes);
          SmallVector<int64_t> element =
              layout.getElement({{kOffset, address / bytes}});
          ASSERT_EQ(element[isA ? 0 : 1], corner[isA ? 0 : 1] + m);
          ASSERT_EQ(element[isA ? 1 : 0], k0 + k);
        }
    }
}

void checkPlan(int64_t m, int64_t n, int64_t k, int64_t warps, unsigned bits,
               bool transposeA, bool transposeB, int64_t swizzle) {
  SCOPED_TRACE(testing::Message()
               << m << "x" << n << "x" << k << ", " << warps << " warps, "
               << bits << " bits, " << transposeA << transposeB << ", swizzle "
               << swizzle);
  auto acc = wgmmaLayout({m, n}, warps);
  ASSERT_TRUE(acc);
  LinearLayout a = makeOperand(0, {m, k}, transposeA, bits, swizzle);
  LinearLayout b = makeOperand(1, {k, n}, transposeB, bits, swizzle);
  WgmmaObstacle obstacle;
  auto plan = planWgmma(a, /*aInShared=*/true, b, *acc, bits, obstacle);
  ASSERT_TRUE(plan) << int(obstacle);
  EXPECT_EQ(plan->a->transposed, transposeA);
  EXPECT_EQ(plan->b.transposed, transposeB);
  EXPECT_EQ(plan->steps.size(), plan->parts * k * bits / 256);
  checkOperand(a, *plan, /*isA=*/true, *acc, bits);
  checkOperand(b, *plan, /*isA=*/false, *acc, bits);
}

TEST(PlanWgmma, DescriptorsReadWhatTheLayoutHolds) {
  for (int64_t swizzle : {32, 64, 128})
    for (bool transposeA : {false, true})
      for (bool transposeB : {false, true}) {
        checkPlan(64, 128, 64, 4, 16, transposeA, transposeB, swizzle);
        checkPlan(128, 64, 128, 8, 16, transposeA, transposeB, swizzle);
        checkPlan(256, 512, 64, 8, 16, transposeA, transposeB, swizzle);
        checkPlan(64, 256, 64, 16, 16, transposeA, transposeB, swizzle);
      }
}

TEST(PlanWgmma, OtherWidthsAreContractedMajor) {
  for (int64_t swizzle : {32, 64, 128})
    for (unsigned bits : {8, 32})
      checkPlan(128, 128, 128, 8, bits, false, false, swizzle);
  auto acc = wgmmaLayout({64, 128}, 4);
  WgmmaObstacle obstacle;
  for (unsigned bits : {8, 32}) {
    LinearLayout a = makeOperand(0, {64, 128}, false, bits, 128);
    LinearLayout b = makeOperand(1, {128, 128}, true, bits, 128);
    EXPECT_FALSE(planWgmma(a, true, b, *acc, bits, obstacle));
    EXPECT_EQ(obstacle, WgmmaObstacle::B);
  }
}

TEST(PlanWgmma, SmallTiles) {
  checkPlan(64, 8, 16, 4, 16, false, false, 32);
  checkPlan(64, 16, 16, 4, 16, true, true, 32);
  checkPlan(64, 32, 32, 4, 8, false, false, 32);
}

TEST(PlanWgmma, RefusesWhatNoDescriptorExpresses) {
  auto acc = wgmmaLayout({64, 64}, 4);
  LinearLayout a = makeOperand(0, {64, 64}, false, 16, 128);
  LinearLayout good = makeOperand(1, {64, 64}, false, 16, 128);
  WgmmaObstacle obstacle;
  // Without a swizzle, and with one of 8-byte chunks.
  for (const LinearLayout &bad :
       {sharedLayout({64, 64}, {0, 1}),
        swizzledSharedLayout({64, 64}, {0, 1}, {4, 1, 8})}) {
    EXPECT_FALSE(planWgmma(a, true, bad, *acc, 16, obstacle));
    EXPECT_EQ(obstacle, WgmmaObstacle::B);
    EXPECT_FALSE(
        planWgmma(bad.transpose({1, 0}), true, good, *acc, 16, obstacle));
    EXPECT_EQ(obstacle, WgmmaObstacle::A);
  }
  // Warps along columns.
  LinearLayout rows = mmaLayout(MmaOperand::Accumulator, 32, {64, 64}, {2, 2});
  EXPECT_FALSE(planWgmma(a, true, good, rows, 16, obstacle));
  EXPECT_EQ(obstacle, WgmmaObstacle::Accumulator);
}

TEST(PlanWgmma, ReadsAFromRegisters) {
  for (unsigned bits : {8, 16, 32})
    for (int64_t warps : {4, 8, 16}) {
      auto acc = wgmmaLayout({128, 64}, warps);
      ASSERT_TRUE(acc);
      LinearLayout a = wgmmaOperandLayout(*acc, 64, bits);
      LinearLayout b = makeOperand(1, {64, 64}, false, bits, 64);
      WgmmaObstacle obstacle;
      auto plan = planWgmma(a, /*aInShared=*/false, b, *acc, bits, obstacle);
      ASSERT_TRUE(plan);
      unsigned perAtom = 4 * 32 / bits,
               registers = acc->getInSize(kReg) / plan->parts;
      for (auto [i, step] : llvm::enumerate(plan->steps))
        for (uint64_t warp = 0; warp < uint64_t(warps); ++warp)
          for (uint64_t lane = 0; lane < 32; lane += 4) {
            auto inA =
                a.getElement({{kReg, uint64_t(step.aRegisters) * perAtom},
                              {kLane, lane},
                              {kWarp, warp}});
            auto inAcc =
                acc->getElement({{kReg, uint64_t(step.part) * registers},
                                 {kLane, lane},
                                 {kWarp, warp}});
            EXPECT_EQ(inA[0], inAcc[0]);
            EXPECT_EQ(inA[1], int64_t(i / plan->parts * 256 / bits));
          }
    }
}

/// Wgmmas whose operands B, with `columns` each, are consecutive in shared
/// memory.
SmallVector<AdjacentWgmma> makeAdjacent(int64_t m, ArrayRef<int64_t> columns,
                                        int64_t k, int64_t warps, unsigned bits,
                                        bool transposeB) {
  SmallVector<AdjacentWgmma> adjacent;
  LinearLayout a = makeOperand(0, {m, k}, false, bits, 128);
  for (int64_t n : columns) {
    int64_t swizzle = transposeB ? std::min<int64_t>(n * bits / 8, 128) : 128;
    LinearLayout b = makeOperand(1, {k, n}, transposeB, bits, swizzle);
    WgmmaObstacle obstacle;
    auto plan =
        planWgmma(a, true, b, *wgmmaLayout({m, n}, warps), bits, obstacle);
    EXPECT_TRUE(plan);
    adjacent.push_back({*plan, n * k * bits / 8});
  }
  return adjacent;
}

/// Checks that the merged plan reads the same addresses as the single plans.
void checkMerged(int64_t m, ArrayRef<int64_t> columns, int64_t k, int64_t warps,
                 unsigned bits, bool transposeB) {
  auto adjacent = makeAdjacent(m, columns, k, warps, bits, transposeB);
  auto merged = mergeWgmmaPlans(adjacent);
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->steps.size(), adjacent[0].plan.steps.size());
  int64_t first = 0, start = 0;
  for (const AdjacentWgmma &wgmma : adjacent) {
    for (auto [step, own] : llvm::zip_equal(merged->steps, wgmma.plan.steps)) {
      ASSERT_EQ(step.part, own.part);
      ASSERT_EQ(step.aOffset, own.aOffset);
      for (int64_t n = 0; n < wgmma.plan.columns; ++n)
        for (int64_t kk = 0; kk < 256 / bits; ++kk)
          ASSERT_EQ(
              hardwareAddress(merged->b, step.bOffset, first + n, kk, bits / 8),
              hardwareAddress(wgmma.plan.b, start + own.bOffset, n, kk,
                              bits / 8));
    }
    first += wgmma.plan.columns;
    start += wgmma.bytes;
  }
  EXPECT_EQ(merged->columns, first);
}

TEST(MergeWgmmaPlans, ReadsAllOperandsB) {
  for (auto [m, warps] : {std::pair(64, 4), {128, 8}, {256, 8}})
    for (SmallVector<int64_t> columns : {SmallVector<int64_t>{128, 64},
                                         {128, 32},
                                         {128, 64, 32, 16},
                                         {64, 32},
                                         {128, 128},
                                         {16, 128}}) {
      checkMerged(m, columns, 64, warps, 16, false);
      checkMerged(m, columns, 128, warps, 8, false);
    }
  checkMerged(128, {128, 64}, 64, 8, 16, true);
  checkMerged(128, {128, 128}, 64, 8, 16, true);
}

TEST(MergeWgmmaPlans, RefusesWhatNoDescriptorExpresses) {
  // Too many columns, or not a multiple of 16 of them.
  EXPECT_FALSE(mergeWgmmaPlans(makeAdjacent(64, {256, 16}, 64, 4, 16, false)));
  EXPECT_FALSE(mergeWgmmaPlans(makeAdjacent(64, {128, 8}, 64, 4, 16, false)));
  // Two panels along k each, so that the next columns do not follow.
  EXPECT_FALSE(mergeWgmmaPlans(makeAdjacent(64, {128, 64}, 128, 4, 16, false)));
  // Different swizzles, and a single span, which defines no distance.
  EXPECT_FALSE(mergeWgmmaPlans(makeAdjacent(64, {128, 32}, 64, 4, 16, true)));
  EXPECT_FALSE(mergeWgmmaPlans(makeAdjacent(64, {64, 64}, 64, 4, 16, true)));
  // Warpgroups along columns.
  EXPECT_FALSE(mergeWgmmaPlans(makeAdjacent(64, {128, 64}, 64, 8, 16, false)));
}

// An accumulator converted to 16 bits has the layout of A of the next dot.
TEST(WgmmaLayout, AccumulatorIsOperand) {
  auto acc = wgmmaLayout({128, 64}, 8);
  EXPECT_EQ(wgmmaOperandLayout(*acc, 64, 16), *acc);
}

TEST(WgmmaLayout, NeedsWholeWarpgroups) {
  EXPECT_FALSE(wgmmaLayout({64, 64}, 2));
  EXPECT_FALSE(wgmmaLayout({32, 64}, 4));
  EXPECT_FALSE(wgmmaLayout({64, 8}, 8));
}

} // namespace
