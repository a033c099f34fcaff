// Runs a program without a shell and without signals.
#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERPROCESS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERPROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace tilewright {

struct ProcessResult {
  int exitCode = 0;
  /// The program's standard output and error, at most a megabyte.
  std::string output;
};

/// Runs `arguments[0]`, a path, and waits. Fails if it cannot be started, dies
/// by a signal, or exceeds its time limit and is killed.
llvm::Expected<ProcessResult> runProcess(llvm::ArrayRef<std::string> arguments,
                                         unsigned timeoutSeconds);

/// A directory that only this user can access. It is removed with its contents.
class PrivateDirectory {
public:
  static llvm::Expected<PrivateDirectory> create();
  PrivateDirectory(PrivateDirectory &&other) noexcept
      : path(std::exchange(other.path, {})) {}
  PrivateDirectory &operator=(PrivateDirectory &&) = delete;
  ~PrivateDirectory();

  std::string file(const std::string &name) const { return path + "/" + name; }

private:
  explicit PrivateDirectory(std::string path) : path(std::move(path)) {}
  std::string path;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLERPROCESS_H
