#include "lib/Target/NVPTX/AssemblerProcess.h"

#include "llvm/Support/FileSystem.h"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace tilewright;

namespace {

/// Runs a shell script as an example of a program.
llvm::Expected<ProcessResult> runScript(const std::string &script,
                                        unsigned timeoutSeconds = 30) {
  return runProcess({"/bin/sh", "-c", script}, timeoutSeconds);
}

std::string errorOf(llvm::Expected<ProcessResult> result) {
  if (result)
    return "";
  return llvm::toString(result.takeError());
}

TEST(AssemblerProcess, OutputAndExitCode) {
  auto result = runScript("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->exitCode, 3);
  EXPECT_EQ(result->output, "out\nerr\n");
}

TEST(AssemblerProcess, ArgumentsAreNoShellText) {
  auto result = runProcess({"/bin/echo", "a b", "$HOME", ";", "'"}, 30);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->output, "a b $HOME ; '\n");
}

TEST(AssemblerProcess, NothingToRead) {
  auto result = runProcess({"/bin/cat"}, 30);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->output, "");
}

TEST(AssemblerProcess, MissingProgram) {
  EXPECT_EQ(errorOf(runProcess({"/nonexistent/ptxas"}, 30)),
            "cannot run '/nonexistent/ptxas'");
}

TEST(AssemblerProcess, TooLongIsKilled) {
  EXPECT_EQ(errorOf(runScript("exec sleep 100", 1)),
            "'/bin/sh' took longer than 1 s");
  // Also after it has closed its output.
  EXPECT_EQ(errorOf(runScript("exec sleep 100 >&- 2>&-", 1)),
            "'/bin/sh' took longer than 1 s");
}

TEST(AssemblerProcess, DeathBySignal) {
  EXPECT_EQ(errorOf(runScript("kill -SEGV $$")),
            "'/bin/sh' ended by signal 11");
}

TEST(AssemblerProcess, LongOutputIsCut) {
  auto result = runScript("yes | head -c 3000000");
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->output.size(), size_t(1) << 20);
}

TEST(AssemblerProcess, WorksWhereChildrenAreIgnored) {
  auto before = signal(SIGCHLD, SIG_IGN);
  auto result = runScript("echo done");
  signal(SIGCHLD, before);
  ASSERT_TRUE(bool(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(result->output, "done\n");
}

TEST(PrivateDirectory, IsPrivateAndGoesAway) {
  std::string file;
  {
    auto directory = PrivateDirectory::create();
    ASSERT_TRUE(bool(directory)) << llvm::toString(directory.takeError());
    file = directory->file("kernel.ptx");
    std::ofstream(file) << "text";
    struct stat info;
    ASSERT_EQ(stat(directory->file("").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
    EXPECT_TRUE(llvm::sys::fs::exists(file));
  }
  EXPECT_FALSE(llvm::sys::fs::exists(file));
}

} // namespace
