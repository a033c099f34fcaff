#include "lib/Target/NVPTX/AssemblerPtxas.h"

#include "lib/Target/NVPTX/AssemblerLog.h"
#include "lib/Target/NVPTX/AssemblerProcess.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <map>
#include <mutex>

using namespace llvm;

namespace tilewright {

namespace {
/// "release 13.0" of `ptxas --version`.
struct Release {
  unsigned major = 0;
  unsigned minor = 0;
};

class Ptxas : public Assembler {
public:
  Ptxas(std::string path, Release release)
      : program(std::move(path)), release(release) {}

  AssemblerKind kind() const override { return AssemblerKind::Ptxas; }
  std::string name() const override {
    return "ptxas " + std::to_string(release.major) + "." +
           std::to_string(release.minor);
  }
  std::string path() const override { return program; }
  unsigned maxPtxVersion() const override {
    return ptxVersionOfCuda(release.major, release.minor);
  }
  Expected<Assembly> assemble(StringRef ptx, StringRef arch,
                              const AssemblerOptions &options) const override;

private:
  std::string program;
  Release release;
};
} // namespace

static Error writeFile(const std::string &path, StringRef bytes) {
  std::error_code code;
  raw_fd_ostream stream(path, code);
  if (!code) {
    stream << bytes;
    stream.close();
    code = stream.error();
    stream.clear_error();
  }
  if (code)
    return createStringError(code, "cannot write '" + path + "'");
  return Error::success();
}

/// Removes the directory from file names in messages: it is temporary and has
/// another name each time.
static void hideDirectory(std::string &output, const std::string &source) {
  for (size_t at; (at = output.find(source)) != std::string::npos;)
    output.replace(at, source.size(), sys::path::filename(source).str());
}

Expected<Assembly> Ptxas::assemble(StringRef ptx, StringRef arch,
                                   const AssemblerOptions &options) const {
  Expected<PrivateDirectory> directory = PrivateDirectory::create();
  if (!directory)
    return directory.takeError();
  const std::string source = directory->file("kernel.ptx");
  const std::string target = directory->file("kernel.cubin");
  if (Error failed = writeFile(source, ptx))
    return std::move(failed);
  std::vector<std::string> arguments = {program, "-arch=" + arch.str(), "-O3",
                                        "-v"};
  if (options.lineInfo)
    arguments.push_back("-lineinfo");
  arguments.insert(arguments.end(), {source, "-o", target});
  Expected<ProcessResult> result =
      runProcess(arguments, options.timeoutSeconds);
  if (!result)
    return result.takeError();
  hideDirectory(result->output, source);
  if (StringRef(result->output).contains("for option 'gpu-name'"))
    return make_error<UnknownArchError>(name() + " does not know " +
                                        arch.str());
  auto cubin = MemoryBuffer::getFile(target, /*IsText=*/false,
                                     /*RequiresNullTerminator=*/false);
  if (result->exitCode != 0 || !cubin)
    return createStringError(name() + " failed to assemble (exit code " +
                             std::to_string(result->exitCode) + "):\n" +
                             result->output);
  Assembly assembly;
  assembly.kind = kind();
  assembly.assembler = name();
  assembly.cubin = (*cubin)->getBuffer().str();
  assembly.log = std::move(result->output);
  readAssemblerLog(assembly.log, assembly);
  return assembly;
}

/// Asks the program for its release. Returns nothing if it is not ptxas.
static std::optional<Release> askRelease(const std::string &path) {
  static constexpr unsigned kPatienceSeconds = 60;
  Expected<ProcessResult> result =
      runProcess({path, "--version"}, kPatienceSeconds);
  if (!result) {
    consumeError(result.takeError());
    return std::nullopt;
  }
  StringRef text = result->output;
  const size_t at = text.find("release ");
  if (!text.contains("Ptx") || at == StringRef::npos)
    return std::nullopt;
  text = text.substr(at + StringRef("release ").size());
  Release release;
  if (text.consumeInteger(10, release.major) || !text.consume_front(".") ||
      text.consumeInteger(10, release.minor))
    return std::nullopt;
  return release;
}

/// Returns the assembler at `path`, which is asked for its release once per
/// process.
static std::shared_ptr<const Assembler> openProgram(const std::string &path) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Assembler>> known;
  if (!sys::fs::can_execute(path))
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<const Assembler> &entry = known[path];
  if (!entry)
    if (std::optional<Release> release = askRelease(path))
      entry = std::make_shared<Ptxas>(path, *release);
  return entry;
}

static std::vector<std::string> usualPrograms() {
  std::vector<std::string> programs;
  if (ErrorOr<std::string> found = sys::findProgramByName("ptxas"))
    programs.push_back(*found);
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *root = std::getenv(variable); root && *root)
      programs.push_back(std::string(root) + "/bin/ptxas");
  programs.push_back("/usr/local/cuda/bin/ptxas");
  return programs;
}

Expected<std::shared_ptr<const Assembler>>
findPtxas(ArrayRef<std::string> paths) {
  const char *chosen = std::getenv("TILEWRIGHT_PTXAS");
  if (chosen && *chosen) {
    if (auto program = openProgram(chosen))
      return program;
    return createStringError("TILEWRIGHT_PTXAS='" + std::string(chosen) +
                             "' is not a ptxas program");
  }
  for (const std::string &path : paths)
    if (sys::path::filename(path).starts_with("ptxas"))
      if (auto program = openProgram(path))
        return program;
  for (const std::string &path : usualPrograms())
    if (auto program = openProgram(path))
      return program;
  return std::shared_ptr<const Assembler>();
}

} // namespace tilewright
