#include "lib/Target/NVPTX/PackHalfPhis.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "gtest/gtest.h"

using namespace llvm;

namespace {

/// The insertions that build the vector `name` from two values.
std::string pack(const std::string &name, const std::string &lower,
                 const std::string &upper) {
  return "  %" + name + "0 = insertelement <2 x half> poison, half " + lower +
         ", i32 0\n  %" + name + " = insertelement <2 x half> %" + name +
         "0, half " + upper + ", i32 1\n";
}

class PackHalfPhis : public testing::Test {
protected:
  /// Counts the 16-bit and the 32-bit phis after packing. `body` uses the phis
  /// `%a` and `%b` of the loop, `after` follows the loop.
  std::pair<unsigned, unsigned> countCarried(const std::string &body,
                                             const std::string &after = "") {
    std::string text = R"(
      declare void @use(<2 x half>)
      declare void @take(half)
      define void @kernel(half %x, half %y, float %u, float %v, i1 %again) {
      before:
        br label %loop
      loop:
        %a = phi half [ %x, %before ], [ %nextA, %loop ]
        %b = phi half [ %y, %before ], [ %nextB, %loop ]
        %nextA = fptrunc float %u to half
        %nextB = fptrunc float %v to half
    )" + body + R"(
        br i1 %again, label %loop, label %after
      after:
    )" + after + R"(
        ret void
      })";
    SMDiagnostic error;
    module = parseAssemblyString(text, error, context);
    EXPECT_TRUE(module) << error.getMessage().str();
    tilewright::packHalfPhis(*module);
    EXPECT_FALSE(verifyModule(*module, &errs()));
    unsigned singles = 0, pairs = 0;
    for (Instruction &instruction :
         instructions(*module->getFunction("kernel")))
      if (isa<PHINode>(instruction))
        ++(instruction.getType()->isHalfTy() ? singles : pairs);
    return {singles, pairs};
  }

  /// Returns the argument of the first call.
  Value *getUsed() {
    for (Instruction &instruction :
         instructions(*module->getFunction("kernel")))
      if (auto *call = dyn_cast<CallInst>(&instruction))
        return call->getArgOperand(0);
    return nullptr;
  }

  LLVMContext context;
  std::unique_ptr<Module> module;
};

const std::string kUse = "  call void @use(<2 x half> %pair)\n";

TEST_F(PackHalfPhis, CarriesPairsInOneRegister) {
  EXPECT_EQ(countCarried(pack("pair", "%a", "%b") + kUse), std::pair(0u, 1u));
  auto *cast = dyn_cast<BitCastInst>(getUsed());
  ASSERT_TRUE(cast);
  auto *phi = dyn_cast<PHINode>(cast->getOperand(0));
  ASSERT_TRUE(phi);
  // The values of an iteration, packed in order at its end.
  auto *packed = cast_or_null<BitCastInst>(phi->getIncomingValue(1));
  ASSERT_TRUE(packed);
  auto *upper = dyn_cast<InsertElementInst>(packed->getOperand(0));
  ASSERT_TRUE(upper);
  EXPECT_EQ(upper->getOperand(1)->getName(), "nextB");
  EXPECT_EQ(cast_or_null<InsertElementInst>(upper->getOperand(0))
                ->getOperand(1)
                ->getName(),
            "nextA");
}

TEST_F(PackHalfPhis, CarriesThemFurther) {
  EXPECT_EQ(countCarried(pack("pair", "%a", "%b") + kUse,
                         "%c = phi half [ %a, %loop ]\n"
                         "%d = phi half [ %b, %loop ]\n" +
                             pack("last", "%c", "%d") +
                             "call void @use(<2 x half> %last)\n"),
            std::pair(0u, 2u));
}

TEST_F(PackHalfPhis, CarriesThemToWhereTheyArePacked) {
  EXPECT_EQ(countCarried("", "%c = phi half [ %a, %loop ]\n"
                             "%d = phi half [ %b, %loop ]\n" +
                                 pack("last", "%c", "%d") +
                                 "call void @use(<2 x half> %last)\n"),
            std::pair(0u, 2u));
}

TEST_F(PackHalfPhis, KeepsElementsThatAreUsedAlone) {
  EXPECT_EQ(countCarried(pack("pair", "%a", "%b") + kUse +
                         "  call void @take(half %b)\n"),
            std::pair(2u, 0u));
}

TEST_F(PackHalfPhis, KeepsElementsOfSeveralPairs) {
  EXPECT_EQ(countCarried(pack("pair", "%a", "%b") + kUse +
                         pack("swapped", "%b", "%a") +
                         "  call void @use(<2 x half> %swapped)\n"),
            std::pair(2u, 0u));
}

TEST_F(PackHalfPhis, KeepsElementsThatContinueAlone) {
  // Only one element is used after the loop, so the pair cannot be packed.
  EXPECT_EQ(countCarried(pack("pair", "%a", "%b") + kUse,
                         "%c = phi half [ %a, %loop ]\n"
                         "call void @take(half %c)\n"),
            std::pair(3u, 0u));
}

TEST_F(PackHalfPhis, KeepsPairsOfOneElement) {
  EXPECT_EQ(countCarried(pack("pair", "%a", "%a") + kUse), std::pair(2u, 0u));
}

} // namespace
