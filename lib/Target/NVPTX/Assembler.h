// From PTX to a cubin.
//
// Three assemblers, in this order of preference: the nvJitLink library in this
// process, the program ptxas, and the CUDA driver, which takes the PTX itself
// when a kernel is loaded. The first one that accepts the PTX's version and GPU
// is used, unless the caller names one.
#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLER_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace tilewright {

enum class AssemblerKind { NvJitLink, Ptxas, Driver };

struct AssemblerOptions {
  /// "auto", "nvjitlink", "ptxas" or "driver".
  std::string kind = "auto";
  /// Files to try before the default paths: libraries named libnvJitLink*, and
  /// programs.
  std::vector<std::string> paths;
  /// The PTX ISA that the kernel needs, if known.
  unsigned neededPtx = 0;
  /// Keep the source lines that the PTX states, for profilers.
  bool lineInfo = true;
  /// Time limit of a ptxas process.
  unsigned timeoutSeconds = 600;
};

/// The resources of a kernel, as the assembler reports them.
struct AssemblyResources {
  unsigned registers = 0;
  /// Bytes per thread that are spilled to and reloaded from local memory.
  unsigned spillStores = 0;
  unsigned spillLoads = 0;
  unsigned stackBytes = 0;
  unsigned sharedBytes = 0;
};

struct Assembly {
  AssemblerKind kind = AssemblerKind::Driver;
  /// "nvJitLink 13.0", "ptxas 13.0" or "driver".
  std::string assembler = "driver";
  /// Empty if the driver assembles; then `resources` is empty too.
  std::string cubin;
  AssemblyResources resources;
  /// The complete log of the assembler.
  std::string log;
  /// The part of the log that concerns the programmer: warnings, spills,
  /// serialised tensor-core instructions.
  std::vector<std::string> advice;
};

/// An assembler that is found on this machine.
class Assembler {
public:
  virtual ~Assembler() = default;
  virtual AssemblerKind kind() const = 0;
  /// Name and version.
  virtual std::string name() const = 0;
  /// The file that it was loaded from.
  virtual std::string path() const = 0;
  /// The newest PTX ISA that it reads, as 10 * major + minor.
  virtual unsigned maxPtxVersion() const = 0;
  /// `arch` is the GPU that the PTX was made for, such as "sm_90a".
  virtual llvm::Expected<Assembly>
  assemble(llvm::StringRef ptx, llvm::StringRef arch,
           const AssemblerOptions &options) const = 0;
};

/// Returns the assemblers of this machine that `options` allows, the preferred
/// one first. The list is empty if only the driver is left. Fails if `options`
/// or the environment names an assembler that cannot be used.
///
/// Environment: TILEWRIGHT_NVJITLINK and TILEWRIGHT_PTXAS name files that
/// replace those in the default paths.
llvm::Expected<std::vector<std::shared_ptr<const Assembler>>>
findAssemblers(const AssemblerOptions &options);

/// Returns the newest PTX ISA that the first assembler and the others read, if
/// these read the version that the kernel needs. Returns 0 if only the driver
/// is left, whose own version decides then.
llvm::Expected<unsigned> maxPtxVersion(const AssemblerOptions &options);

/// Assembles `ptx`. An error quotes the assembler's message.
llvm::Expected<Assembly> assemble(llvm::StringRef ptx, llvm::StringRef arch,
                                  const AssemblerOptions &options);

/// The PTX ISA that came with a CUDA release: 87 for 12.8.
unsigned ptxVersionOfCuda(unsigned major, unsigned minor);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_ASSEMBLER_H
