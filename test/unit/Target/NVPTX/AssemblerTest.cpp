#include "lib/Target/NVPTX/Assembler.h"

#include "lib/Target/NVPTX/AssemblerNvJitLink.h"
#include "lib/Target/NVPTX/AssemblerProcess.h"
#include "lib/Target/NVPTX/AssemblerPtxas.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace tilewright;
using testing::HasSubstr;

namespace {

/// A kernel that stores its argument. It has `registers` live values; all
/// above 24 must be spilled.
std::string kernel(const char *version, const char *target, int registers = 1) {
  std::string text = std::string(".version ") + version + "\n.target " +
                     target + R"(
.address_size 64
.visible .entry kernel(.param .u64 pointer)
.maxntid 32 .maxnreg 24
{
  .reg .b64 %rd<3>;
  .reg .b32 %r<)" + std::to_string(registers) +
                     R"(>;
  ld.param.u64 %rd1, [pointer];
  cvta.to.global.u64 %rd2, %rd1;
)";
  const auto access = [&](const char *format, int i) {
    char line[80];
    std::snprintf(line, sizeof(line), format, i, 4 * i);
    text += line;
  };
  for (int i = 0; i < registers; ++i)
    access("  ld.volatile.global.u32 %%r%d, [%%rd2+%d];\n", i);
  for (int i = registers - 1; i >= 0; --i) {
    text += "  st.volatile.global.u32 [%rd2+" + std::to_string(4 * i) +
            "], %r" + std::to_string(i) + ";\n";
  }
  return text + "  ret;\n}\n";
}

class ScopedEnvironment {
public:
  ScopedEnvironment(const char *name, const std::string &value) : name(name) {
    setenv(name, value.c_str(), 1);
  }
  ~ScopedEnvironment() { unsetenv(name); }

private:
  const char *name;
};

/// A program that identifies itself as ptxas `release` and otherwise runs
/// `body`.
class FakePtxas {
public:
  FakePtxas(const std::string &release, const std::string &body)
      : directory(llvm::cantFail(PrivateDirectory::create())) {
    std::ofstream(path()) << "#!/bin/sh\n"
                          << "if [ \"$1\" = --version ]; then\n"
                          << "  echo 'ptxas: NVIDIA (R) Ptx optimizing "
                             "assembler'\n"
                          << "  echo 'Cuda compilation tools, release "
                          << release << ", V" << release << ".1'\n"
                          << "  exit 0\nfi\n"
                          << body << "\n";
    chmod(path().c_str(), 0700);
  }
  std::string path() const { return directory.file("ptxas"); }

private:
  PrivateDirectory directory;
};

std::string errorOf(llvm::Expected<Assembly> assembly) {
  if (assembly)
    return "";
  return llvm::toString(assembly.takeError());
}

AssemblerOptions only(const char *kind) {
  AssemblerOptions options;
  options.kind = kind;
  if (*NVJITLINK)
    options.paths.push_back(NVJITLINK);
  return options;
}

/// Both real assemblers. A missing one skips the test visibly.
class RealAssembler : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    options = only(GetParam());
    auto found = findAssemblers(options);
    if (!found) {
      llvm::consumeError(found.takeError());
      GTEST_SKIP() << "this machine has no " << GetParam();
    }
    assembler = found->front();
  }
  AssemblerOptions options;
  std::shared_ptr<const Assembler> assembler;
};

TEST_P(RealAssembler, MakesACubin) {
  auto assembly = assemble(kernel("8.0", "sm_90a"), "sm_90a", options);
  ASSERT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
  EXPECT_EQ(assembly->cubin.substr(0, 4), "\x7f"
                                          "ELF");
  EXPECT_EQ(assembly->kind, assembler->kind());
  EXPECT_EQ(assembly->assembler, assembler->name());
  EXPECT_GT(assembly->resources.registers, 0u);
  EXPECT_EQ(assembly->resources.spillStores, 0u);
  EXPECT_THAT(assembly->advice, testing::IsEmpty());
}

TEST_P(RealAssembler, ReportsSpills) {
  auto assembly = assemble(kernel("8.0", "sm_80", 100), "sm_80", options);
  ASSERT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
  EXPECT_LE(assembly->resources.registers, 24u);
  EXPECT_GT(assembly->resources.spillStores, 0u);
  EXPECT_GT(assembly->resources.spillLoads, 0u);
  EXPECT_THAT(assembly->advice, testing::Contains(HasSubstr("spilled")));
}

TEST_P(RealAssembler, ErrorsHaveItsOwnWords) {
  std::string text = kernel("8.0", "sm_80");
  text.insert(text.find("  ret;"), "  frobnicate;\n");
  EXPECT_THAT(errorOf(assemble(text, "sm_80", options)),
              HasSubstr("'frobnicate'"));
}

