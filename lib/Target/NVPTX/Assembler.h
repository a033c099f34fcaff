// From PTX to a cubin.
//
// Three assemblers, in this order of preference: the nvJitLink library in this
// process, the program ptxas, and the CUDA driver, which takes the PTX itself
// when a kernel is loaded. The first that is found and accepts the PTX's
// version and GPU is used, unless the caller names one.
#pragma once

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
  /// Files to try before the usual places: libraries named libnvJitLink*, and
  /// programs.
  std::vector<std::string> paths;
  /// The PTX ISA that the kernel needs, if that is known.
  unsigned neededPtx = 0;
  /// Keep the source lines that the PTX states, for profilers.
  bool lineInfo = true;
  /// How long a ptxas process may take.
  unsigned timeoutSeconds = 600;
};

/// What the assembler reports of a kernel.
struct AssemblyResources {
  unsigned registers = 0;
  /// Bytes that a thread writes to and reads from local memory for lack of
  /// registers.
  unsigned spillStores = 0;
  unsigned spillLoads = 0;
  unsigned stackBytes = 0;
  unsigned sharedBytes = 0;
};

struct Assembly {
  AssemblerKind kind = AssemblerKind::Driver;
  /// "nvJitLink 13.0", "ptxas 13.0" or "driver".
  std::string assembler = "driver";
  /// Empty when it is left to the driver; then there are no resources either.
  std::string cubin;
  AssemblyResources resources;
  /// Everything that the assembler said.
  std::string log;
  /// What in the log is worth a programmer's time: warnings, spills, serialised
  /// tensor-core instructions.
  std::vector<std::string> advice;
};

/// One way to a cubin on this machine.
class Assembler {
public:
  virtual ~Assembler() = default;
  virtual AssemblerKind kind() const = 0;
  /// Name and version.
  virtual std::string name() const = 0;
  /// Where it was found.
  virtual std::string path() const = 0;
  /// The newest PTX ISA it reads, as 10 * major + minor.
  virtual unsigned maxPtxVersion() const = 0;
  /// `arch` is the GPU that the PTX was made for, such as "sm_90a".
  virtual llvm::Expected<Assembly>
  assemble(llvm::StringRef ptx, llvm::StringRef arch,
           const AssemblerOptions &options) const = 0;
};

/// The assemblers of this machine that `options` allows, the preferred one
/// first. Empty where only the driver is left. An error when an assembler was
/// named, in `options` or in the environment, that cannot be used.
///
/// Environment: TILEWRIGHT_NVJITLINK and TILEWRIGHT_PTXAS name files that are
/// used instead of those in the usual places.
llvm::Expected<std::vector<std::shared_ptr<const Assembler>>>
findAssemblers(const AssemblerOptions &options);

/// The newest PTX ISA that the first assembler found reads, and the others, as
/// far as these read what the kernel needs; 0 where only the driver is left,
/// whose own version decides then.
llvm::Expected<unsigned> maxPtxVersion(const AssemblerOptions &options);

/// Assembles. An error has the assembler's own words.
llvm::Expected<Assembly> assemble(llvm::StringRef ptx, llvm::StringRef arch,
                                  const AssemblerOptions &options);

/// The PTX ISA that came with a CUDA release: 87 for 12.8.
unsigned ptxVersionOfCuda(unsigned major, unsigned minor);

} // namespace tilewright
