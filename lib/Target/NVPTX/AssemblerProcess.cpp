#include "lib/Target/NVPTX/AssemblerProcess.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

extern char **environ;

namespace tilewright {

using Clock = std::chrono::steady_clock;

static constexpr size_t kMaxOutput = 1 << 20;

static Error systemError(const std::string &what, int number) {
  return createStringError(std::error_code(number, std::generic_category()),
                           what);
}

static int millisecondsUntil(Clock::time_point end) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::max<int64_t>(left.count(), 0));
}

/// Starts the program with empty input and with both outputs redirected to
/// `output`.
static Expected<pid_t> start(ArrayRef<std::string> arguments, int output) {
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY,
                                   0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  // The program must not inherit the signals that this process blocks or
  // ignores.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int failed =
      posix_spawn(&child, argv[0], &files, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed)
    return systemError("cannot run '" + arguments[0] + "'", failed);
  return child;
}

/// Reads until the program closes its output. Returns false on a timeout.
static bool readUntil(int input, Clock::time_point end, std::string &output) {
  char buffer[4096];
  for (;;) {
    struct pollfd ready = {input, POLLIN, 0};
    const int events = poll(&ready, 1, millisecondsUntil(end));
    if (events < 0 && errno == EINTR)
      continue;
    if (events <= 0)
      return false;
    const ssize_t got = read(input, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return true;
    output.append(
        buffer, std::min(static_cast<size_t>(got), kMaxOutput - output.size()));
  }
}

/// Waits for the program to exit. Returns nothing on a timeout.
static std::optional<int> waitUntil(pid_t child, Clock::time_point end) {
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child)
      return status;
    // A process that ignores SIGCHLD gets no exit status of its children. The
    // caller checks the files that the program wrote instead.
    if (ended < 0 && errno == ECHILD)
      return 0;
    if (Clock::now() >= end)
      return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Expected<ProcessResult> runProcess(ArrayRef<std::string> arguments,
                                   unsigned timeoutSeconds) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return systemError("cannot make a pipe", errno);
  Expected<pid_t> child = start(arguments, ends[1]);
  close(ends[1]);
  if (!child) {
    close(ends[0]);
    return child.takeError();
  }
  const auto end = Clock::now() + std::chrono::seconds(timeoutSeconds);
  ProcessResult result;
  std::optional<int> status;
  if (readUntil(ends[0], end, result.output))
    status = waitUntil(*child, end);
  close(ends[0]);
  if (!status) {
    kill(*child, SIGKILL);
    waitpid(*child, nullptr, 0);
    return createStringError("'" + arguments[0] + "' took longer than " +
                             std::to_string(timeoutSeconds) + " s");
  }
  if (WIFSIGNALED(*status))
    return createStringError("'" + arguments[0] + "' ended by signal " +
                             std::to_string(WTERMSIG(*status)));
  result.exitCode = WEXITSTATUS(*status);
  return result;
}

Expected<PrivateDirectory> PrivateDirectory::create() {
  SmallString<128> pattern;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, pattern);
  sys::path::append(pattern, "tilewright-XXXXXX");
  // mkdtemp makes it accessible for this user alone.
  if (!mkdtemp(const_cast<char *>(pattern.c_str())))
    return systemError("cannot make a directory '" + pattern.str().str() + "'",
                       errno);
  return PrivateDirectory(pattern.str().str());
}

PrivateDirectory::~PrivateDirectory() {
  if (!path.empty())
    sys::fs::remove_directories(path, /*IgnoreErrors=*/true);
}

} // namespace tilewright
