#include "lib/Target/NVPTX/PtxEntry.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

#include <gtest/gtest.h>

using namespace tilewright;

namespace {

std::string write(llvm::StringRef directives, llvm::StringRef body = "ret;") {
  return (".target sm_90a\n.visible .entry kernel(\n\t.param .u64 a\n)\n" +
          directives + "{\n" + body + "\n}\n")
      .str();
}

TEST(PtxEntry, ReadsDirectives) {
  const std::string text =
      write(".reqntid 128, 2, 1\n.minnctapersm 3\n.maxnreg 96\n");
  const PtxEntry entry(text);
  EXPECT_EQ(entry.countThreads(), 256);
  EXPECT_TRUE(entry.hasMinCtas());
  EXPECT_TRUE(entry.hasMaxRegisters());
}

TEST(PtxEntry, ReadsOnlyTheDirectivesOfTheEntry) {
  const std::string text =
      write(".reqntid 160, 1, 1\n", "// .minnctapersm 2\n// .maxnreg 96");
  const PtxEntry entry(text);
  EXPECT_EQ(entry.countThreads(), 160);
  EXPECT_FALSE(entry.hasMinCtas());
  EXPECT_FALSE(entry.hasMaxRegisters());
}

TEST(PtxEntry, AddsMinCtas) {
  const std::string text = write(".reqntid 160, 1, 1\n");
  EXPECT_EQ(PtxEntry(text).withMinCtas(2),
            write(".reqntid 160, 1, 1\n.minnctapersm 2\n"));
}

TEST(PtxEntry, ReplacesMinCtas) {
  const std::string text =
      write(".reqntid 160, 1, 1\n.minnctapersm 2\n.maxnreg 96\n");
  EXPECT_EQ(PtxEntry(text).withMinCtas(4),
            write(".reqntid 160, 1, 1\n.minnctapersm 4\n.maxnreg 96\n"));
}

TEST(PtxEntry, ThreadsMayBeUnknown) {
  const std::string text = write("");
  EXPECT_EQ(PtxEntry(text).countThreads(), 0);
  EXPECT_EQ(PtxEntry(text).withMinCtas(2), "");
  EXPECT_EQ(PtxEntry("").countThreads(), 0);
}

TEST(PtxEntry, ThreadsInLlvmIr) {
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  auto *kernel = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), false),
      llvm::Function::ExternalLinkage, "kernel", module);
  EXPECT_EQ(countThreads(*kernel), 1);
  kernel->addFnAttr("nvvm.reqntid", "128,2,1");
  EXPECT_EQ(countThreads(*kernel), 256);
}

} // namespace
