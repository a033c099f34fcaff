#include "lib/Target/NVPTX/AssemblerLog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tilewright;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

Assembly read(llvm::StringRef log) {
  Assembly assembly;
  readAssemblerLog(log, assembly);
  return assembly;
}

TEST(AssemblerLog, LogOfPtxas) {
  Assembly assembly = read(R"(
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'kernel' for 'sm_90a'
ptxas info    : Function properties for kernel
    144 bytes stack frame, 140 bytes spill stores, 136 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 144 bytes cumulative stack size, 128 bytes smem, 552 bytes cmem[0]
ptxas info    : Compile time = 14.391 ms
)");
  EXPECT_EQ(assembly.resources.registers, 32u);
  EXPECT_EQ(assembly.resources.stackBytes, 144u);
  EXPECT_EQ(assembly.resources.spillStores, 140u);
  EXPECT_EQ(assembly.resources.spillLoads, 136u);
  EXPECT_EQ(assembly.resources.sharedBytes, 128u);
  EXPECT_THAT(assembly.advice,
              ElementsAre("registers are spilled to memory: 140 bytes stored, "
                          "136 bytes loaded by each thread"));
}

TEST(AssemblerLog, LinkersOwnReportIsLeftOut) {
  Assembly assembly = read(R"(
ptxas info    : Function properties for kernel
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers, 128 bytes smem
info    : used 9 registers, used 5 barriers, 0 stack, 1152 bytes smem, 540 bytes cmem[0], 0 bytes lmem
)");
  EXPECT_EQ(assembly.resources.registers, 8u);
  EXPECT_EQ(assembly.resources.sharedBytes, 128u);
  EXPECT_THAT(assembly.advice, IsEmpty());
}

TEST(AssemblerLog, SeveralFunctionsGiveTheGreatest) {
  Assembly assembly = read("ptxas info    : Used 40 registers\n"
                           "ptxas info    : Used 168 registers\n"
                           "ptxas info    : Used 12 registers\n");
  EXPECT_EQ(assembly.resources.registers, 168u);
}

TEST(AssemblerLog, AdviceIsPickedOut) {
  Assembly assembly = read(
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized due to something in function 'kernel'\n"
      "ptxas warning : Registers are spilled to local memory in function "
      "'kernel'\n"
      "ptxas info    : Used 12 registers\n");
  EXPECT_THAT(
      assembly.advice,
      ElementsAre(
          "ptxas info    : (C7510) Potential Performance Loss: "
          "wgmma.mma_async instructions are serialized due to something in "
          "function 'kernel'",
          "ptxas warning : Registers are spilled to local memory in function "
          "'kernel'"));
}

TEST(AssemblerLog, LogWithoutNumbers) {
  Assembly assembly = read("");
  EXPECT_EQ(assembly.resources.registers, 0u);
  EXPECT_THAT(assembly.advice, IsEmpty());
}

} // namespace
