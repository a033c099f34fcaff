#include "runtime/cuda/Kernel.h"

#include "test/unit/Runtime/Cuda/CudaTest.h"

#include <cstdlib>
#include <new>

/// Counts every allocation of this executable.
static size_t allocations = 0;

void *operator new(size_t bytes) {
  ++allocations;
  if (void *memory = std::malloc(bytes ? bytes : 1))
    return memory;
  throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

namespace {

enum { Argument, Constant, Add, Sub, Mul, Min, Max };

/// Two parameters, a grid of the given kind and one f16 map with boxes of 64 x
/// 32. Base: parameter 0. Shape: (parameter 1, 2 * parameter 1 - 1). Stride:
/// 48.
std::vector<int64_t> recipeOfMatrix(GridKind grid, int64_t rowStride = 48) {
  return {2,        int64_t(grid),
          1,        6,
          2,        128,
          1,        2,
          64,       32,
          1,        Argument,
          0,        1,
          Argument, 1,
          5,        Constant,
          2,        Argument,
          1,        Mul,
          0,        Constant,
          1,        Sub,
          0,        1,
          Constant, rowStride};
}

class LaunchRecipeTest : public CudaTest {
protected:
  void load(const std::vector<int64_t> &numbers, unsigned cluster = 1) {
    auto recipe = LaunchRecipe::parse(numbers.data(), numbers.size());
    ASSERT_TRUE(recipe.ok()) << recipe.status().message();
    LaunchShape shape;
    shape.threads = 128;
    shape.recipe = *recipe;
    shape.cluster[0] = cluster;
    kernel.reset(); // Before its driver, of which there is a new one.
    auto loaded = Kernel::load(open(), 0, "image", "kernel", shape);
    ASSERT_TRUE(loaded.ok()) << loaded.status().message();
    kernel = std::move(*loaded);
  }

  Status launch(uint64_t base, int64_t n, std::array<int64_t, 3> grid) {
    void *parameters[] = {&base, &n};
    return kernel->launch(grid, nullptr, parameters);
  }

  std::unique_ptr<const Kernel> kernel;
};

TEST_F(LaunchRecipeTest, MapsAreMadeFromTheParameters) {
  load(recipeOfMatrix(GridKind::Given));
  fake->parametersToRecord = 3;
  ASSERT_TRUE(launch(0x7000, 10, {4, 2, 1}).ok());
  ASSERT_EQ(fake->tensorMaps.size(), 1u);
  const FakeTensorMap &map = fake->tensorMaps[0];
  EXPECT_EQ(map.element, 6);
  EXPECT_EQ(map.base, 0x7000u);
  EXPECT_EQ(map.sizes, (std::vector<uint64_t>{19, 10}));
  EXPECT_EQ(map.strides, (std::vector<uint64_t>{96}));
  EXPECT_EQ(map.box, (std::vector<uint32_t>{32, 64}));
  EXPECT_EQ(map.swizzle, 3);
  EXPECT_EQ(map.outOfBoundsFill, 1);
  ASSERT_EQ(fake->launches.size(), 1u);
  EXPECT_EQ(fake->launches[0].words, (std::vector<uint32_t>{0x7000, 10, 1}));
  EXPECT_EQ(fake->launches[0].grid[0], 4u);
}

TEST_F(LaunchRecipeTest, PromotionGoesByTheRows) {
  constexpr int kPromotionL2_128B = 2, kPromotionL2_256B = 3;
  load(recipeOfMatrix(GridKind::Given, 64));
  ASSERT_TRUE(launch(0x7000, 10, {1, 1, 1}).ok());
  load(recipeOfMatrix(GridKind::Given, 128));
  ASSERT_TRUE(launch(0x7000, 10, {1, 1, 1}).ok());
  ASSERT_TRUE(launch(0x7080, 10, {1, 1, 1}).ok());
  ASSERT_EQ(fake->tensorMaps.size(), 3u);
  EXPECT_EQ(fake->tensorMaps[0].promotion, kPromotionL2_128B);
  EXPECT_EQ(fake->tensorMaps[1].promotion, kPromotionL2_256B);
  EXPECT_EQ(fake->tensorMaps[2].promotion, kPromotionL2_128B);
}

TEST_F(LaunchRecipeTest, MapsAreKept) {
  load(recipeOfMatrix(GridKind::Given));
  fake->parametersToRecord = 3;
  ASSERT_TRUE(launch(0x7000, 10, {1, 1, 1}).ok());
  ASSERT_TRUE(launch(0x8000, 10, {1, 1, 1}).ok());
  ASSERT_TRUE(launch(0x7000, 10, {1, 1, 1}).ok());
  EXPECT_EQ(fake->tensorMaps.size(), 2u);
  EXPECT_EQ(fake->launches[2].words[2], 1u);
}

TEST_F(LaunchRecipeTest, MoreArraysThanAreKeptHaveTheirOwnMaps) {
  load(recipeOfMatrix(GridKind::Given));
  fake->parametersToRecord = 3;
  for (int round = 0; round < 2; ++round)
    for (uint64_t i = 0; i < 300; ++i)
      ASSERT_TRUE(launch(0x1000 * (1 + i), 8 + int64_t(i % 3), {1, 1, 1}).ok());
  for (size_t i = 0; i < fake->launches.size(); ++i) {
    const FakeTensorMap &map = fake->tensorMaps[fake->launches[i].words[2] - 1];
    EXPECT_EQ(map.base, 0x1000 * (1 + i % 300)) << i;
    EXPECT_EQ(map.sizes[1], 8 + i % 300 % 3) << i;
  }
}

TEST_F(LaunchRecipeTest, ArraysWithoutElementsAreZeros) {
  load(recipeOfMatrix(GridKind::Given));
  ASSERT_TRUE(launch(0x7000, 0, {1, 1, 1}).ok());
  ASSERT_EQ(fake->tensorMaps.size(), 1u);
  EXPECT_NE(fake->tensorMaps[0].base, 0x7000u);
  EXPECT_EQ(fake->tensorMaps[0].sizes, (std::vector<uint64_t>{1, 1}));
}

TEST_F(LaunchRecipeTest, RefusedArraysAreNotKept) {
  load(recipeOfMatrix(GridKind::Given));
  fake->failures["cuTensorMapEncodeTiled"] = kErrorInvalidValue;
  Status status = launch(0x7000, 10, {1, 1, 1});
  EXPECT_EQ(status.code(), StatusCode::Unsupported);
  EXPECT_EQ(
      status.message(),
      "cannot launch kernel 'kernel': the tensor memory accelerator cannot "
      "copy from an array of shape (10, 19) and strides (48, 1)");
  EXPECT_TRUE(fake->launches.empty());
  fake->failures.clear();
  EXPECT_TRUE(launch(0x7000, 10, {1, 1, 1}).ok());
}

TEST_F(LaunchRecipeTest, PersistentKernelsGetTheGrid) {
  load(recipeOfMatrix(GridKind::Persistent));
  fake->parametersToRecord = 6;
  ASSERT_TRUE(launch(0x7000, 10, {1000, 30, 2}).ok());
  // The double has 1016 multiprocessors: attribute number 16.
  EXPECT_EQ(fake->launches[0].grid[0], 2 * 1016u);
  EXPECT_EQ(fake->launches[0].grid[1], 1u);
  EXPECT_EQ(fake->launches[0].words,
            (std::vector<uint32_t>{0x7000, 10, 1000, 30, 2, 1}));
  ASSERT_TRUE(launch(0x7000, 10, {3, 2, 1}).ok());
  EXPECT_EQ(fake->launches[1].grid[0], 6u);
}

TEST_F(LaunchRecipeTest, PersistentClusters) {
  load(recipeOfMatrix(GridKind::Persistent), 4);
  fake->parametersToRecord = 6;
  ASSERT_TRUE(launch(0x7000, 10, {1000, 30, 2}).ok());
  EXPECT_EQ(fake->launches[0].grid[0], 4 * 130u);
  // Whole clusters, and the requested grid.
  ASSERT_TRUE(launch(0x7000, 10, {3, 3, 1}).ok());
  EXPECT_EQ(fake->launches[1].grid[0], 12u);
  EXPECT_EQ(fake->launches[1].cluster[0], 4u);
  EXPECT_EQ(fake->launches[1].words,
            (std::vector<uint32_t>{0x7000, 10, 3, 3, 1, 1}));
  fake->clustersAtOnce = 0;
  load(recipeOfMatrix(GridKind::Persistent), 4);
  ASSERT_TRUE(launch(0x7000, 10, {1000, 1, 1}).ok());
  EXPECT_EQ(fake->launches[2].grid[0], 4u) << "one at least";
}

TEST_F(LaunchRecipeTest, PaddedGrids) {
  load(recipeOfMatrix(GridKind::Padded), 2);
  fake->parametersToRecord = 6;
  ASSERT_TRUE(launch(0x7000, 10, {7, 3, 2}).ok());
  EXPECT_EQ(fake->launches[0].grid[0], 8u);
  EXPECT_EQ(fake->launches[0].grid[1], 3u);
  EXPECT_EQ(fake->launches[0].grid[2], 2u);
  EXPECT_EQ(fake->launches[0].words,
            (std::vector<uint32_t>{0x7000, 10, 7, 3, 2, 1}));
  Status large = launch(0x7000, 10, {2147483647, 1, 1});
  EXPECT_EQ(large.message(),
            "cannot launch kernel 'kernel': a grid of 2147483647 programs, but "
            "at most 2147483646 are counted");
}

StreamHandle streamOf(uintptr_t number) {
  return static_cast<StreamHandle>(fakeHandle(number));
}

/// Two parameters and ordered programs.
std::vector<int64_t> recipeOfTickets() {
  return {2, int64_t(GridKind::Ordered), 0};
}

TEST_F(LaunchRecipeTest, EachStreamHasATicketSlot) {
  load(recipeOfTickets());
  fake->parametersToRecord = 3;
  uint64_t base = 0x7000;
  int64_t n = 10;
  void *parameters[] = {&base, &n};
  auto slotOn = [&](StreamHandle stream) {
    EXPECT_TRUE(kernel->launch({4, 3, 2}, stream, parameters).ok());
    const auto &launch = fake->launches.back();
    EXPECT_EQ(launch.grid[0], 4u);
    EXPECT_EQ(launch.grid[1], 3u);
    EXPECT_EQ(launch.grid[2], 2u);
    EXPECT_EQ(launch.words[0], 0x7000u);
    EXPECT_EQ(launch.words[1], 10u);
    return launch.words[2];
  };
  StreamHandle first = streamOf(0x51), second = streamOf(0x52);
  EXPECT_EQ(slotOn(nullptr), 0u);
  EXPECT_EQ(slotOn(first), 1u);
  EXPECT_EQ(slotOn(second), 2u);
  EXPECT_EQ(slotOn(first), 1u);
  EXPECT_EQ(slotOn(nullptr), 0u);
  // A graph may run at any time.
  fake->isCapturing = true;
  fake->captured = first;
  EXPECT_EQ(slotOn(first), 3u);
  EXPECT_EQ(slotOn(first), 4u);
  fake->isCapturing = false;
  EXPECT_EQ(slotOn(first), 1u);
}

TEST_F(LaunchRecipeTest, BoundLaunchesUseTheSlotOfTheirStream) {
  load(recipeOfTickets());
  fake->parametersToRecord = 3;
  const uint64_t slots[] = {0x7000, 10};
  auto bound = kernel->bind({4, 2, 1}, slots, 2);
  ASSERT_TRUE(bound.ok()) << bound.status().message();
  for (uintptr_t stream : {0x51, 0x52, 0x51})
    ASSERT_TRUE(kernel->launch(**bound, streamOf(stream)).ok());
  const uint32_t expected[] = {0, 1, 0};
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(fake->launches[i].words,
              (std::vector<uint32_t>{0x7000, 10, expected[i]}));
}

TEST(TicketSlotsTest, SlotsAreReusedAfterAllAreTaken) {
  TicketSlots slots;
  EXPECT_EQ(slots.get(nullptr, /*isCaptured=*/false), 0);
  for (int32_t i = 1; i < TicketSlots::kNumSlots; ++i)
    ASSERT_EQ(slots.get(nullptr, /*isCaptured=*/true), i);
  EXPECT_EQ(slots.get(nullptr, /*isCaptured=*/false), 0);
  EXPECT_EQ(slots.get(streamOf(1), /*isCaptured=*/false), 0);
  EXPECT_EQ(slots.get(nullptr, /*isCaptured=*/false), 1) << "a new round";
}

TEST(TicketSlotsTest, EachThreadHasADefaultStream) {
  TicketSlots slots;
  int32_t other = 0;
  EXPECT_EQ(slots.get(streamOf(2), /*isCaptured=*/false), 0);
  std::thread([&] { other = slots.get(streamOf(2), false); }).join();
  EXPECT_EQ(other, 1);
}

TEST_F(LaunchRecipeTest, ProgramsOnTheirOwnGetMoreMemory) {
  std::vector<int64_t> numbers = recipeOfMatrix(GridKind::Given);
  numbers.push_back(4096);
  load(numbers);
  // The fake device has 1016 multiprocessors.
  ASSERT_TRUE(launch(0x7000, 10, {1016, 1, 1}).ok());
  ASSERT_TRUE(launch(0x7000, 10, {508, 1, 2}).ok());
  ASSERT_TRUE(launch(0x7000, 10, {1017, 1, 1}).ok());
  ASSERT_TRUE(launch(0x7000, 10, {1016, 1, 2}).ok());
  ASSERT_EQ(fake->launches.size(), 4u);
  EXPECT_EQ(fake->launches[0].sharedBytes, 4096u);
  EXPECT_EQ(fake->launches[1].sharedBytes, 4096u);
  EXPECT_EQ(fake->launches[2].sharedBytes, 0u);
  EXPECT_EQ(fake->launches[3].sharedBytes, 0u);
}

TEST_F(LaunchRecipeTest, MoreMemoryThanThereIsIsNotGiven) {
  std::vector<int64_t> numbers = recipeOfMatrix(GridKind::Given);
  numbers.push_back(1 << 20);
  load(numbers);
  ASSERT_TRUE(launch(0x7000, 10, {1, 1, 1}).ok());
  EXPECT_EQ(fake->launches[0].sharedBytes, 0u);
}

TEST_F(LaunchRecipeTest, MalformedRecipes) {
  std::vector<int64_t> good = recipeOfMatrix(GridKind::Given);
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(LaunchRecipe::parse(good.data(), length).ok()) << length;
  std::vector<int64_t> longer = good;
  longer.push_back(0);
  EXPECT_FALSE(LaunchRecipe::parse(longer.data(), longer.size()).ok());
  std::vector<int64_t> parameter = good;
  parameter[12] = 2; // the base: there are parameters 0 and 1
  auto parsed = LaunchRecipe::parse(parameter.data(), parameter.size());
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.status().message(),
            "malformed launch recipe: the number of a parameter");
  std::vector<int64_t> grid = good;
  grid[1] = 4;
  EXPECT_FALSE(LaunchRecipe::parse(grid.data(), grid.size()).ok());
  std::vector<int64_t> stack = good;
  stack[11] = Add;
  EXPECT_FALSE(LaunchRecipe::parse(stack.data(), stack.size()).ok());
}

TEST_F(LaunchRecipeTest, BoundLaunchesKeepTheirMaps) {
  load(recipeOfMatrix(GridKind::Persistent));
  fake->parametersToRecord = 6;
  const uint64_t slots[] = {0x7000, 10};
  auto bound = kernel->bind({4, 2, 1}, slots, 2);
  ASSERT_TRUE(bound.ok()) << bound.status().message();
  ASSERT_TRUE(kernel->launch(**bound, nullptr).ok());
  ASSERT_TRUE(kernel->launch(**bound, nullptr).ok());
  EXPECT_EQ(fake->tensorMaps.size(), 1u);
  ASSERT_EQ(fake->launches.size(), 2u);
  EXPECT_EQ(fake->launches[1].words,
            (std::vector<uint32_t>{0x7000, 10, 4, 2, 1, 1}));
  EXPECT_EQ(kernel->bind({1, 1, 1}, slots, 1).status().message(),
            "kernel 'kernel' does not have 1 parameters");
}

TEST_F(LaunchRecipeTest, LaunchesAllocateNothing) {
  load(recipeOfMatrix(GridKind::Persistent));
  ASSERT_TRUE(launch(0x7000, 10, {4, 2, 1}).ok()) << "makes the map";
  fake->onlyCountsLaunches = true;
  const size_t before = allocations;
  ASSERT_TRUE(launch(0x7000, 10, {4, 2, 1}).ok());
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(fake->launchCount, 2);
}

} // namespace