TEST_P(RealAssembler, TooNewPtxIsRefusedBeforehand) {
  const std::string message =
      errorOf(assemble(kernel("99.1", "sm_80"), "sm_80", options));
  EXPECT_THAT(message, HasSubstr(assembler->name() + " reads PTX up to "));
  EXPECT_THAT(message, HasSubstr("this is 99.1"));
}

TEST_P(RealAssembler, ReadsTheVersionItClaims) {
  const unsigned version = assembler->maxPtxVersion();
  const std::string text =
      std::to_string(version / 10) + "." + std::to_string(version % 10);
  auto assembly = assemble(kernel(text.c_str(), "sm_80"), "sm_80", options);
  EXPECT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
}

TEST_P(RealAssembler, UnknownGpu) {
  EXPECT_THAT(errorOf(assemble(kernel("8.0", "sm_80"), "sm_999", options)),
              HasSubstr(assembler->name() + " does not know sm_999"));
}

INSTANTIATE_TEST_SUITE_P(Assembler, RealAssembler,
                         testing::Values("nvjitlink", "ptxas"),
                         [](const auto &info) { return info.param; });

TEST(Assembler, OrderOfPreference) {
  FakePtxas ptxas("12.4", "");
  ScopedEnvironment link("TILEWRIGHT_NVJITLINK", FAKE_NVJITLINK);
  ScopedEnvironment program("TILEWRIGHT_PTXAS", ptxas.path());
  auto found = findAssemblers({});
  ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
  ASSERT_EQ(found->size(), 2u);
  EXPECT_EQ((*found)[0]->name(), "nvJitLink 12.0");
  EXPECT_EQ((*found)[0]->path(), FAKE_NVJITLINK);
  EXPECT_EQ((*found)[1]->name(), "ptxas 12.4");
  EXPECT_EQ((*found)[1]->maxPtxVersion(), 84u);
  auto version = maxPtxVersion({});
  ASSERT_TRUE(bool(version));
  EXPECT_EQ(*version, 80u) << "that of the preferred one";
}

TEST(Assembler, BothReadWhatIsWrittenIfTheyCan) {
  FakePtxas ptxas("11.8", "");
  ScopedEnvironment link("TILEWRIGHT_NVJITLINK", FAKE_NVJITLINK);
  ScopedEnvironment program("TILEWRIGHT_PTXAS", ptxas.path());
  const auto most = [](unsigned needed) {
    AssemblerOptions options;
    options.neededPtx = needed;
    return llvm::cantFail(maxPtxVersion(options));
  };
  EXPECT_EQ(most(78), 78u) << "that of ptxas 11.8";
  EXPECT_EQ(most(79), 80u) << "ptxas 11.8 is too old";
  EXPECT_EQ(most(86), 80u) << "both are";
}

TEST(Assembler, LibraryWithVersionedNamesAlone) {
  ScopedEnvironment link("TILEWRIGHT_NVJITLINK", FAKE_NVJITLINK);
  auto assembly = assemble("PTX", "sm_80", only("nvjitlink"));
  ASSERT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
  EXPECT_EQ(assembly->cubin, "PTX");
  EXPECT_EQ(errorOf(assemble("wrong", "sm_80", only("nvjitlink"))),
            "nvJitLink 12.0 failed to assemble (error 4):\n"
            "words of the assembler");
}

TEST(Assembler, LibraryIsAskedPastItsCache) {
  ScopedEnvironment link("TILEWRIGHT_NVJITLINK", FAKE_CACHING_NVJITLINK);
  auto assembly = assemble("PTX", "sm_80", only("nvjitlink"));
  ASSERT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
  EXPECT_EQ(assembly->assembler, "nvJitLink 13.0");
  EXPECT_EQ(assembly->resources.registers, 8u);
}

TEST(Assembler, NextOneWhenTheGpuIsUnknown) {
  FakePtxas ptxas("12.4", "while [ \"$1\" != -o ]; do shift; done; "
                          "echo cubin > \"$2\"");
  ScopedEnvironment link("TILEWRIGHT_NVJITLINK", FAKE_NVJITLINK);
  ScopedEnvironment program("TILEWRIGHT_PTXAS", ptxas.path());
  auto assembly = assemble("PTX", "sm_90a", {});
  ASSERT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
  EXPECT_EQ(assembly->assembler, "ptxas 12.4");
  EXPECT_EQ(assembly->cubin, "cubin\n");
}

TEST(Assembler, NextOneWhenThePtxIsTooNew) {
  FakePtxas ptxas("12.8", "while [ \"$1\" != -o ]; do shift; done; "
                          "echo cubin > \"$2\"");
  ScopedEnvironment link("TILEWRIGHT_NVJITLINK", FAKE_NVJITLINK);
  ScopedEnvironment program("TILEWRIGHT_PTXAS", ptxas.path());
  auto assembly = assemble(".version 8.7\n", "sm_80", {});
  ASSERT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
  EXPECT_EQ(assembly->assembler, "ptxas 12.8");
}

