// Compiles one kernel: the tile pipeline, then the target's own pipeline.

#ifndef TILEWRIGHT_COMPILER_COMPILEKERNEL_H
#define TILEWRIGHT_COMPILER_COMPILEKERNEL_H

#include "lib/Target/PhaseTimes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <string>
#include <vector>

namespace tilewright {

struct CompileOptions {
  std::string target;
  int numWarps = 4;
  int numStages = 3;
  /// CTAs of a cluster at most; 1: no clusters.
  int numCtas = 1;
  bool pingPong = false;
  bool singleWave = false;
  /// Registers of a thread at most; 0: the assembler's choice.
  int maxRegisters = 0;
  /// Fail before assembly if a thread's registers are known to be too few.
  bool fitRegisters = false;
  bool debug = false;
  /// Deterministic results, independent of the execution order of programs.
  bool deterministic = false;
  /// Truncate float32 operands to tf32 instead of rounding them.
  bool cutTf32 = false;
  /// Contract a * b + c into one operation with one rounding on GPUs.
  bool fuseMulAdd = true;
  /// Collect the remarks of passes and the source of each line of the stages.
  bool report = false;
  /// Keep the texts of the stages "tile", "warp" and "llvm" if later stages
  /// follow.
  bool keepIr = false;
  std::string stopAfter;
  std::string assembler = "auto";
  std::vector<std::string> assemblerPaths;
  int ptxVersion = 0;
  /// The symbol of the compiled kernel; empty: as in the module.
  std::string symbol;

  /// Parses the JSON object of `tw_module_compile`. Emits an error at `loc` on
  /// failure.
  static mlir::FailureOr<CompileOptions> parse(llvm::StringRef json,
                                               mlir::Location loc);

  /// Whether the text of a stage is requested.
  bool keeps(llvm::StringRef stage) const {
    return keepIr || stopAfter == stage;
  }
};

/// The results of a compilation: its stages, and metadata of the kernel.
struct Artifact {
  std::map<std::string, std::string, std::less<>> stages;
  llvm::json::Object metadata;
  PhaseTimes times;
  /// Present if `CompileOptions::report` is set.
  llvm::json::Array remarks;
  /// For each stage, the source locations of the lines of its text.
  llvm::json::Object lines;
};

/// A back end: compiles the optimised `tile` level to code.
class Target {
public:
  virtual ~Target() = default;
  /// Whether `name` ("cpu", "sm_90a") belongs to this back end.
  virtual bool accepts(llvm::StringRef name) const = 0;
  /// Describes valid names, for error messages.
  virtual llvm::StringRef describe() const = 0;
  /// Lowers `module` and adds stages and metadata to `artifact`.
  virtual mlir::LogicalResult compile(mlir::ModuleOp module,
                                      const CompileOptions &options,
                                      Artifact &artifact) const = 0;
};

/// Returns every back end in this build.
llvm::ArrayRef<const Target *> getTargets();

/// Compiles a copy of `module`. Failures are reported as diagnostics.
mlir::FailureOr<Artifact> compile(mlir::ModuleOp module,
                                  const CompileOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_COMPILEKERNEL_H
