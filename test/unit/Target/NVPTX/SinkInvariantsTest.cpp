#include "lib/Target/NVPTX/SinkInvariants.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace {

/// A loop with a block of `length` instructions. Its last block uses `%base`
/// and `%chain`, which is computed from `%base` before the loop.
class SinkInvariants : public testing::Test {
protected:
  StringRef findBlock(unsigned length, StringRef value) {
    std::string body;
    for (unsigned i = 0; i < length; ++i)
      body += "  %x" + std::to_string(i) + " = add i32 " +
              (i == 0 ? "%i" : "%x" + std::to_string(i - 1)) + ", 3\n";
    std::string text = R"(
      define void @kernel(ptr %out, i32 %n, i32 %carried) {
      before:
        %base = mul i32 %n, %n
        %offset = shl i32 %base, 2
        %chain = xor i32 %offset, 64
        %soon = shl i32 %base, 3
        %start = add i32 %n, 1
        br label %long
      long:
        %i = phi i32 [ %start, %before ], [ %next, %end ]
        %early = getelementptr i32, ptr %out, i32 %soon
        store i32 %i, ptr %early
    )" + body + R"(
        %late = getelementptr i32, ptr %out, i32 %chain
        store i32 %x)" +
                       std::to_string(length - 1) + R"(, ptr %late
        br label %end
      end:
        %next = add i32 %i, %base
        %again = icmp slt i32 %next, %n
        br i1 %again, label %long, label %after
      after:
        ret void
      })";
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    tilewright::sinkInvariants(*module);
    EXPECT_FALSE(verifyModule(*module, &errs()));
    for (Instruction &instruction :
         instructions(*module->getFunction("kernel")))
      if (instruction.getName() == value)
        return instruction.getParent()->getName();
    return "";
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};

TEST_F(SinkInvariants, ComputesChainsWhereALongBlockUsesThem) {
  EXPECT_EQ(findBlock(2000, "chain"), "long");
  EXPECT_EQ(findBlock(2000, "offset"), "long");
}

TEST_F(SinkInvariants, LeavesWhatIsUsedInSeveralBlocksOrIsNotCheap) {
  EXPECT_EQ(findBlock(2000, "base"), "before");
}

TEST_F(SinkInvariants, LeavesFirstValuesOfWhatGoesAround) {
  EXPECT_EQ(findBlock(2000, "start"), "before");
}

TEST_F(SinkInvariants, LeavesWhatIsUsedSoon) {
  EXPECT_EQ(findBlock(2000, "soon"), "before");
}

TEST_F(SinkInvariants, LeavesShortLoopsAlone) {
  EXPECT_EQ(findBlock(100, "chain"), "before");
}

} // namespace