TEST(Assembler, WhatNobodyTakesIsLeftToTheDriver) {
  FakePtxas ptxas("12.4", "exit 1");
  ScopedEnvironment link("TILEWRIGHT_NVJITLINK", FAKE_NVJITLINK);
  ScopedEnvironment program("TILEWRIGHT_PTXAS", ptxas.path());
  auto assembly = assemble(".version 9.0\n", "sm_80", {});
  ASSERT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
  EXPECT_EQ(assembly->kind, AssemblerKind::Driver);
  EXPECT_EQ(assembly->cubin, "");
  EXPECT_EQ(assembly->log, "nvJitLink 12.0 reads PTX up to 8.0, this is 9.0\n"
                           "ptxas 12.4 reads PTX up to 8.4, this is 9.0");
}

TEST(Assembler, DriverByName) {
  auto assembly = assemble("anything", "sm_80", only("driver"));
  ASSERT_TRUE(bool(assembly)) << llvm::toString(assembly.takeError());
  EXPECT_EQ(assembly->kind, AssemblerKind::Driver);
  EXPECT_EQ(assembly->assembler, "driver");
  auto version = maxPtxVersion(only("driver"));
  ASSERT_TRUE(bool(version));
  EXPECT_EQ(*version, 0u);
}

TEST(Assembler, UnknownName) {
  EXPECT_EQ(errorOf(assemble("", "sm_80", only("masm"))),
            "unknown assembler 'masm': known are 'auto', 'nvjitlink', 'ptxas' "
            "and 'driver'");
}

TEST(Assembler, FilesOfTheEnvironmentMustBeWhatTheyAreSaidToBe) {
  {
    ScopedEnvironment link("TILEWRIGHT_NVJITLINK", "libm.so.6");
    EXPECT_EQ(errorOf(assemble("", "sm_80", {})),
              "TILEWRIGHT_NVJITLINK='libm.so.6' is not an nvJitLink library");
  }
  ScopedEnvironment program("TILEWRIGHT_PTXAS", "/bin/true");
  EXPECT_EQ(errorOf(assemble("", "sm_80", only("ptxas"))),
            "TILEWRIGHT_PTXAS='/bin/true' is not a ptxas program");
}

TEST(Assembler, CallersPathsComeFirst) {
  FakePtxas ptxas("11.8", "");
  AssemblerOptions options;
  options.kind = "ptxas";
  options.paths = {"/nonexistent/ptxas", FAKE_NVJITLINK, ptxas.path()};
  auto found = findAssemblers(options);
  ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
  EXPECT_EQ(found->front()->path(), ptxas.path());
  EXPECT_EQ(found->front()->maxPtxVersion(), 78u);
}

TEST(Assembler, ProgramThatFails) {
  FakePtxas ptxas("12.4", "echo \"$5, line 3; error\"; exit 2");
  ScopedEnvironment program("TILEWRIGHT_PTXAS", ptxas.path());
  EXPECT_EQ(errorOf(assemble("", "sm_80", only("ptxas"))),
            "ptxas 12.4 failed to assemble (exit code 2):\n"
            "kernel.ptx, line 3; error\n");
}

TEST(Assembler, ProgramThatLeavesNothing) {
  FakePtxas ptxas("12.4", "exit 0");
  ScopedEnvironment program("TILEWRIGHT_PTXAS", ptxas.path());
  EXPECT_THAT(errorOf(assemble("", "sm_80", only("ptxas"))),
              HasSubstr("failed to assemble (exit code 0)"));
}

TEST(Assembler, ProgramThatHangs) {
  FakePtxas ptxas("12.4", "exec sleep 100");
  ScopedEnvironment program("TILEWRIGHT_PTXAS", ptxas.path());
  AssemblerOptions options = only("ptxas");
  options.timeoutSeconds = 1;
  EXPECT_EQ(errorOf(assemble("", "sm_80", options)),
            "'" + ptxas.path() + "' took longer than 1 s");
}

TEST(Assembler, PtxOfACudaRelease) {
  EXPECT_EQ(ptxVersionOfCuda(10, 2), 0u);
  EXPECT_EQ(ptxVersionOfCuda(11, 0), 70u);
  EXPECT_EQ(ptxVersionOfCuda(11, 8), 78u);
  EXPECT_EQ(ptxVersionOfCuda(12, 5), 85u);
  EXPECT_EQ(ptxVersionOfCuda(12, 6), 85u);
  EXPECT_EQ(ptxVersionOfCuda(12, 8), 87u);
  EXPECT_EQ(ptxVersionOfCuda(13, 0), 90u);
}

} // namespace
